"""Faults staged in a search on Tantivy: advice names each with its evidence, and is silent on a sound one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.staged_faults import CASES, StagedProject

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("tantivy")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> StagedProject:
    """Write a project whose search finds everything first."""
    monkeypatch.chdir(tmp_path)
    return StagedProject(tmp_path)


def with_case(query: str, at: str) -> dict[str, str]:
    return {**CASES, query: at}


def test_a_sound_search_gets_no_advice(project: StagedProject) -> None:
    assert project.test().code == 0
    assert project.advice() == []


def test_a_page_that_is_not_indexed(project: StagedProject) -> None:
    project.stage(not_indexed=["keys.md"])
    (advice,) = project.advice()
    assert advice["kind"] == "not-returned"
    assert advice["finding"].startswith("2 queries expect keys.md")
    assert "does not return it in the top 100" in advice["evidence"]
    assert "no hit of any of 12 queries lies in keys.md" in advice["evidence"]
    assert "every failed or weak query expects it" in advice["evidence"]
    assert advice["cost"] == "costs 0.1667 of rr@5"  # two of twelve queries, all that they have


def test_an_index_that_is_stale_returns_text_that_no_document_has(project: StagedProject) -> None:
    project.stage(texts=True)
    project.freeze()
    project.edit("keys.md", "Each secret is exchanged for a fresh one after ninety", "The vault prints it in")
    project.write(with_case("vault prints", "keys.md#Rotation"))
    stale = next(one for one in project.advice() if one["kind"] == "stale-index")
    assert stale["advice"] == "Index keys.md again."
    assert "'Each secret is exchanged for a fresh one" in stale["evidence"]
    assert "for keys.md, which has no such line" in stale["evidence"]


def test_an_index_that_is_stale_returns_lines_where_the_text_is_no_more(project: StagedProject) -> None:
    project.freeze()
    project.edit("keys.md", "# Keys\n", "# Keys\n" + "\nOne line more.\n" * 4)
    (advice,) = project.advice()
    assert advice["kind"] == "other-location"
    # The section began in line 3 and begins in line 11 now.
    assert "the system returns keys.md:3-6 at rank 1, and not keys.md:11-14" in advice["evidence"]


def test_a_wrong_prefix(project: StagedProject) -> None:
    project.stage(prefix="/srv/site/")
    (advice,) = project.advice()
    assert advice["kind"] == "mapping"
    assert "name files that the corpus does not have, such as /srv/site/" in advice["finding"]
    assert 'strip_prefix = "/srv/site/"' in advice["advice"]


def test_a_filter_that_does_not_fit(project: StagedProject) -> None:
    query = "limit what a token may read"
    project.stage(kinds={"keys.md": "reference"})
    project.write(CASES, **{query: "filters: {kind: guide}"})
    (advice,) = project.advice()
    assert advice["kind"] == "filter"
    assert "returns keys.md#Scopes at rank 1 without kind=guide" in advice["evidence"]
    assert "not in the top 100 with it" in advice["evidence"]


def test_a_page_that_stands_twice(project: StagedProject) -> None:
    text = (project.docs / "billing.md").read_text()
    (project.docs / "archive.md").write_text(text.replace("# Billing", "# Old billing"))
    (advice,) = project.advice()
    assert advice["kind"] == "duplicate"
    assert advice["finding"] == "2 queries expect text that archive.md has as well"
    assert "returns archive.md:3-6 at rank 1, which has the text of billing.md#Invoices" in advice["evidence"]


def test_a_query_of_stop_words(project: StagedProject) -> None:
    project.stage(stop_words=True)
    project.write(with_case("to be or not to be", "people.md#Roles"))
    (advice,) = project.advice()
    assert advice["kind"] == "stop-words"
    assert "'to be or not to be' returns nothing, nor does any of its words alone" in advice["evidence"]
    assert "all stand in people.md#Roles, which its other words find" in advice["evidence"]


def test_a_system_that_is_down_is_said_once_with_its_count(project: StagedProject) -> None:
    project.test()
    rankgate("baseline", "set").printed()
    project.stage(down=True)
    done = project.test()
    assert done.code == 3
    (advice,) = project.advice()
    assert advice["kind"] == "system-error"
    assert advice["evidence"].startswith("12 of 12 queries: ")
    assert "search.internal:9200 refused the connection" in advice["evidence"]
    # As headline, under the queries and as advice; nothing is compared with what did not answer.
    assert done.out.count("refused the connection") == 3
    assert "and 11 more queries with the same error" in done.out
    assert "worse" not in done.out


def test_a_target_that_was_edited_away(project: StagedProject) -> None:
    rankgate("suite", "mend", "search.yaml", "--yes").printed()
    project.edit("billing.md", "Money for unused seats returns to the credit card", "Nothing is paid out")
    (advice,) = project.advice()
    assert advice["kind"] == "text-changed"
    assert "The text of billing.md#Refunds is not what it was when it was anchored" in advice["evidence"]
    assert "rankgate suite mend search.yaml" in advice["advice"]


def test_a_heading_that_was_renamed(project: StagedProject) -> None:
    rankgate("suite", "mend", "search.yaml", "--yes").printed()
    assert (project.folder / "search.anchors.json").exists()
    project.edit("keys.md", "## Rotation", "## Exchange")
    (advice,) = project.advice()
    assert advice["kind"] == "target-moved"
    assert "keys.md#Rotation is not in the documents" in advice["evidence"]
    assert "the text that was anchored stands at keys.md#Exchange" in advice["evidence"]
    assert advice["advice"] == "Follow it: rankgate suite mend search.yaml."


def test_a_page_that_was_deleted(project: StagedProject) -> None:
    rankgate("suite", "mend", "search.yaml", "--yes").printed()
    (project.docs / "billing.md").unlink()
    (advice,) = project.advice()
    assert advice["kind"] == "target-gone"
    assert advice["finding"] == "2 queries expect a target that is not in the documents"
    assert "billing.md#Invoices is not in the documents: " in advice["evidence"]


def test_an_analyzer_without_stemming(project: StagedProject) -> None:
    project.stage(no_stemming=True)
    project.write(with_case("mounting restores", "backups.md#Restore"))
    (advice,) = project.advice()
    assert advice["kind"] == "no-stemming"
    assert "'mounting' alone returns 0 hits and not backups.md#Restore" in advice["evidence"]
    assert "with 'mounted', which stands there, the query returns it at rank 1" in advice["evidence"]


def test_a_search_that_answers_nothing_at_all(project: StagedProject) -> None:
    project.stage(empty=True)
    (advice,) = project.advice()
    assert advice["kind"] == "no-hits"
    assert advice["evidence"].startswith("0 hits for 12 of 12 queries, and for the text of ")


def test_a_word_with_one_letter_wrong(project: StagedProject) -> None:
    project.write(with_case("shedule", "backups.md#Schedule"))
    (advice,) = project.advice()
    assert advice["kind"] == "misspelt"
    assert "with 'schedule', which stands there, the query returns it at rank 1" in advice["evidence"]


def test_two_cases_of_the_same_words_that_expect_different_things(project: StagedProject) -> None:
    query = "Secret, exchanged after ninety days?"
    project.write(with_case(query, "export.md#Limits"), **{query: "name: other"})
    (advice,) = project.advice()
    assert advice["kind"] == "ambiguous-query"
    assert "expects export.md#Limits in case other" in advice["evidence"]
    assert "and keys.md#Rotation in case secret-exchanged-after-ninety-days" in advice["evidence"]


def test_nothing_further_is_asked_where_that_is_not_wanted(project: StagedProject) -> None:
    project.stage(not_indexed=["keys.md"])
    assert project.advice("--follow-ups", "0") == []


def test_further_questions_change_neither_verdict_nor_scores(project: StagedProject) -> None:
    project.stage(not_indexed=["keys.md"])
    codes, scores = [], []
    for number in ("0", "100"):
        codes.append(project.test("--follow-ups", number).code)
        scores.append((project.folder / ".rankgate/search/app/scores.parquet").read_bytes())
    assert codes == [1, 1]
    assert scores[0] == scores[1]


def lint(*options: str) -> list[tuple[str, str, str]]:
    """Return the rule, the case and the words of what `suite lint --system app` found."""
    done = rankgate("suite", "lint", "--system", "app", "--format", "json", *options)
    assert done.code in (0, 2), done.err
    rules = ("not-returned", "other-location", "competing-copy", "not-run")
    found = json.loads(done.out)
    rows = found["findings"] if isinstance(found, dict) else found
    return [(row["rule"], row["case"], row["message"]) for row in rows if row["rule"] in rules]


def test_lint_of_a_sound_system_finds_nothing(project: StagedProject) -> None:
    assert lint() == []


def test_lint_names_targets_that_the_system_cannot_return(project: StagedProject) -> None:
    project.stage(not_indexed=["keys.md"])
    found = lint()
    assert [(rule, case) for rule, case, _ in found] == [
        ("not-returned", "secret-exchanged-after-ninety-days"),
        ("not-returned", "limit-what-a-token-may-read"),
    ]
    assert "asked for the text of keys.md#Rotation, the system does not return it" in found[0][2]


def test_lint_names_targets_under_other_lines_and_copies_that_come_first(project: StagedProject) -> None:
    project.freeze()
    (project.folder / "indexed" / "archive.md").write_text((project.docs / "billing.md").read_text())
    (project.docs / "archive.md").write_text((project.docs / "billing.md").read_text())
    project.edit("keys.md", "# Keys\n", "# Keys\n" + "\nOne line more.\n" * 4)
    assert {(rule, message.split(",")[0]) for rule, _, message in lint()} == {
        ("other-location", "found asked for the text of keys.md#Rotation"),
        ("other-location", "found asked for the text of keys.md#Scopes"),
        ("competing-copy", "found archive.md:3-6 at rank 1 for the text of billing.md#Invoices"),
        ("competing-copy", "found archive.md:7-9 at rank 1 for the text of billing.md#Refunds"),
    }


def test_an_engine_that_can_tell_says_not_indexed(project: StagedProject) -> None:
    project.built_by_tantivy(left_out="keys.md")
    found = lint()
    assert len(found) == 2
    assert "its index has no keys.md" in found[0][2]
    (advice,) = project.advice()
    assert advice["kind"] == "not-indexed"
    assert advice["advice"] == "Index keys.md."


def test_of_a_system_that_does_not_look_for_texts_nothing_is_said(project: StagedProject) -> None:
    project.stage(empty=True)
    ((rule, _, message),) = lint()
    assert rule == "not-run"
    assert "0 of 12 targets returned for their own texts" in message
