"""Anchors pin the texts of targets, and their file is read with distrust."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.corpora.folder import FolderCorpus
from rankgate.corpora.records import RecordsCorpus
from rankgate.errors import FormatError
from rankgate.locations import Location
from rankgate.model import Case, CorpusSource, Suite, Target, Top, anchor
from rankgate.truth.anchors import (
    AnchorComparison,
    Anchors,
    AnchorState,
    TextRecord,
    anchor_of,
    anchors_path,
    anchors_text,
    compare,
    read_anchors,
    updated,
    write_anchors,
)
from rankgate.truth.lint import Finding, lint
from rankgate.truth.lookup import CorpusReader

if TYPE_CHECKING:
    from pathlib import Path

TEXT = "# Keys\n\n## Rotation\n\nEvery 90 days.\n\n## Revoking\n\nAt once.\n"


def suite_of(*places: str, **more: object) -> Suite:
    targets = tuple(Target(Location.at(place)) for place in places)
    return Suite("s", (Case("q", "q", targets, **more),), corpus=CorpusSource("docs"))  # type: ignore[arg-type]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "keys.md").write_text(TEXT, encoding="utf-8")
    return tmp_path


def opened(folder: Path) -> FolderCorpus:
    return FolderCorpus.open(folder, root=folder)


def compared(folder: Path, suite: Suite, anchors: Anchors | None = None) -> AnchorComparison:
    return compare(suite, CorpusReader(opened(folder)), anchors or Anchors())


def anchored(folder: Path, suite: Suite) -> Anchors:
    return updated(compared(folder, suite), suite, opened(folder).fingerprint)


@pytest.mark.parametrize(
    ("place", "text"),
    [
        ("keys.md", TEXT),
        ("keys.md#Rotation", "## Rotation\n\nEvery 90 days.\n"),
        ("keys.md:9-9", "At once."),
        ("keys.md:3-5", "## Rotation\n\nEvery 90 days."),
    ],
)
def test_a_place_is_anchored_by_the_text_it_points_at(place: str, text: str, folder: Path) -> None:
    assert anchored(folder, suite_of(place)).cases == {"q": {place: anchor(text)}}


def test_an_opaque_id_has_no_anchor_and_a_top_has(folder: Path) -> None:
    case = Case("q", "q", (Target(Location.of_id("7")),), top=(Top(Location.at("keys.md:1")),))
    assert anchored(folder, Suite("s", (case,))).cases == {"q": {"keys.md:1-1": anchor("# Keys")}}


def test_a_record_is_anchored_by_its_text() -> None:
    records = RecordsCorpus("f", (), {"7": "seven"})
    suite = Suite("s", (Case("q", "q", (Target(Location.of_id("7")),)),))
    found = compare(suite, CorpusReader(records), Anchors())
    assert [place.now for place in found.locations] == [anchor("seven")]


def test_every_state_of_a_place_is_told(folder: Path) -> None:
    suite = suite_of("keys.md#Rotation", "keys.md#Revoking", "keys.md:1", "keys.md#Gone")
    kept = Anchors(
        cases={
            "q": {
                "keys.md#Rotation": anchor("other"),
                "keys.md#Revoking": anchor("## Revoking\n\nAt once."),
                "x.md": "a",
            },
            "old": {"keys.md": "b"},
        }
    )
    found = compared(folder, suite, kept)
    assert {str(place.location): place.state for place in found.locations} == {
        "keys.md#Rotation": AnchorState.CHANGED,
        "keys.md#Revoking": AnchorState.MATCHING,
        "keys.md:1-1": AnchorState.NEW,
        "keys.md#Gone": AnchorState.LOST,
    }
    assert found.left_over == (("q", "x.md"), ("old", "keys.md"))


def test_a_changed_text_keeps_its_anchor_until_it_is_accepted(folder: Path) -> None:
    suite = suite_of("keys.md#Rotation", "keys.md#Revoking")
    before = anchored(folder, suite)
    (folder / "keys.md").write_text(TEXT.replace("90", "30"), encoding="utf-8")
    found = compared(folder, suite, before)
    assert updated(found, suite, "f").cases == before.cases
    accepted = updated(found, suite, "f", accept=True).cases["q"]
    assert accepted["keys.md#Rotation"] == anchor("## Rotation\n\nEvery 30 days.")
    assert accepted["keys.md#Revoking"] == before.cases["q"]["keys.md#Revoking"]


def test_the_anchor_of_a_place_that_is_gone_from_the_corpus_is_kept_for_drift(folder: Path) -> None:
    suite = suite_of("keys.md#Rotation")
    before = anchored(folder, suite)
    (folder / "keys.md").write_text("# Keys\n", encoding="utf-8")
    assert updated(compared(folder, suite, before), suite, "f", accept=True).cases == before.cases


def test_moved_lines_and_white_space_at_the_ends_of_lines_change_nothing(folder: Path) -> None:
    suite = suite_of("keys.md#Rotation")
    before = anchored(folder, suite)
    (folder / "keys.md").write_bytes(("intro\n\n" + TEXT).replace("\n", " \r\n").encode())
    assert [place.state for place in compared(folder, suite, before).locations] == [AnchorState.MATCHING]


def test_the_file_is_readable_and_has_one_line_for_each_place(folder: Path) -> None:
    text = anchors_text(anchored(folder, suite_of("keys.md#Rotation", "keys.md:1")))
    assert json.loads(text)["corpus"] == {"kind": "folder", "place": "docs"}
    lines = [line.strip() for line in text.split("\n") if "keys.md" in line]
    section, first = anchor("## Rotation\n\nEvery 90 days."), anchor("# Keys")
    assert lines == [f'"keys.md#Rotation": "{section}",', f'"keys.md:1-1": "{first}"']


def test_the_order_of_cases_in_the_suite_does_not_show_in_the_file() -> None:
    one, other = {"b": {"z": "0", "a": "1"}, "a": {"x": "2"}}, {"a": {"x": "2"}, "b": {"a": "1", "z": "0"}}
    assert anchors_text(Anchors(cases=one)) == anchors_text(Anchors(cases=other))


@given(
    cases=st.dictionaries(
        st.text(max_size=9),
        st.dictionaries(
            st.text(max_size=9), st.text("0123456789abcdef", min_size=16, max_size=16), min_size=1
        ),
        max_size=4,
    ),
    options=st.dictionaries(
        st.text(max_size=5), st.text(max_size=5) | st.lists(st.text(max_size=5)).map(tuple), max_size=2
    ),
)
def test_what_is_written_is_read_again(
    cases: dict[str, dict[str, str]],
    options: dict[str, str | tuple[str, ...]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    path = tmp_path_factory.mktemp("anchors") / "s.anchors.json"
    anchors = Anchors(CorpusSource("docs.zip", "archive", options), "f", cases)
    write_anchors(anchors, path)
    assert read_anchors(path) == anchors


def test_no_file_is_no_anchors(tmp_path: Path) -> None:
    assert read_anchors(tmp_path / "s.anchors.json") is None
    assert anchors_path(tmp_path / "search.yaml") == tmp_path / "search.anchors.json"


def test_suites_of_one_stem_have_anchors_of_their_own(tmp_path: Path) -> None:
    for name in ("col.json", "col.csv", "col.jsonl.gz"):
        assert anchors_path(tmp_path / name) == tmp_path / f"{name}.anchors.json"
    assert anchors_path(tmp_path / "col.v2.YML") == tmp_path / "col.v2.anchors.json"


RECORD = (
    b'{"version": 2, "texts": {"a.md": {"text": "x", "path": "a.md", "start": 1, "end": 9, "size": 7, '
    b'"lines": "AAAAAA"}}}'
)


def test_record_of_a_text_is_read(tmp_path: Path) -> None:
    path = tmp_path / "s.anchors.json"
    path.write_bytes(RECORD)
    assert read_anchors(path) == Anchors(texts={"a.md": TextRecord("x", "a.md", 1, 9, 7, lines="AAAAAA")})


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "Invalid JSON"),
        (b"[]", "Input should be an object"),
        (b'{"version": 3, "cases": {}}', "version: Input should be 2"),
        (b'{"version": 2, "texts": []}', "texts: Input should be"),
        (b'{"version": 2, "texts": {"a.md": {"text": "x"}}}', "texts.a.md.path: Field required"),
        (RECORD.replace(b"7", b"-7"), "texts.a.md.size: Input should be greater"),
        (RECORD.replace(b"AAAAAA", b"AAAA"), "texts.a.md.lines: Value error, expected hashes"),
        (RECORD.replace(b"lines", b"line"), "texts.a.md.line: Unexpected"),
        (b'{"version": 2, "cases": []}', "cases: Input should be"),
        (b'{"version": 2, "cases": {"q": 1}}', "cases.q: Input should be"),
        (b'{"version": 2, "cases": {"q": {"a.md": "xyz"}}}', "cases.q.a.md: String should match"),
        (b'{"version": 2, "corpus": "docs"}', "corpus: Input should be an object"),
        (
            b'{"version": 2, "corpus": {"kind": "folder", "place": "x", "options": {"a": 1}}}',
            "corpus.options.a",
        ),
        (b'{"version": 2, "fingerprint": 3}', "fingerprint: Input should be a valid string"),
        (b'{"version": 2, "casses": {}}', "casses: Extra inputs are not permitted"),
        (b'{"version": NaN}', "version: Input should be 2"),
        (b"[" * 100_000, "Invalid JSON"),
        (b'{"version": 2, "cases": {"\\ud800": {}}}', "Invalid JSON"),
        (b"\xff\xfe", "not UTF-8"),
    ],
)
def test_a_file_that_is_not_right_is_refused_in_words(text: bytes, words: str, tmp_path: Path) -> None:
    path = tmp_path / "s.anchors.json"
    path.write_bytes(text)
    with pytest.raises(FormatError, match=words):
        read_anchors(path)


@given(
    data=st.binary(max_size=60)
    | st.recursive(
        st.none() | st.text() | st.integers(),
        lambda inner: st.dictionaries(
            st.sampled_from(["version", "corpus", "cases", "q", "kind", "place", "options"]), inner
        ),
    ).map(lambda value: json.dumps(value).encode())
)
def test_any_bytes_are_anchors_or_refused(data: bytes, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("anchors") / "s.anchors.json"
    path.write_bytes(data)
    with suppress(FormatError):
        assert isinstance(read_anchors(path), Anchors)


def test_half_of_a_surrogate_pair_is_anchored_too() -> None:
    assert anchor_of("a\ud800") == anchor("a?")


def of_rule(rule: str, folder: Path, suite: Suite, anchors: Anchors) -> list[Finding]:
    return [each for each in lint(suite, opened(folder), anchors=anchors) if each.rule == rule]


def test_lint_reports_changed_text(folder: Path) -> None:
    suite = suite_of("keys.md#Rotation", "keys.md#Revoking")
    before = anchored(folder, suite)
    assert of_rule("changed-target", folder, suite, before) == []
    (folder / "keys.md").write_text(TEXT.replace("90", "30"), encoding="utf-8")
    (told,) = of_rule("changed-target", folder, suite, before)
    assert told.message == (
        "The text of 'keys.md#Rotation' has changed since it was anchored. "
        "Check it with `rankgate suite fix SUITE`."
    )


def test_lint_counts_locations_without_anchor(folder: Path) -> None:
    suite = suite_of("keys.md#Rotation", "keys.md#Revoking")
    kept = Anchors(
        cases={
            "q": {"keys.md#Rotation": anchored(folder, suite).cases["q"]["keys.md#Rotation"]},
            "old": {"b": "0", "c": "1"},
        }
    )
    (told,) = of_rule("not-anchored", folder, suite, kept)
    assert "1 of 2 locations have no anchor" in told.message
    assert of_rule("not-anchored", folder, suite, anchored(folder, suite)) == []


def test_lint_reads_the_anchors_beside_the_suite(folder: Path) -> None:
    from dataclasses import replace

    suite = replace(suite_of("keys.md#Rotation"), path=str(folder / "s.yaml"))
    write_anchors(Anchors(cases={"q": {"keys.md#Rotation": "0" * 16}}), folder / "s.anchors.json")
    assert [each.rule for each in lint(suite, opened(folder))] == ["changed-target"]
    (folder / "s.anchors.json").write_text("{", encoding="utf-8")
    assert [each.rule for each in lint(suite, opened(folder))] == ["invalid-suite", "not-anchored"]


def test_a_section_that_another_now_follows_has_not_changed(folder: Path) -> None:
    suite = suite_of("keys.md#Revoking")
    before = anchored(folder, suite)
    (folder / "keys.md").write_text(f"{TEXT}\n## Storage\n\nIn a vault.\n", encoding="utf-8")
    assert [place.state for place in compared(folder, suite, before).locations] == [AnchorState.MATCHING]
