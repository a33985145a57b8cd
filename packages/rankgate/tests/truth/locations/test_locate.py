"""Hits find their place, or are counted as those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.corpora.records import RecordCollector, RecordsCorpus
from rankgate.errors import InputError
from rankgate.model import Hit, Lines, MapRule
from rankgate.truth.locations.locate import STRATEGIES, Locator

if TYPE_CHECKING:
    from pathlib import Path

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


def located(locator: Locator, hit: Hit) -> tuple[str, str | None, str | None]:
    """Give the strategy that was counted, the path and the lines."""
    before = dict(locator.counts)
    found = locator.locate(hit)
    [strategy] = [name for name in STRATEGIES if locator.counts[name] != before[name]]
    return strategy, found.path, str(found.lines) if found.lines else None


@pytest.mark.parametrize(
    ("hit", "expected"),
    [
        (Hit(path=".\\a//b.md", lines=Lines(1, 2)), ("declared", "a/b.md", "1-2")),
        (Hit(id="keys.md:1-2", path="x.md"), ("declared", "x.md", None)),
        (Hit(path="/etc/passwd", lines=Lines(1, 2)), ("unlocated", None, None)),
        (Hit(path="../keys.md", text="Rotate the key"), ("unlocated", None, None)),
        (Hit(path="/srv/docs/keys"), ("map", "keys.md", None)),
        (Hit(id="https://docs.example.org/keys"), ("map", "keys.md", None)),
        (Hit(id="https://docs.example.org/keys#key-rotation"), ("map", "keys.md", "3-7")),
        (Hit(id="https://docs.example.org/keys#steps"), ("map", "keys.md", "8-11")),
        (Hit(id="https://docs.example.org/keys#Steps"), ("ambiguous", "keys.md", None)),
        (Hit(id="https://docs.example.org/keys#none"), ("file_only", "keys.md", None)),
        (Hit(id="https://docs.example.org/gone"), ("unlocated", None, None)),
        (Hit(id="https://docs.example.org/../x"), ("unlocated", None, None)),
        (Hit(id="see https://docs.example.org/keys"), ("unlocated", None, None)),
        (Hit(id="keys.md"), ("id", "keys.md", None)),
        (Hit(path="keys.md", text="Rotate the\tkey"), ("text", "keys.md", "5-6")),
        (Hit(id="keys.md", text="Rotate the key"), ("text", "keys.md", "5-6")),
        (Hit(path="/srv/docs/keys", text="same"), ("text", "keys.md", "10-10")),
        (Hit(path="keys.md", lines=Lines(1, 1), text="Rotate the key"), ("declared", "keys.md", "1-1")),
        (Hit(path="keys.md", text="Steps"), ("declared", "keys.md", None)),
        (Hit(path="keys.md", text="nowhere"), ("declared", "keys.md", None)),
        (Hit(path="gone.md", text="Rotate the key"), ("declared", "gone.md", None)),
        (Hit(path="keys.md", text=""), ("declared", "keys.md", None)),
        (Hit(id="./keys.md:2-3"), ("id", "keys.md", "2-3")),
        (Hit(id="keys.md:2-99"), ("id", "keys.md", "2-99")),
        (Hit(id="keys.md#Key Rotation"), ("id", "keys.md", "3-7")),
        (Hit(id="f.py::f"), ("id", "f.py", "1-2")),
        (Hit(id="f.py::g"), ("file_only", "f.py", None)),
        (Hit(id="odd#1.md"), ("id", "odd#1.md", None)),
        (Hit(id="docs/keys.md"), ("unlocated", None, None)),
        (Hit(id="chunk 7", text=" Rotate the key\tnow. "), ("text", "keys.md", "5-6")),
        (Hit(text="## Key rotation\n\nRotate"), ("text", "keys.md", "3-5")),
        (Hit(text="same"), ("ambiguous", None, None)),
        (Hit(text="Steps"), ("ambiguous", None, None)),
        (Hit(text="not there"), ("unlocated", None, None)),
        (Hit(text="now. ## Steps same ## Steps same"), ("unlocated", None, None)),
        (Hit(text=" \n"), ("unlocated", None, None)),
        (Hit(), ("unlocated", None, None)),
    ],
)
def test_a_hit_is_located_by_the_first_that_applies(
    corpus: FolderCorpus, hit: Hit, expected: tuple[str, str | None, str | None]
) -> None:
    assert located(Locator(corpus, RULES), hit) == expected


def test_everything_else_about_a_hit_stays(corpus: FolderCorpus) -> None:
    hit = Hit(id="c7", score=1.5, text="Rotate the key", tokens=3)
    found = Locator(corpus).locate(hit)
    assert found == Hit("c7", "keys.md", Lines(5, 6), 1.5, "Rotate the key", 3)


def test_a_path_that_is_no_place_stays_as_the_id() -> None:
    assert Locator(None).locate(Hit(path="/etc/passwd", lines=Lines(1, 2))) == Hit(id="/etc/passwd")
    assert Locator(None).locate(Hit(id="x", path="/etc/passwd")) == Hit(id="x")


def test_without_a_corpus_an_id_is_all_there_is() -> None:
    locator = Locator(None, RULES)
    assert located(locator, Hit(id="keys.md:1-2", text="x")) == ("opaque", None, None)
    assert located(locator, Hit(id="https://docs.example.org/keys")) == ("map", "keys.md", None)
    assert located(locator, Hit(id="https://docs.example.org/keys#a")) == ("file_only", "keys.md", None)
    assert located(locator, Hit(text="x")) == ("unlocated", None, None)


def test_counts_and_rules_that_matched_nothing_are_told(corpus: FolderCorpus) -> None:
    locator = Locator(corpus, RULES)
    assert len(locator.unused_rules) == 2
    for hit in (Hit(id="https://docs.example.org/keys"), Hit(text="same"), Hit(id="x"), Hit(path="y")):
        locator.locate(hit)
    assert locator.counts == dict.fromkeys(STRATEGIES, 0) | {
        "map": 1,
        "ambiguous": 1,
        "unlocated": 1,
        "declared": 1,
    }
    assert list(locator.unused_rules) == [RULES[0]]


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
        Locator(None, [rule])
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
    gathering = RecordCollector("r.jsonl")
    for number, (name, text) in enumerate(RECORDS.items(), 1):
        gathering.add(name, text, f"r.jsonl:{number}")
    return gathering.corpus()


@pytest.mark.parametrize(
    ("hit", "strategy", "name"),
    [
        (Hit(id="b"), "id", "b"),
        (Hit(id="a.md:1-2"), "id", "a.md:1-2"),
        (Hit(id="GET /x", text="rotate the key"), "id", "GET /x"),
        (Hit(path="b", lines=Lines(1, 2)), "id", "b"),
        (Hit(id="chunk-7", path="b"), "id", "b"),
        (Hit(id="https://example.org/b"), "map", "b"),
        (Hit(path="https://example.org/a.md:1-2"), "map", "a.md:1-2"),
        (Hit(id="https://example.org/none", text="Rotate logs"), "unlocated", "https://example.org/none"),
        (Hit(id="chunk-8", text="rotate\n the key"), "text", "a.md:1-2"),
        (Hit(text="list  everything"), "text", "GET /x"),
        (Hit(id="chunk-9", text="same text"), "ambiguous", "chunk-9"),
        (Hit(id="chunk-10", text="nowhere"), "unlocated", "chunk-10"),
        (Hit(id="./b"), "unlocated", "./b"),
        (Hit(path="/etc/passwd"), "unlocated", "/etc/passwd"),
        (Hit(), "unlocated", None),
    ],
)
def test_a_hit_finds_its_record(records: RecordsCorpus, hit: Hit, strategy: str, name: str | None) -> None:
    locator = Locator(records, [MapRule("https://example[.]org/(.*)", r"\1")])
    assert located(locator, hit) == (strategy, None, None)
    found = locator.locate(hit)
    assert found.id == name
    assert found.text == hit.text


def test_a_text_that_stands_in_a_record_twice_and_in_another_is_ambiguous() -> None:
    gathering = RecordCollector("r.jsonl")
    for name, text in {"a": "x y x y", "b": "x y"}.items():
        gathering.add(name, text, "r.jsonl:1")
    assert located(Locator(gathering.corpus()), Hit(text="x y"))[0] == "ambiguous"


@pytest.mark.parametrize(
    ("text", "strategy"),
    [
        ("key", "unlocated"),
        ("keyboard is", "text"),
        ("board is black and", "unlocated"),
        ("board is black and not new", "text"),
        ("钥匙", "text"),
    ],
)
def test_a_short_text_stands_at_whole_words(tmp_path: Path, text: str, strategy: str) -> None:
    """A long one may be cut anywhere, as chunkers do; some scripts write no spaces."""
    (tmp_path / "a.md").write_text("The keyboard is black and not new.\n轮换钥匙的方法\n", encoding="utf-8")
    locator = Locator(FolderCorpus.open(tmp_path, root=tmp_path))
    locator.locate(Hit(text=text))
    assert locator.counts[strategy] == 1
