"""The first screen in a terminal: what happened, which queries, and what to do next."""

from __future__ import annotations

import io
from dataclasses import replace
from textwrap import dedent

import pytest

from rankgate.report import ComparisonResult, Report, ShownTarget, State
from rankgate.reports import terminal
from support import reports

COMPARED = ComparisonResult(name="baseline", unchanged=20)


def screen(report: Report) -> str:
    return terminal.render(report, width=100)


def shown(text: str) -> str:
    return dedent(text).removeprefix("\n")


def test_green_without_changes_is_three_lines() -> None:
    assert screen(reports.green()) == shown("""
        ✓ search · app:search · 20 queries passed in 2.4 s
          ndcg@10 0.812 (baseline 0.809) · 0 improved, 0 regressed
          report: .rankgate/report.html
    """)


def test_green_lists_regressed_queries_in_one_line_each() -> None:
    assert screen(reports.with_regressed(2)) == shown("""
        ✓ search · app:search · 20 queries passed in 2.4 s
          ndcg@10 0.812 (baseline 0.809) · 0 improved, 2 regressed
          rotate an API key   rank 1 → 4, first now: billing/keys.md:3-9 › License keys      search.yaml:14
          undo a deploy       rank 1 → 4, first now: billing/keys.md:3-9 › License keys      search.yaml:15
          report: .rankgate/report.html
    """)


def test_green_lists_five_regressed_queries_and_counts_the_rest() -> None:
    lines = screen(reports.with_regressed(9)).splitlines()
    assert len(lines) == 9
    assert "question 4" in lines[6]
    assert lines[7] == "  … 4 more"


def test_green_shows_the_facts_that_must_be_seen() -> None:
    assert screen(reports.everything()) == shown("""
        ✓ search · app:search · 17 queries passed in 2.4 s
          ndcg@10 0.812 (baseline 0.809) · 1 improved, 1 regressed · 2 new: 0.631
          results are 54× longer than in the baseline
          not gating: ndcg@10 0.610 over 40 queries, estimated
          3 known misses, 1 of them passes now (remove xfail): query 2
          2 queries of the baseline are not in the suite: old query, older query
          2 queries are not in the baseline: query 4, query 5
          keys.md#Rotation is now keys.md#Rotate a key: rankgate suite fix
          query 3             not tested: time-out      search.yaml:8
          rotate an API key   rank 1 → 4, first now: billing/keys.md:3-9 › License keys      search.yaml:14
          report: .rankgate/report.html
    """)


def test_red_shows_query_change_gates_and_next_command() -> None:
    text = screen(reports.red())
    assert len(text.splitlines()) <= 20
    assert text == shown("""
        ✗ search · app:search · failed (exit code 1)
          1 of 20 queries regressed · ndcg@10 0.762 (baseline 0.812)

          rotate an API key   rank 1 → not found      search.yaml:14
            expected  auth/keys.md:10-24 › Rotation
            first     billing/keys.md:3-9 › License keys
            failed    never: billing/keys.md: rank 1

          drop(ndcg@10) = 0.050 (at most 0.02)
          lost@10 = 1 (required: 0)

          next: rankgate query app:search --case rotate-an-api-key --explain
          report: .rankgate/report.html
    """)


def test_red_gate_about_some_of_the_queries_names_them() -> None:
    report = reports.with_regressed(2)
    gate = replace(reports.red().gates[1], queries=("undo-a-deploy",))
    text = screen(replace(report, state=State.FAILED, exit_code=1, gates=(gate,)))
    assert "  lost@10 = 1 (required: 0): undo a deploy\n" in text


def test_red_lists_eight_queries_and_counts_the_rest() -> None:
    text = screen(replace(reports.with_regressed(12), state=State.FAILED, exit_code=1))
    assert text.count("expected ") == terminal.QUERIES
    assert "  … 4 more\n" in text


def test_red_query_that_keeps_its_rank_shows_what_it_lost() -> None:
    case = reports.regressed_case(rank=1, rank_before=1)
    second = ShownTarget(location="b.md", before=3)
    case = replace(case, targets=(replace(case.targets[0], rank=1), second))
    text = screen(replace(reports.red(), cases=(case,)))
    assert "rotate an API key   ndcg@10 1.000 → 0.431      search.yaml:14\n" in text
    assert "expected  b.md (rank 3 → not found)\n" in text
    assert "first " not in text


def test_no_gates_ends_with_the_command_that_sets_a_baseline() -> None:
    assert screen(reports.no_gates()) == shown("""
        – search · app:search · 20 queries, no gates
          ndcg@10 0.684
          report: .rankgate/report.html
          next: rankgate baseline set
    """)


def test_failed_level_without_baseline_names_its_queries() -> None:
    assert screen(reports.level_failed()) == shown("""
        ✗ search · app:search · failed (exit code 1)
          ndcg@10 0.684

          rotate an API key   rank 4      search.yaml:14
            expected  auth/keys.md:10-24 › Rotation
            first     billing/keys.md:3-9 › License keys

          ndcg@10 = 0.684 (at least 0.8)

          next: rankgate query app:search --case rotate-an-api-key --explain
          report: .rankgate/report.html
    """)


