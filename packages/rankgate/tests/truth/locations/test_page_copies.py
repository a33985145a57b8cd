"""A hit on a declared copy of a page is a hit on the page."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.errors import InputError
from rankgate.evaluation.flow import evaluate
from rankgate.model import ExitCode
from rankgate.model.copies import copy_pattern
from rankgate.suites.formats import format_for, load_suite
from rankgate.truth.lint import lint
from rankgate.truth.locations.resolve import resolve

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model import Suite
    from rankgate.truth.locations.resolve import Truth

VERSIONS = ("v1", "v2", "v3")
SECTIONS = ("Rotation", "Expiry", "Scopes")
CASES = """
  - query: rotate a key
    at: docs/v1/keys.md#Rotation
  - query: when keys expire
    at: {docs/v2/keys.md#Expiry: 3, docs/v1/keys.md#Scopes: 1}
"""


def page(version: str, *, before: int = 0) -> str:
    """Return a page whose sections stand lower by some lines."""
    lines = "More of it.\n" * before
    return f"# Keys {version}\n\n{lines}" + "".join(
        f"\n## {name}\n\nAll about {name}.\n" for name in SECTIONS
    )


def write(folder: Path, files: dict[str, str], suite: str) -> Suite:
    for name, text in files.items():
        path = folder / "pages" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (folder / "s.yaml").write_text(f"corpus: pages/\n{suite}")
    return load_suite(folder / "s.yaml")


def versions(folder: Path, cases: str = CASES, copies: str = "docs/{version}/{page}") -> Suite:
    files = {f"docs/{one}/keys.md": page(one, before=at) for at, one in enumerate(VERSIONS)}
    return write(folder, files, f"metrics: [ndcg@5, r@5, ap@5, p@5]\ncopies: {copies}\ncases:{cases}")


def truth_of(suite: Suite, folder: Path) -> Truth:
    assert suite.corpus is not None
    return resolve(suite, open_source(suite.corpus, OpenContext(folder, folder)))


def located(truth: Truth) -> list[tuple[str, int | None, int | None, str | None]]:
    return list(truth.judgments.targets.select("path", "start", "end", "group").iter_rows())


def test_a_heading_is_found_in_every_copy_at_its_own_lines(tmp_path: Path) -> None:
    truth = truth_of(versions(tmp_path, "\n  - {query: rotate, at: docs/v1/keys.md#Rotation}"), tmp_path)
    assert located(truth) == [
        ("docs/v1/keys.md", 4, 7, "copies-1"),
        ("docs/v2/keys.md", 5, 8, "copies-1"),
        ("docs/v3/keys.md", 6, 9, "copies-1"),
    ]
    assert truth.counts == {"heading": 1, "copy": 2}


def test_lines_are_copied_where_the_text_is_the_same_and_quotes_where_they_stand(tmp_path: Path) -> None:
    cases = """
  - {query: rotate, at: "docs/v1/keys.md:6-6"}
  - {query: title, at: "docs/v1/keys.md:1-1"}
  - {query: scopes, quote: All about Scopes., path: docs/v1/keys.md}
  - {query: page, at: docs/v1/keys.md}
"""
    found = located(truth_of(versions(tmp_path, cases), tmp_path))
    assert [(path[5:7], start) for path, start, _, group in found if group is not None and start] == [
        *(("v1", 6), ("v2", 7), ("v3", 8)),
        *(("v1", 14), ("v2", 15), ("v3", 16)),
    ]
    assert ("docs/v1/keys.md", 1, 1, None) in found
    assert [path for path, start, _, _ in found if start is None] == [f"docs/{v}/keys.md" for v in VERSIONS]


def test_what_is_judged_in_a_copy_itself_keeps_its_judgment(tmp_path: Path) -> None:
    cases = """
  - query: rotate
    at: {docs/v1/keys.md#Rotation: 3, docs/v2/keys.md#Rotation: 1}
  - query: expiry
    at: {docs/v1/keys.md#Expiry: 2, docs/v3/keys.md#Expiry: 0}
"""
    targets = truth_of(versions(tmp_path, cases), tmp_path).judgments.targets
    rows = [(path[5:7], grade) for path, grade in targets.select("path", "grade").iter_rows()]
    assert rows == [("v1", 3.0), ("v3", 3.0), ("v2", 1.0), ("v1", 2.0), ("v2", 2.0), ("v3", 0.0)]


def test_alternatives_that_are_written_stay_one_group_with_their_copies(tmp_path: Path) -> None:
    cases = """
  - query: rotate
    any_of: [[docs/v1/keys.md#Rotation, docs/v1/keys.md#Scopes]]
"""
    found = located(truth_of(versions(tmp_path, cases), tmp_path))
    assert len(found) == 6
    assert len({group for *_, group in found}) == 1


def test_an_old_version_that_must_not_appear_says_nothing_of_the_new_one(tmp_path: Path) -> None:
    cases = """
  - query: rotate
    at: docs/v2/keys.md#Rotation
    top: {at: docs/v2/keys.md#Rotation, within: 1}
    never: docs/v1/keys.md#Expiry
"""
    tops = truth_of(versions(tmp_path, cases), tmp_path).tops["rotate"]
    assert {one.top.never: len(one.copies) for one in tops} == {False: 2, True: 0}


def hits(order: list[tuple[int, str]], moved: list[int]) -> list[dict[str, object]]:
    """Return hits on sections, by number and version, each moved to another version of its page."""
    found = []
    for (section, version), move in zip(order, moved, strict=True):
        at = (VERSIONS.index(version) + move) % len(VERSIONS)
        start = 4 + at + 4 * section
        found.append({"path": f"docs/{VERSIONS[at]}/keys.md", "start": start, "end": start + 3})
    return found


BATCH = 12
METRICS = ("ndcg@5", "r@5", "ap@5", "p@5")
SECTION_OF_A_VERSION = st.tuples(st.integers(0, len(SECTIONS) - 1), st.sampled_from(VERSIONS))
RANKING = st.lists(st.tuples(SECTION_OF_A_VERSION, st.integers(0, 2)), min_size=1, max_size=5)


@pytest.fixture(scope="module")
def asked_often(tmp_path_factory: pytest.TempPathFactory) -> Suite:
    """Write a suite that asks the same as often as rankings are drawn."""
    targets = "{docs/v2/keys.md#Expiry: 3, docs/v1/keys.md#Scopes: 1}"
    cases = "".join(f"\n  - {{query: q{number}, at: {targets}}}" for number in range(BATCH))
    return versions(tmp_path_factory.mktemp("often"), cases)


@settings(max_examples=15)
@given(st.lists(RANKING, min_size=BATCH, max_size=BATCH))
def test_a_hit_on_a_copy_is_worth_a_hit_on_the_original_and_ndcg_never_passes_one(
    asked_often: Suite, drawn: list[list[tuple[tuple[int, str], int]]]
) -> None:
    def answer(query: str, *, moved: bool) -> list[dict[str, object]]:
        order, moves = zip(*drawn[int(query[1:])], strict=True)
        return hits(list(order), list(moves) if moved else [0] * len(order))

    same = evaluate(asked_often, lambda query, _k: answer(query, moved=False))
    other = evaluate(asked_often, lambda query, _k: answer(query, moved=True))
    for metric in METRICS:
        values = other.scores.per_query(metric)
        assert values == same.scores.per_query(metric)
        assert all(value is not None and 0 <= value <= 1 for value in values.values())


def test_two_copies_in_one_answer_earn_credit_once(tmp_path: Path) -> None:
    suite = versions(tmp_path, "\n  - {query: rotate, at: docs/v1/keys.md#Rotation}")
    found = evaluate(suite, lambda _query, _k: hits([(0, "v1"), (0, "v2"), (0, "v3")], [0, 0, 0]))
    assert (found["ndcg@5"], found["r@5"], found["p@5"]) == (1.0, 1.0, 0.2)


DOCUSAURUS = {
    "docs/keys.md": page("next"),
    "versioned_docs/version-1/keys.md": page("1"),
    "i18n/de/docs/keys.md": "# Schluessel\n\n## Wechsel\n\nAlles.\n",
    "blog/keys.md": page("blog"),
}
LAYOUT = '[[docs/{page}, "versioned_docs/{version}/{page}", "i18n/{language}/docs/{page}"]]'.replace(
    "docs/{page},", '"docs/{page}",'
)


def test_one_set_may_have_several_patterns_and_lint_counts_what_a_copy_lacks(tmp_path: Path) -> None:
    cases = "cases:\n  - {query: rotate, at: docs/keys.md#Rotation}\n"
    suite = write(tmp_path, DOCUSAURUS, f"copies: {LAYOUT}\n{cases}")
    truth = truth_of(suite, tmp_path)
    assert [path for path, *_ in located(truth)] == ["docs/keys.md", "versioned_docs/version-1/keys.md"]
    assert suite.corpus is not None
    corpus = open_source(suite.corpus, OpenContext(tmp_path, tmp_path))
    said = {one.rule: one.message for one in lint(suite, corpus)}
    assert "1 of 2 copies of 1 target" in said["copies"]
    assert "'docs/keys.md#Rotation' not found in i18n/de/docs/keys.md" in said["missing-copy"]
    assert "no-copies" not in said


def test_a_file_belongs_to_the_pattern_that_says_most_of_it(tmp_path: Path) -> None:
    files = {"keys.md": page("a"), "keys.de.md": page("b"), "roles.md": page("c")}
    copies = '[["{page}.md", "{page}.{language}.md"]]'
    suite = write(tmp_path, files, f"copies: {copies}\ncases:\n  - {{query: rotate, at: keys.md#Rotation}}\n")
    assert [path for path, *_ in located(truth_of(suite, tmp_path))] == ["keys.md", "keys.de.md"]


def test_a_declaration_that_fits_nothing_is_warned_of(tmp_path: Path) -> None:
    suite = versions(tmp_path, copies="doc/{version}/{page}")
    assert suite.corpus is not None
    found = lint(suite, open_source(suite.corpus, OpenContext(tmp_path, tmp_path)))
    assert [one.severity for one in found if one.rule == "no-copies"] == ["warning"]


@pytest.mark.parametrize(
    "pattern", ["docs/{version}", "{page}/{page}", "{a}{page}", "{page", "{a}/{b}/{c}/{page}"]
)
def test_a_pattern_that_names_no_page_is_refused_where_it_stands(tmp_path: Path, pattern: str) -> None:
    with pytest.raises(InputError):
        copy_pattern(pattern)
    with pytest.raises(InputError, match=r"s[.]yaml:3:"):
        versions(tmp_path, copies=f"'{pattern}'")


def test_copies_need_a_corpus_of_files(tmp_path: Path) -> None:
    (tmp_path / "s.yaml").write_text("copies: docs/{version}/{page}\ncases:\n  - {query: a, id: b}\n")
    with pytest.raises(InputError, match="a corpus of files"):
        load_suite(tmp_path / "s.yaml")


@pytest.mark.parametrize("name", ["s2.yaml", "s2.jsonl", "s2.suite.parquet"])
def test_a_declaration_survives_being_written_and_read(tmp_path: Path, name: str) -> None:
    suite = versions(tmp_path, copies=f"[{LAYOUT[1:-1]}, 'docs/{{version}}/{{page}}']")
    write = format_for(tmp_path / name).write
    assert write is not None
    write(suite, tmp_path / name)
    again = load_suite(tmp_path / name)
    assert again.copies == suite.copies != ()
    assert again.fingerprint == suite.fingerprint


def test_a_suite_with_copies_passes_by_any_of_them(tmp_path: Path) -> None:
    suite = versions(tmp_path, "\n  - {query: rotate, at: docs/v1/keys.md#Rotation}\ngates: [rr@5 >= 1]")
    found = evaluate(suite, lambda _query, _k: hits([(0, "v3")], [0]))
    assert found.exit_code is ExitCode.PASSED
    assert "2 in copies of their page" in dict(found.report.provenance)["targets"]
