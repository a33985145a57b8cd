"""Expressions that people write match as Python's own module matches them, and end in time."""

from __future__ import annotations

import re

import pytest

from rankgate.errors import InputError
from rankgate.files.patterns import TimedPattern

GITHUB = r"https://github\.com/[^/]+/[^/]+/blob/[0-9a-f]{7,40}/(?P<path>[^#]+)"
WRITTEN = [
    ("https://docs[.]example[.]org/(.*)", r"docs/\1.md", "https://docs.example.org/auth/keys"),
    (
        r"https?://(?:www\.)?example\.com/docs/(?P<page>[^?#]+)(?:[?#].*)?",
        r"docs/\g<page>.md",
        "http://www.example.com/docs/a/b?x=1#y",
    ),
    (
        r"https://docs\.example\.org/(?P<path>[^#]*?)/?(?:#(?P<h>.*))?",
        r"\g<path>.md#\g<h>",
        "https://docs.example.org/a/b/#rotate",
    ),
    (r"(.+)\.html", r"\1.md", "guide/start.html"),
    (r"(.+?)(?:/index)?\.html?", r"\1.md", "guide/start/index.html"),
    ("file://(/.*)", r"\1", "file:///srv/docs/a.md"),
    ("/(?:home|Users)/[^/]+/project/(.*)", r"\1", "/home/ann/project/src/a.py"),
    (r"(?i)C:\\repo\\(.*)", r"\1", "c:\\repo\\a\\b.py"),
    (r"([^:]+):(\d+)(?:-(\d+))?", r"\1:\2-\3", "src/a.py:10-20"),
    (r"(?P<path>[^:]+):(?P<start>\d+):(?P<text>.*)", r"\g<path>", "a.py:3: def f"),
    (r"(?P<path>[^\t]+)\t(?P<score>[-+]?\d*\.?\d+(?:[eE][-+]?\d+)?)", r"\g<path>", "a/b.md\t0.83e-2"),
    (r"doc_(\d+)_chunk_(\d+)", r"docs/\1.md", "doc_12_chunk_3"),
    (r"(?P<doc>.+)#chunk-?\d+", r"\g<doc>", "guide/a.md#chunk-12"),
    ("(.+)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", r"\1", "guide-123e4567-e89b-12d3-a456-426614174000"),
    (r"(?:MED|PLAIN)-(\d+)", r"\1", "MED-1234"),
    ("(?!https?://)(.+)", r"docs/\1", "auth/keys.md"),
    (r"(?=.*\.md$)docs/(.*)", r"\1", "docs/a.md"),
    ("(?<!/)docs/(.*)", r"\1", "docs/x"),
    (r"(.*)(?<!\.md)", r"\1.md", "docs/x"),
    (r"(\w+)/\1/(.*)", r"\1/\2", "pkg/pkg/x.py"),
    (r"(?P<a>\w+)-(?P=a)\.md", r"\g<a>.md", "key-key.md"),
    (r"gs://[\w.-]+/(.*)", r"\1", "gs://my-bucket.x/docs/a.md"),
    ("s3://([^/]+)/(?:prefix/)?(.+)", r"\2", "s3://b/prefix/k.md"),
    (
        GITHUB + r"(?:#L(?P<s>\d+)(?:-L(?P<e>\d+))?)?",
        r"\g<path>:\g<s>-\g<e>",
        "https://github.com/a/b/blob/0123abc/x.go#L3-L9",
    ),
    (
        r"https://github\.com/(?P<o>[^/]+)/(?P<r>[^/]+)/blob/(?:main|master)/(.*)",
        r"\3",
        "https://github.com/a/b/blob/main/README.md",
    ),
    (r"https://(?:en|de|fr)\.wikipedia\.org/wiki/(.+)", r"\1", "https://de.wikipedia.org/wiki/Größe"),
    (
        r"https://stackoverflow\.com/(?:questions|q)/(\d+)(?:/.*)?",
        r"\1",
        "https://stackoverflow.com/questions/42/why",
    ),
    (r"arxiv[:/](\d{4}\.\d{4,5})(v\d+)?", r"\1", "arxiv:2101.00001v2"),
    (
        r"https?://(?:dx\.)?doi\.org/(10\.\d{4,9}/[-._;()/:A-Za-z0-9]+)",
        r"\1",
        "https://doi.org/10.1000/xyz123",
    ),
    ("(?x) (?P<path> [^:]+ )  # file\n : (?P<line> \\d+ )", r"\g<path>", "a.py:3"),
    (r"(?s)(.*?)\n.*", r"\1", "a.md\nrest\nmore"),
    ("(?m)^id: (.*)$", r"\1", "id: a.md"),
    (r"[\w./-]+?([^/]+)\.(?:rst|md|txt)", r"\1.md", "docs/guide/x.rst"),
    (r"(?:\.\./)*(.*)", r"\1", "../../docs/a.md"),
    (r"\[(?P<id>[^\]]+)\]\s*(?P<title>.*)", r"\g<id>", "[D12] How to"),
    ('"?([^"]+)"?', r"\1", '"a b.md"'),
    (r"urn:isbn:((?:97[89])?\d{9}[\dX])", r"\1", "urn:isbn:9783161484100"),
    (r"SKU[-_ ]?(\d{3,})", r"\1", "SKU-00123"),
    ("(?P<lang>[a-z]{2}(?:-[A-Z]{2})?)/(?P<rest>.+)", r"\g<rest>", "de-AT/start.md"),
    (r"node/(\d+)(?:\?.*)?", r"nodes/\1", "node/7?x=1"),
    (r"([A-Z]+-\d+)(?:[ :].*)?", r"\1", "PROJ-77: a bug"),
    (r"/v(\d+)\.(\d+)(?:\.(\d+))?/(.*)", r"\4", "/v1.2/docs/x"),
    ("(?:https?:)?//[^/]+(/.*)?", r"\1", "//host/a"),
    (r"(.*?)(?:\.en|\.de)?\.md", r"\1.md", "x.de.md"),
    (r"(?P<module>[\w.]+):(?P<attr>\w+)", r"\g<module>", "app.search:search"),
    (r"([^\[\]]+)(?:\[\d+\])?", r"\1", "chunks[3]"),
    (r"(\d+)\s+\d+\s+(\S+)\s+(\d+)\s+([\d.]+)\s+(\S+)", r"\2", "1 0 d7 1 0.5 run"),
    (r"(?a:\w+)/(.+)", r"\1", "abc/ü"),
    (r"(?i:readme)(\.md)?", "README.md", "ReadMe.md"),
    ("(?>docs/)(.*)", r"\1", "docs/a"),
    (r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)-(.*)", r"_posts/\g<0>", "2024-01-02-hello.md"),
    (r"(<)?(\w+)(?(1)>)", r"\2", "<tag>"),
    (r"docs/[\[]x].md", "a", "docs/[x].md"),
    ("{id}/(.*)", r"\1", "{id}/x"),
    ("a{,3}b", "x", "aab"),
    ("x{e}", "x", "x{e}"),
    ("café/(.*)", r"\1", "café/x"),
    (r"a\Z", "x", "a"),
    ("(a|ab)(c|bcd)(d*)", r"\1,\2,\3", "abcd"),
    (r".*\.(?:md|mdx)(?:\?plain=1)?(?:#.*)?", r"\g<0>", "a.md?plain=1#x"),
]


