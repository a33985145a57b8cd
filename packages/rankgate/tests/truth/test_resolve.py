"""Targets become lines of a corpus, or are all told at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgate.corpora.corpus import Corpus
from rankgate.corpora.folder import FolderCorpus
from rankgate.corpora.records import RecordsCorpus
from rankgate.errors import Code, FormatError, InputError
from rankgate.locations import Lines, Location
from rankgate.model import Case, CorpusSource, Suite, Target, Top
from rankgate.suites.asked_suite import asked_suite
from rankgate.suites.native import parse_suite
from rankgate.truth import resolve as locations
from rankgate.truth.lookup import CorpusReader, Miss
from rankgate.truth.resolve import ResolvedTop

KEYS = """\
# Keys

## Rotation

Text.

### Steps

## Key  expiry: why?

### Steps

# Rotation of logs
"""
STORE = """\
class Store:
    def rotate(self): ...

    class Inner:
        def rotate(self): ...

def rotate(): ...
def unique(): ...
"""


def resolve(suite: Suite, corpus: Corpus | None) -> locations.Truth:
    """Locate the targets of a suite, and raise an error for every location that is not in the documents."""
    truth, reader = locations.resolve(suite, corpus), CorpusReader(corpus)
    problems = {
        location: Code.TARGET_NOT_FOUND(
            case.where or f"case {case.id}", *reader.lookup.explain(location, found)
        )
        for case in suite.cases
        for location in (*(one.location for one in case.targets), *(one.location for one in case.top))
        if isinstance(found := reader.find(location), Miss)
    }
    if problems:
        raise InputError(list(problems.values()))
    return truth


@pytest.fixture
def corpus(tmp_path: Path) -> FolderCorpus:
    files = {
        "auth/keys.md": KEYS,
        "store.py": STORE,
        "bad.py": "def (",
        "notes.txt": "one\ntwo\n",
        "blob.bin": "\0",
        "twice.md": "# A\n## B\n# C\n## B\n## B\n",
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    return FolderCorpus.open(tmp_path, root=tmp_path)


def suite(*places: str) -> Suite:
    targets = tuple(Target(Location.at(place)) for place in places)
    return Suite(
        "s", (Case("c", "q", targets, where="s.yaml:4:5"),), corpus=CorpusSource("docs/"), path="s.yaml"
    )


@pytest.mark.parametrize(
    ("place", "row"),
    [
        ("auth/keys.md", (None, None, "path")),
        ("auth/keys.md:2-13", (2, 13, "lines")),
        ("auth/keys.md#rotation", (3, 8, "heading")),
        ("auth/keys.md#Keys/Rotation", (3, 8, "heading")),
        ("auth/keys.md#Rotation/Steps", (7, 8, "heading")),
        ("auth/keys.md#KEY expiry:   why?", (9, 12, "heading")),
        ("auth/keys.md#key-expiry-why", (9, 12, "heading")),
        ("auth/keys.md#Keys", (1, 12, "heading")),
        ("twice.md#A/B", (2, 2, "heading")),
        ("store.py::Store", (1, 5, "symbol")),
        ("store.py::Store.rotate", (2, 2, "symbol")),
        ("store.py::Inner.rotate", (5, 5, "symbol")),
        ("store.py::rotate", (7, 7, "symbol")),
    ],
)
def test_a_place_becomes_lines(
    corpus: FolderCorpus, place: str, row: tuple[int | None, int | None, str]
) -> None:
    truth = resolve(suite(place), corpus)
    assert truth.judgments.targets.select("start", "end", "strategy").rows() == [row]
    assert truth.counts == {row[2]: 1}


@pytest.mark.parametrize(
    ("place", "told"),
    [
        (
            "keys.md#Rotation",
            "found 'keys.md#Rotation', expected a file of the corpus; did you mean auth/keys.md?",
        ),
        ("auth/kys.md", "found 'auth/kys.md', expected a file of the corpus; did you mean auth/keys.md?"),
        ("zzz", "found 'zzz', expected a file of the corpus"),
        (
            "blob.bin",
            "found 'blob.bin', expected a file of the corpus; it is there but binary, and was skipped",
        ),
        (
            "auth/keys.md:10-14",
            "found 'auth/keys.md:10-14', expected lines up to 13, the last of auth/keys.md",
        ),
        (
            "auth/keys.md#Rotaton",
            (
                "found 'auth/keys.md#Rotaton', expected a section of auth/keys.md; did "
                "you mean auth/keys.md#Rotation?"
            ),
        ),
        (
            "auth/keys.md#Key/Rotaton",
            (
                "found 'auth/keys.md#Key/Rotaton', expected a section of auth/keys.md; "
                "did you mean auth/keys.md#Rotation?"
            ),
        ),
        (
            "auth/keys.md#Steps",
            (
                "found 'auth/keys.md#Steps', 2 sections of that name: lines 7, 11, "
                "expected one section; write more of "
                "the path, such as auth/keys.md#Keys/Rotation/Steps, or lines, such as auth/keys.md:7-8"
            ),
        ),
        (
            "twice.md#B",
            (
                "found 'twice.md#B', 3 sections of that name: lines 2, 4, 5, expected one section; "
                "write lines, such as twice.md:2-2"
            ),
        ),
        (
            "store.py::Store.rotat",
            (
                "found 'store.py::Store.rotat', expected a symbol of store.py; "
                "did you mean store.py::Store.rotate or store.py::Store.Inner.rotate?"
            ),
        ),
        (
            "bad.py::f",
            (
                "found 'bad.py::f' in a file that cannot be outlined, expected a "
                "symbol of bad.py; bad.py:1: found a "
                "syntax error (invalid syntax), expected Python; name lines instead of a symbol, path:10-50"
            ),
        ),
        (
            "notes.txt#A",
            (
                "found 'notes.txt#A', expected a file whose sections are known; write "
                "lines instead, notes.txt:10-50"
            ),
        ),
        ("store.py#Store", "found 'store.py#Store', expected a section of store.py"),
    ],
)
def test_a_place_that_is_not_there_is_told_with_near_misses(
    corpus: FolderCorpus, place: str, told: str
) -> None:
    with pytest.raises(InputError) as caught:
        resolve(suite(place), corpus)
    assert str(caught.value) == f"s.yaml:4:5: {told}"


def test_a_target_that_is_also_a_top_is_told_once(corpus: FolderCorpus) -> None:
    place = Location.at("x.md")
    with pytest.raises(InputError) as caught:
        resolve(Suite("s", (Case("c", "q", (Target(place),), top=(Top(place),)),)), corpus)
    assert str(caught.value) == "case c: found 'x.md', expected a file of the corpus"


def test_judgments_carry_everything_that_a_suite_says(corpus: FolderCorpus) -> None:
    text = """\
