"""Hits find their place, or are counted as those that do not."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.corpora.records import RecordsCorpus
from rankgate.errors import InputError
from rankgate.hit_classes import HitClass
from rankgate.locations import Characters, Lines
from rankgate.model import Hit, MapRule, Ranking
from rankgate.project.placing import placed_run
from rankgate.runs.formats.jsonl import read_jsonl_run
from rankgate.runs.store.columns import hits_and_texts
from rankgate.truth.locate import Placer

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.locations import Unit

RULES = (
    MapRule("https://docs[.]example[.]org/([^#]*)#(.+)", r"\1.md#\2"),
    MapRule("(?:https://docs[.]example[.]org|/srv/docs)/(?P<page>[^#]*)", r"\g<page>.md"),
)
KEYS = "# Keys\n\n## Key rotation\n\nRotate   the\nkey now.\n\n## Steps\n\nsame\n\n## Steps\n"


@pytest.fixture
def corpus(tmp_path: Path) -> FolderCorpus:
    files = {"keys.md": KEYS, "other.md": "same\n", "f.py": "def f():\n    pass\n", "odd#1.md": "odd\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    return FolderCorpus.open(tmp_path, root=tmp_path)


def located(placer: Placer, hit: Hit) -> tuple[str, str, str | None, str | None]:
    """Give class, strategy, path and lines, and see that the table of a run has the same."""
    [found] = placer.place_hits([hit])
    table, _ = hits_and_texts({"q": Ranking((hit,))}, place=placer.place)
    row = table.row(0, named=True)
    names = ("id", "path", "start", "end", "class", "strategy")
    assert tuple(row[name] for name in names) == (*found[:4], found.hit_class, found.strategy)
    lines = None if found.start is None else f"{found.start}-{found.end}"
    return found.hit_class, found.strategy, found.path, lines


@pytest.mark.parametrize(
    ("hit", "expected"),
    [
        (Hit(path=".\\keys.md", lines=Lines(1, 2)), ("exact", "declared", "keys.md", "1-2")),
        (Hit(path="keys.md", lines=Lines(1, 12)), ("exact", "declared", "keys.md", "1-12")),
        (Hit(path="keys.md", lines=Lines(1, 13)), ("exact", "declared", "keys.md", "1-12")),
        (Hit(path="keys.md", lines=Lines(1, 14)), ("past_end", "none", "keys.md", None)),
        (
            Hit(path="keys.md", lines=Lines(90, 99), text="Rotate the key"),
            ("exact", "text", "keys.md", "5-6"),
        ),
        (Hit(path="a/b.md", lines=Lines(1, 2)), ("no_file", "none", "a/b.md", "1-2")),
        (Hit(id="keys.md:1-2", path="x.md"), ("exact", "id", "keys.md", "1-2")),
        (Hit(path="/etc/passwd", lines=Lines(1, 2)), ("no_file", "none", None, None)),
        (Hit(path="../keys.md", text="Rotate the key"), ("exact", "text", "keys.md", "5-6")),
        (Hit(path="/srv/docs/keys"), ("file", "map", "keys.md", None)),
        (Hit(path="/srv/docs/keys", lines=Lines(2, 3)), ("exact", "map", "keys.md", "2-3")),
        (Hit(id="https://docs.example.org/keys"), ("file", "map", "keys.md", None)),
        (Hit(id="https://docs.example.org/keys#key-rotation"), ("exact", "map", "keys.md", "3-7")),
        (Hit(id="https://docs.example.org/keys#steps"), ("exact", "map", "keys.md", "8-11")),
        (Hit(id="https://docs.example.org/keys#Steps"), ("several", "map", None, None)),
        (Hit(id="https://docs.example.org/keys#none"), ("file", "map", "keys.md", None)),
        (Hit(id="https://docs.example.org/gone"), ("opaque", "none", None, None)),
        (Hit(id="https://docs.example.org/../x"), ("opaque", "none", None, None)),
        (Hit(id="see https://docs.example.org/keys"), ("opaque", "none", None, None)),
        (Hit(id="keys.md"), ("file", "id", "keys.md", None)),
        (Hit(path="keys.md#Key rotation"), ("exact", "id", "keys.md", "3-7")),
        (Hit(path="keys.md", text="Rotate the\tkey"), ("exact", "text", "keys.md", "5-6")),
        (Hit(id="keys.md", text="Rotate the key"), ("exact", "text", "keys.md", "5-6")),
        (Hit(path="/srv/docs/keys", text="same"), ("exact", "text", "keys.md", "10-10")),
        (Hit(path="keys.md", lines=Lines(1, 1), text="Rotate the"), ("exact", "declared", "keys.md", "1-1")),
        (
            Hit(path="keys.md", lines=Lines(4, 6), text="Rotate   the"),
            ("exact", "declared", "keys.md", "4-6"),
        ),
        (Hit(path="keys.md", text="Steps"), ("several", "text", "keys.md", None)),
        (Hit(path="keys.md", text="nowhere"), ("file", "declared", "keys.md", None)),
        (Hit(path="gone.md", text="Rotate the key"), ("exact", "text", "keys.md", "5-6")),
        (Hit(path="keys.md", text=""), ("file", "declared", "keys.md", None)),
        (Hit(id="./keys.md:2-3"), ("exact", "id", "keys.md", "2-3")),
        (Hit(id="keys.md:2-99"), ("past_end", "none", "keys.md", None)),
        (Hit(id="keys.md#Key Rotation"), ("exact", "id", "keys.md", "3-7")),
        (Hit(id="f.py::f"), ("exact", "id", "f.py", "1-2")),
        (Hit(id="f.py::g"), ("file", "id", "f.py", None)),
        (Hit(id="odd#1.md"), ("file", "id", "odd#1.md", None)),
        (Hit(id="docs/keys.md"), ("opaque", "none", None, None)),
        (Hit(id="chunk 7", text=" Rotate the key\tnow. "), ("exact", "text", "keys.md", "5-6")),
        (Hit(text="## Key rotation\n\nRotate"), ("exact", "text", "keys.md", "3-5")),
        (Hit(text="same"), ("several", "text", None, None)),
        (Hit(text="Steps"), ("several", "text", "keys.md", None)),
        (Hit(text="not there"), ("no_text", "none", None, None)),
        (Hit(text="now. ## Steps same ## Steps same"), ("no_text", "none", None, None)),
        (Hit(text=" \n"), ("no_text", "none", None, None)),
        (Hit(), ("opaque", "none", None, None)),
        (Hit(path="keys.md", characters=Characters(8, 23)), ("exact", "characters", "keys.md", "3-3")),
        (Hit(path="keys.md", characters=Characters(8, 99)), ("past_end", "none", "keys.md", None)),
    ],
)
def test_a_hit_is_located_by_the_first_that_applies(
    corpus: FolderCorpus, hit: Hit, expected: tuple[str, str, str | None, str | None]
) -> None:
    assert located(Placer(corpus, RULES), hit) == expected


GUIDE = """# Keys

