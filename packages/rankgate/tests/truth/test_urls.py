"""`map: pages` locates the URLs of a static site."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgate.errors import FormatError
from rankgate.locations import Lines
from rankgate.model import PAGES, Hit, MapRule
from rankgate.suites.dump import write_native
from rankgate.suites.native import parse_suite, read_native
from rankgate.truth.locate import Placer
from rankgate.truth.urls import judged_names
from support.memory_corpus import MemoryCorpus

KEYS = "# Keys\n\n## Key rotation {#rotate}\n\nRotate.\n\n## Read only\n\nRead.\n"
DOCS = MemoryCorpus(
    {
        "docs/index.md": "# Home\n",
        "docs/auth/keys.md": KEYS,
        "docs/auth/index.md": "# Auth\n",
        "docs/hooks.md": "# Hooks\n",
        "docs/hooks.py": "hooks = 1\n",
        "docs/old/hooks.md": "# Old hooks\n",
        "docs/a/limits.md": "# Limits\n",
        "docs/b/limits.md": "# Limits\n",
        "docs/API Guide.rst": "Guide\n=====\n",
        "docs/release-1.2.md": "# 1.2\n",
        "README.md": "# Read me\n",
    }
)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/auth/keys/", "docs/auth/keys.md"),
        ("/auth/keys.html", "docs/auth/keys.md"),
        ("auth/keys", "docs/auth/keys.md"),
        ("auth/keys.md", "docs/auth/keys.md"),
        ("https://acme.github.io/project/v2/auth/keys/?q=x", "docs/auth/keys.md"),
        ("qmd://docs/auth/keys.md", "docs/auth/keys.md"),
        ("/AUTH/Keys/", "docs/auth/keys.md"),
        ("/keys", "docs/auth/keys.md"),
        ("/auth/", "docs/auth/index.md"),
        ("/auth/index.html", "docs/auth/index.md"),
        ("/auth", "docs/auth/index.md"),
        ("/hooks/", "docs/hooks.md"),
        ("/old/hooks/", "docs/old/hooks.md"),
        ("/b/limits/", "docs/b/limits.md"),
        ("/limits/", None),
        ("/c/limits/", None),
        ("/api%20guide/", "docs/API Guide.rst"),
        ("/release-1.2/", "docs/release-1.2.md"),
        ("/", "docs/index.md"),
        ("https://docs.example.org", "docs/index.md"),
        ("/../auth/keys/", None),
        ("/nothing/", None),
        ("", None),
    ],
)
def test_pages_finds_document_of_url(url: str, expected: str | None) -> None:
    [found] = Placer(DOCS, [PAGES]).place_hits([Hit(id=url)])
    assert found.path == expected


@pytest.mark.parametrize(
    ("fragment", "lines"),
    [
        ("rotate", (3, 6)),
        ("read-only", (7, 9)),
        ("Read%20only", (7, 9)),
        ("nothing", (None, None)),
        ("read-only:~:text=Read", (7, 9)),
        ("", (None, None)),
    ],
)
def test_pages_fragment_is_heading(fragment: str, lines: tuple[int | None, int | None]) -> None:
    [found] = Placer(DOCS, [PAGES]).place_hits([Hit(path=f"https://x.org/auth/keys/#{fragment}")])
    assert (found.path, found.start, found.end) == ("docs/auth/keys.md", *lines)


def test_pages_keeps_declared_lines() -> None:
    [found] = Placer(DOCS, [PAGES]).place_hits([Hit(path="/auth/keys/", lines=Lines(2, 3))])
    assert (found.path, found.start, found.end) == ("docs/auth/keys.md", 2, 3)


def test_pages_unknown_url_tries_next_rule() -> None:
    [found] = Placer(DOCS, [PAGES, MapRule("/start/", "README.md")]).place_hits([Hit(id="/start/")])
    assert found.path == "README.md"


def test_pages_finds_records_by_id() -> None:
    records = MemoryCorpus({"auth/keys": "Rotate."}, records=True)
    [found] = Placer(records, [PAGES]).place_hits([Hit(id="https://x.org/auth/keys/#rotate")])
    assert found.id == "auth/keys"


def test_pages_without_corpus_finds_judged_names() -> None:
    suite = parse_suite(
        "map: pages\ncases:\n  - {query: a, at: keys.md}\n  - {query: b, id: hooks}\n", Path("s")
    )
    placer = Placer(None, suite.map_rules, names=judged_names(suite))
    hits = [Hit(id="/keys/#rotate"), Hit(path="/hooks/"), Hit(path="keys.md"), Hit(id="/other/")]
    assert [one.id for one in placer.place_hits(hits)] == ["keys.md", "hooks", "keys.md", "/other/"]


def test_map_without_corpus_maps_paths_and_any_id() -> None:
    placer = Placer(
        None, [MapRule("docs/(.*)", r"\1"), MapRule("chunk-(.*)", r"doc:\1")], names={"doc:7": False}
    )
    hits = [Hit(path="docs/keys.md"), Hit(id="docs/keys.md"), Hit(id="chunk-7"), Hit(path="keys.md")]
    assert [one.id for one in placer.place_hits(hits)] == ["keys.md", "keys.md", "doc:7", "keys.md"]


@pytest.mark.parametrize(
    ("text", "rules"),
    [
        ("map: pages", (PAGES,)),
        ("map: [pages]", (PAGES,)),
        ("map: [{from: 'a', to: b}, pages]", (MapRule("a", "b"), PAGES)),
    ],
)
def test_suite_reads_and_writes_pages(tmp_path: Path, text: str, rules: tuple[MapRule, ...]) -> None:
    suite = parse_suite(f"{text}\ncases: [{{query: a, id: b}}]\n", Path("s.yaml"))
    assert suite.map_rules == rules
    write_native(suite, tmp_path / "s.yaml")
    assert read_native(tmp_path / "s.yaml").map_rules == rules


def test_suite_with_other_word_for_map_is_an_error() -> None:
    with pytest.raises(FormatError, match="expected `pages`, or a rule with `from` and `to`, found page"):
        parse_suite("map: page\ncases: [{query: a, id: b}]\n", Path("s.yaml"))