def test_missing_targets_do_not_hide_failed_gates() -> None:
    lines = screen(reports.missing_targets()).splitlines()
    assert lines[0] == "✗ search · app:search · 2 missing targets; failed (exit code 2)"
    assert lines[2] == (
        "  search.yaml:5: the target 'auth/gone.md#Keys' is not in the documents: its text is gone."
    )
    assert "  drop(ndcg@10) = 0.050 (at most 0.02)" in lines
    assert "  next: rankgate suite fix" in lines


def test_unlocated_hits_show_the_lines_to_add() -> None:
    assert screen(reports.unlocated()) == shown("""
        ✗ search · app:search · hits could not be located (exit code 3)
          38 of 40 results look like pages of a site: /keys/#rotation → keys.md#rotation
          add to search.yaml:
            map: pages

          report: .rankgate/report.html
    """)


def test_failed_system_shows_its_errors_and_no_figures() -> None:
    assert screen(reports.system_failed()) == shown("""
        ✗ search · app:search · the system failed on 1 of 20 queries (exit code 3)

          query 0   error: time-out after 30 s      search.yaml:5

          report: .rankgate/report.html
    """)


def test_inconclusive_gate_shows_its_reason() -> None:
    lines = screen(reports.inconclusive()).splitlines()
    assert lines[0] == "? search · app:search · inconclusive (exit code 4)"
    assert lines[3] == (
        "  inconclusive: drop(ndcg@10) = 0.001 (at most 0.01)."
        " 8 results of the baseline can't be located in the documents."
    )


def test_inconclusive_as_a_warning_has_no_exit_code() -> None:
    text = screen(replace(reports.inconclusive(), exit_code=0))
    assert text.startswith("? search · app:search · inconclusive, reported as a warning\n")


def test_selection_is_in_the_headline() -> None:
    assert screen(reports.selection()) == shown("""
        ✓ search · app:search · 2 of 20 queries selected · passed in 2.4 s
          ndcg@10 0.812 (baseline 0.809) · 0 improved, 0 regressed
          not enforced: drop(ndcg@10) <= 0.01. Only some queries of the suite were run.
          report: .rankgate/report.html
    """)


def test_pooled_suite_counts_unknown_queries() -> None:
    text = screen(reports.pooled())
    words = "412 of 20,000 queries regressed, 371 of them unknown: their results have not been judged"
    assert words in text
    assert "    unknown   8 of 10 results unjudged\n" in text
    assert "next: rankgate judge --changed 50\n" in text


@pytest.mark.parametrize(
    ("report", "line"),
    [
        (reports.not_tested(), "– search · app:search · not tested: needs EMBEDDING_KEY"),
        (reports.crashed(), "✗ search · app:search · rankgate crashed (exit code 70)"),
    ],
)
def test_other_states_have_a_headline(report: Report, line: str) -> None:
    assert screen(report).splitlines()[0] == line


def test_unstable_queries_are_counted_unless_the_test_passed() -> None:
    compared = replace(COMPARED, unstable=("query-1", "query-2"))
    line = "2 of 20 queries are unstable: they count in drop, not in lost and regressed"
    assert line not in screen(reports.green(comparison=compared))
    assert line in screen(reports.green(comparison=compared, state=State.FAILED, exit_code=1))
    assert line in screen(reports.green(comparison=replace(compared, unchanged=0)))


def test_shorter_results_are_reported() -> None:
    compared = replace(COMPARED, length=0.18)
    text = screen(reports.green(comparison=compared))
    assert "  results are 0.18× as long as in the baseline\n" in text


def test_details_print_each_section_once() -> None:
    text = terminal.render(reports.red(), width=100, details=True)
    titles = [line for line in text.splitlines()[1:] if line and not line.startswith(" ")]
    assert titles == ["Metrics", "Gates", "Categories", "Recommendations", "Notes", "Provenance"]
    assert text.count("License keys") == 1
    assert (
        shown("""
        Categories
          category  queries  ndcg@10
          how            19    0.900

        Recommendations
          1 query returns the right document, but other lines.
            Check the size of the chunks.
            rotate an API key
    """)
        in text
    )


def test_details_list_known_misses_and_probes() -> None:
    text = terminal.render(reports.everything(), width=100, details=True)
    assert "  invariant typing errors: known miss: no synonyms yet\n" in text
    assert (
        "  ! query 2: no synonyms yet (until 2027-01-31); passes now: remove xfail      search.yaml:7\n"
        in text
    )
    assert "  unstable: query 9 (lang: en)\n" in text


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_colours_are_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    report = reports.red()
    assert "\x1b[31m" in terminal.render(report, stream=Terminal())
    assert "\x1b" not in terminal.render(report, stream=Terminal(), colour=False)
    assert "\x1b" not in terminal.render(report, stream=io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in terminal.render(report, stream=Terminal())