Every service has a key of its own.

## Rotation

Make a new key, put it where the service reads it, and only then revoke the old one.
The old key works for one more day.

## Revocation

A leaked key is revoked at once by the person who finds the leak, without waiting for anyone.
"""
ROTATION = "Make a new key, put it where the service reads it, and only then revoke the old one."


@pytest.fixture
def guide(tmp_path: Path) -> Placer:
    (tmp_path / "guide.md").write_text(GUIDE)
    return Placer(FolderCorpus.open(tmp_path, root=tmp_path))


@pytest.mark.parametrize("prefix", ["Title: Keys\nSection: Rotation of keys\n", "Handbook, about keys: ", ""])
def test_chunk_with_context_prefix_is_located_at_its_own_lines(guide: Placer, prefix: str) -> None:
    text = prefix + ROTATION
    start = GUIDE.index(ROTATION)
    hit = Hit(path="guide.md", text=text, characters=Characters(start, start + len(text)))
    [found] = guide.place_hits([hit])
    assert (found.start, found.end, found.start_char) == (7, 7, start)
    assert GUIDE[start : found.end_char] in (ROTATION, ROTATION[:-1])


def test_chunk_whose_text_is_nowhere_has_a_file_only(guide: Placer) -> None:
    text = "Nothing of this text is in the guide, although the system says where it begins."
    hit = Hit(path="guide.md", text=text, characters=Characters(10, 10 + len(text)))
    assert located(guide, hit) == ("file", "declared", "guide.md", None)


def test_derived_range_of_a_repeated_text_is_the_nearest(tmp_path: Path) -> None:
    text = f"{ROTATION}\n" + "\nSome other line.\n" * 9 + f"\n{ROTATION}\n"
    (tmp_path / "a.md").write_text(text)
    placer = Placer(FolderCorpus.open(tmp_path, root=tmp_path))
    for start, line in ((0, 1), (text.rindex(ROTATION), text.count("\n"))):
        chunk = f"About keys: {ROTATION}"
        hit = Hit(path="a.md", text=chunk, characters=Characters(start, start + len(chunk)))
        assert located(placer, hit) == ("exact", "part", "a.md", f"{line}-{line}")


@pytest.mark.parametrize(
    ("lines", "text", "expected"),
    [
        (Lines(7, 8), ROTATION, ("declared", "7-8")),
        (Lines(11, 12), ROTATION, ("text", "7-7")),
        (Lines(11, 12), ROTATION.replace("key", "<em>key</em>"), ("text", "7-7")),
        (Lines(7, 8), ROTATION.replace("key", "<em>key</em>"), ("declared", "7-8")),
        (Lines(7, 8), f"… {ROTATION[:40]} … {ROTATION[50:]}", ("declared", "7-8")),
        (Lines(5, 8), f"Keys / Rotation of keys\n{ROTATION}", ("declared", "5-8")),
        (Lines(3, 3), "How somebody gets a new key and what becomes of the old", ("unverified", "3-3")),
        (Lines(3, 3), "revoke the old one", ("declared", "3-3")),
    ],
)
def test_declared_lines_give_way_only_to_a_text_that_is_elsewhere(
    guide: Placer, lines: Lines, text: str, expected: tuple[str, str]
) -> None:
    where, how, path, found = located(guide, Hit(path="guide.md", lines=lines, text=text))
    assert (where, how, path, found) == ("exact", expected[0], "guide.md", expected[1])


def test_corrected_lines_are_stored_beside_those_that_were_given(guide: Placer) -> None:
    hit = Hit(path="guide.md", lines=Lines(11, 12), text=ROTATION)
    found, _ = hits_and_texts({"q": Ranking((hit,))}, place=guide.place)
    row = found.row(0, named=True)
    assert (row["start"], row["end"], row["strategy"]) == (7, 7, "text")
    assert row["given"] == {"path": "guide.md", "start": 11, "end": 12}


def test_stored_run_with_lines_is_located_there(guide: Placer, tmp_path: Path) -> None:
    run = tmp_path / "run.jsonl"
    hits = [{"path": "guide.md", "lines": "7-8"}, {"path": "guide.md", "lines": [11, 12]}]
    run.write_text(json.dumps({"query": "q", "hits": hits}) + "\n")
    [shard] = placed_run(read_jsonl_run(run), guide).shards()
    rows = shard.scan_hits(("path", "start", "end", "class", "strategy")).collect().rows()
    assert rows == [
        ("guide.md", 7, 8, "exact", "declared"),
        ("guide.md", 11, 12, "exact", "declared"),
    ]


def test_several_places_are_all_kept_up_to_five(tmp_path: Path) -> None:
    for number in range(6):
        (tmp_path / f"{number}.md").write_text(f"# Page {number}\n\nThe same words on so many pages.\n")
    files = FolderCorpus.open(tmp_path, root=tmp_path)
    [found] = Placer(files).place_hits([Hit(text="The same words on so many pages.")])
    assert (found.hit_class, found.copies) == (HitClass.SEVERAL, ())
    (tmp_path / "5.md").unlink()
    files = FolderCorpus.open(tmp_path, root=tmp_path)
    [found] = Placer(files).place_hits([Hit(text="The same words on so many pages.")])
    assert [one.path for one in found.copies] == [f"{number}.md" for number in range(5)]
    assert {(one.start, one.end, one.start_char, one.end_char) for one in found.copies} == {(3, 3, 10, 41)}


def test_headings_of_one_name_are_told_apart_up_to_five(tmp_path: Path) -> None:
    for number in (5, 6):
        (tmp_path / f"{number}.md").write_text("# Page\n" + "\n## Same\n\ntext\n" * number)
    files = FolderCorpus.open(tmp_path, root=tmp_path)
    few, many = Placer(files).place_hits([Hit(id="5.md#Page/Same"), Hit(id="6.md#Page/Same")])
    assert (few.hit_class, len(few.copies)) == (HitClass.SEVERAL, 5)
    assert (many.hit_class, many.copies) == (HitClass.SEVERAL, ())


@pytest.mark.parametrize(("unit", "start", "end"), [("characters", 6, 9), ("bytes", 9, 13), ("utf16", 7, 10)])
def test_offsets_are_counted_in_characters_bytes_and_utf16(
    tmp_path: Path, unit: Unit, start: int, end: int
) -> None:
    (tmp_path / "a.md").write_text("a𝄞b\nc\nöäü\n", encoding="utf-8")
    files = FolderCorpus.open(tmp_path, root=tmp_path)
    [found] = Placer(files).place_hits([Hit(path="a.md", characters=Characters(start, end, unit))])
    text = "a𝄞b\nc\nöäü\n"[found.start_char or 0 : found.end_char]
    assert (text, found.start, found.end) == ("öäü" if unit != "bytes" else "öä", 3, 3)


def test_everything_else_about_a_hit_stays(corpus: FolderCorpus) -> None:
    hit = Hit(id="c7", score=1.5, text="Rotate the key", tokens=3)
    found, _ = hits_and_texts({"q": Ranking((hit,))}, place=Placer(corpus).place)
    kept = found.select("id", "path", "start", "end", "score", "tokens").row(0)
    assert kept == ("c7", "keys.md", 5, 6, 1.5, 3)


def test_a_path_that_is_no_place_stays_as_the_id() -> None:
    first, second = Placer(None).place_hits(
        [Hit(path="/etc/passwd", lines=Lines(1, 2)), Hit(id="x", path="/etc/passwd")]
    )
    assert first[:4] == ("/etc/passwd", None, None, None)
    assert second[:4] == ("x", None, None, None)


def test_without_a_corpus_an_id_is_all_there_is() -> None:
    placer = Placer(None, RULES)
    assert located(placer, Hit(id="keys.md:1-2", text="x")) == ("opaque", "none", None, None)
    assert located(placer, Hit(id="https://docs.example.org/keys")) == ("file", "map", "keys.md", None)
    assert located(placer, Hit(id="https://docs.example.org/keys#a")) == ("file", "map", "keys.md", None)
    assert located(placer, Hit(text="x")) == ("opaque", "none", None, None)
    assert located(placer, Hit(path="a.md", lines=Lines(1, 9))) == ("exact", "declared", "a.md", "1-9")
    assert located(placer, Hit(path="a.md")) == ("file", "declared", "a.md", None)


def test_rules_that_matched_nothing_are_told(corpus: FolderCorpus) -> None:
    placer = Placer(corpus, RULES)
    assert len(placer.unused_rules) == 2
    placer.place_hits([Hit(id="https://docs.example.org/keys"), Hit(text="same"), Hit(id="x"), Hit(path="y")])
    assert list(placer.unused_rules) == [RULES[0]]


def test_hits_that_need_rules_and_hits_that_do_not_keep_their_order(corpus: FolderCorpus) -> None:
    hits = tuple(
        Hit(path="keys.md", lines=Lines(number, number)) if number % 3 else Hit(id="keys.md#Key rotation")
        for number in range(1, 11)
    )
    table, _ = hits_and_texts({"q": Ranking(hits)}, place=Placer(corpus).place)
    assert table["rank"].to_list() == list(range(1, 11))
    assert table["start"].to_list() == [number if number % 3 else 3 for number in range(1, 11)]


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (
            MapRule("(", "x"),
            (
                "map[0].from: found '(' (missing ), unterminated subpattern at position 0), "
                "expected a regular expression"
            ),
        ),
        (
            MapRule("(.*)", r"\g<page>.md"),
            (
                r"map[0].to: found '\\g<page>.md' (unknown group name 'page'), expected a template; "
                r"the pattern has 1 groups; write \1 or \g<name> for them"
            ),
        ),
        (
            MapRule(".*", r"\1.md"),
            (
                r"map[0].to: found '\\1.md' (invalid group reference 1 at position 1), expected a template; "
                r"the pattern has 0 groups; write \1 or \g<name> for them"
            ),
        ),
    ],
)
def test_a_rule_that_cannot_be_used_is_refused(rule: MapRule, told: str) -> None:
    with pytest.raises(InputError) as caught:
        Placer(None, [rule])
    assert str(caught.value) == told


RECORDS = {
    "a.md:1-2": "rotate the key, and rotate the key again",
    "b": "Rotate logs",
    "c": "same text",
    "d": "same text",
    "GET /x": "list everything",
}


@pytest.fixture
def records() -> RecordsCorpus:
    return RecordsCorpus.of(RECORDS, "r.jsonl")


@pytest.mark.parametrize(
    ("hit", "where", "how", "name"),
    [
        (Hit(id="b"), "exact", "id", "b"),
        (Hit(id="a.md:1-2"), "exact", "id", "a.md:1-2"),
        (Hit(id="GET /x", text="rotate the key"), "exact", "id", "GET /x"),
        (Hit(path="b", lines=Lines(1, 2)), "exact", "id", "b"),
        (Hit(id="b", path="a.md", lines=Lines(1, 2)), "exact", "id", "b"),
        (Hit(id="chunk-7", path="b"), "exact", "id", "b"),
        (Hit(id="https://example.org/b"), "exact", "map", "b"),
        (Hit(path="https://example.org/a.md:1-2"), "exact", "map", "a.md:1-2"),
        (Hit(id="https://example.org/none", text="Rotate logs"), "exact", "text", "b"),
        (Hit(id="chunk-8", text="rotate\n the key"), "exact", "text", "a.md:1-2"),
        (Hit(text="list  everything"), "exact", "text", "GET /x"),
        (Hit(id="chunk-9", text="same text"), "several", "text", "chunk-9"),
        (Hit(id="chunk-10", text="nowhere"), "no_file", "none", "chunk-10"),
        (Hit(id="./b"), "no_file", "none", "./b"),
        (Hit(path="/etc/passwd"), "no_file", "none", "/etc/passwd"),
        (Hit(), "no_text", "none", None),
    ],
)
def test_a_hit_finds_its_record(
    records: RecordsCorpus, hit: Hit, where: str, how: str, name: str | None
) -> None:
    placer = Placer(records, [MapRule("https://example[.]org/(.*)", r"\1")])
    assert located(placer, hit) == (where, how, None, None)
    assert placer.place_hits([hit])[0].id == name


def test_a_text_that_stands_in_a_record_twice_and_in_another_stands_in_several() -> None:
    corpus = RecordsCorpus.of({"a": "x y x y", "b": "x y"}, "r.jsonl")
    [found] = Placer(corpus).place_hits([Hit(text="x y")])
    assert (found.hit_class, [one.id for one in found.copies]) == (HitClass.SEVERAL, ["a", "b"])


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("key", "no_text"),
        ("keyboard is", "exact"),
        ("board is black and", "no_text"),
        ("board is black and not new", "exact"),
        ("钥匙", "exact"),
    ],
)
def test_a_short_text_stands_at_whole_words(tmp_path: Path, text: str, where: str) -> None:
    """A long one may be cut anywhere, as chunkers do; some scripts write no spaces."""
    (tmp_path / "a.md").write_text("The keyboard is black and not new.\n轮换钥匙的方法\n", encoding="utf-8")
    assert located(Placer(FolderCorpus.open(tmp_path, root=tmp_path)), Hit(text=text))[0] == where