def test_more_than_forty_ways_to_write_a_place_are_tried() -> None:
    assert len({pattern for pattern, _, _ in WRITTEN}) >= 55


@pytest.mark.parametrize(("pattern", "template", "text"), WRITTEN)
def test_what_people_write_matches_as_it_does_in_python(pattern: str, template: str, text: str) -> None:
    timed = TimedPattern(pattern, "map[0].from")
    timed.check_template(template, "map[0].to")
    for tried in (text, f"{text}x", f"x{text}", text[1:], text[:-1], text.upper(), "", "ü/ß\n"):
        for method in ("fullmatch", "search"):
            expected, found = getattr(re.compile(pattern), method)(tried), getattr(timed, method)(tried)
            assert (found is None) == (expected is None), tried
            if expected is not None:
                assert found.groups() == expected.groups()
                assert found.groupdict() == expected.groupdict()
                assert found.expand(template) == expected.expand(template)


@pytest.mark.parametrize(
    "brace", ["{id}", "x{e}", "{s<=1}(.*)", r"\{id}", r"[{]e}", r"\\{e}", "a{2}{e}", "{}", "x{,}"]
)
def test_a_brace_that_counts_nothing_is_text(brace: str) -> None:
    timed, plain = TimedPattern(brace, "map"), re.compile(brace)
    for text in (
        "{id}",
        "x{e}",
        "y{e}",
        "{s<=1}abc",
        "x",
        "{e}",
        r"\{e}",
        "aa{e}",
        "aab",
        "{}",
        "",
        "xx",
        "x{,}",
    ):
        assert (timed.fullmatch(text) is None) == (plain.fullmatch(text) is None), text


@pytest.mark.parametrize("pattern", ["(a|aa)+$(?<!a)", r"(.*?)(.*?)(.*?)(?!a)x?$(?<=x)"])
def test_one_that_takes_long_is_stopped_and_told(pattern: str) -> None:
    with pytest.raises(InputError) as caught:
        TimedPattern(pattern, "map[2].from").fullmatch("a" * 3_000)
    problem = caught.value.problems[0]
    assert problem.where == "map[2].from"
    assert problem.found == f"{pattern!r}, stopped after 1 s on '{'a' * 60}'… (3,000 characters)"
    assert "[^/]*" in problem.fix


@pytest.mark.parametrize("pattern", ["(", "a**", r"(?|a|b)", r"\L<words>", r"(?<=a*)b", "(?P<a>x)(?P<a>y)"])
def test_only_what_python_reads_is_an_expression(pattern: str) -> None:
    with pytest.raises(InputError, match="a regular expression"):
        TimedPattern(pattern, "map[0].from")


def test_a_template_with_a_group_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match="the pattern has 1 groups"):
        TimedPattern("(a)", "map[0].from").check_template(r"\2", "map[0].to")