corpus: docs
scale: 3
match: path
cases:
- {query: a, at: {'auth/keys.md#Rotation': 3}, id: x, weight: 2, category: exact, tags: [t], group: g}
- {query: b, any_of: [[notes.txt, 'store.py::unique']], source: proposed, exhaustive: true}
- {query: c, expect: empty}
- {query: d, top: [{at: 'auth/keys.md#Rotation', within: 2}, {id: y}, {at: notes.txt}]}
"""
    found = asked_suite(parse_suite(text, Path("s.yaml")))
    truth = resolve(found, corpus)
    judgments = truth.judgments
    assert judgments.targets.rows() == [
        ("a", 0, None, 3.0, None, "auth/keys.md", 3, 8, "heading", "person", True, None, None, None),
        ("a", 1, None, 1.0, "x", None, None, None, "id", "person", True, None, None, None),
        ("b", 0, "any-1", 1.0, None, "notes.txt", None, None, "path", "proposed", False, None, None, None),
        ("b", 1, "any-1", 1.0, None, "store.py", 8, 8, "symbol", "proposed", False, None, None, None),
    ]
    assert judgments.cases.rows() == [
        ("a", "a", 2.0, False, False, "exact", ["t"], "g", False),
        ("b", "b", 1.0, True, False, None, [], None, False),
        ("c", "c", 1.0, False, True, None, [], None, False),
        ("d", "d", 1.0, False, False, None, [], None, False),
    ]
    assert (judgments.suite, judgments.corpus) == (found.fingerprint, corpus.fingerprint)
    assert (judgments.max_grade, judgments.matching) == (3.0, found.matching)
    assert truth.counts == {"heading": 1, "id": 1, "path": 1, "symbol": 1}
    tops = found.cases[3].top
    assert truth.tops == {
        "d": (
            ResolvedTop(tops[0], path="auth/keys.md", start=3, end=8),
            ResolvedTop(tops[1], id="y"),
            ResolvedTop(tops[2], path="notes.txt"),
        )
    }


def test_without_a_corpus_only_names_need_one() -> None:
    location = Location(path="a.md", lines=Lines(1, 2))
    truth = resolve(Suite("s", (Case("c", "q", (Target(Location(id="x")), Target(location))),)), None)
    assert truth.counts == {"id": 1, "lines": 1}
    assert truth.judgments.corpus is None
    with pytest.raises(InputError) as caught:
        resolve(suite("a.md#B"), None)
    assert str(caught.value) == (
        "s.yaml:4:5: found 'a.md#B', expected a corpus to find the section in; "
        "name the suite's corpus, or write path:10-50"
    )


def test_one_place_with_two_grades_is_refused_however_it_is_written(corpus: FolderCorpus) -> None:
    targets = (
        Target(Location.at("auth/keys.md#Rotation"), 1),
        Target(Location.at("auth/keys.md:3-8"), 2),
    )
    with pytest.raises(FormatError, match=r"'auth/keys.md:3-8' with grades 1, 2, expected one grade"):
        resolve(Suite("s", (Case("c", "q", targets),)), corpus)


@pytest.fixture
def records() -> RecordsCorpus:
    names = ("getBanner", "setBanner", "docs/a.md:1-2")
    return RecordsCorpus.of(dict.fromkeys(names, "text"), "r.jsonl")


def about(location: Location) -> Suite:
    return Suite("s", (Case("c", "q", (Target(location),), where="s.yaml:4:5"),), path="s.yaml")


def test_the_id_of_a_record_is_looked_up_and_never_parsed(records: RecordsCorpus) -> None:
    for name in records.paths():
        truth = resolve(about(Location.of_id(name)), records)
        assert truth.judgments.targets.select("id", "path", "strategy").rows() == [(name, None, "id")]


@pytest.mark.parametrize(
    ("location", "told"),
    [
        (
            Location.of_id("getbanner"),
            "found 'getbanner', expected the id of a record of the corpus; did you mean getBanner?",
        ),
        (
            Location.of_id("getBaner"),
            (
                "found 'getBaner', expected the id of a record of the corpus; "
                "did you mean getBanner or setBanner?"
            ),
        ),
        (Location.of_id("zzz"), "found 'zzz', expected the id of a record of the corpus"),
        (
            Location.at("docs/a.md:1-2"),
            (
                "found the location 'docs/a.md:1-2' in a corpus of records, which have ids and no locations, "
                "expected an id; write id: docs/a.md:1-2"
            ),
        ),
    ],
)
def test_what_is_no_record_is_told_with_near_misses(
    records: RecordsCorpus, location: Location, told: str
) -> None:
    with pytest.raises(InputError) as caught:
        resolve(about(location), records)
    assert str(caught.value) == f"s.yaml:4:5: {told}"


def test_beside_files_an_id_stays_opaque(corpus: FolderCorpus) -> None:
    assert resolve(about(Location.of_id("nowhere")), corpus).counts == {"id": 1}


@pytest.mark.parametrize("place", ["log.md#1.0.0", "log.md#C", "log.md#10,0"])
def test_a_title_that_is_not_there_is_not_the_anchor_of_another(tmp_path: Path, place: str) -> None:
    """As anchors, 1.0.0 and 10.0 are both 100, and C and C++ are both c."""
    (tmp_path / "log.md").write_text("## 10.0\ntext\n## C++\ntext\n")
    with pytest.raises(InputError, match=r"expected a section of log[.]md"):
        resolve(suite(place), FolderCorpus.open(tmp_path, root=tmp_path))


def test_what_is_written_as_an_anchor_is_one(tmp_path: Path) -> None:
    (tmp_path / "log.md").write_text("## 10.0\ntext\n## C++\ntext\n")
    truth = resolve(suite("log.md#100", "log.md#c"), FolderCorpus.open(tmp_path, root=tmp_path))
    assert truth.judgments.targets["start"].to_list() == [1, 3]
