"""Annotations and the comment: bounded, with the worst first, and nothing left out without a count."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st

from rankgate.model import Case
from rankgate.reports.evaluation import github_annotations, github_comment
from rankgate.reports.evaluation.github_comment import marker
from support.evaluations import evaluated, target
from support.reported import everything

if TYPE_CHECKING:
    from rankgate.reports.evaluation.report import EvaluationReport


def many_failures(count: int) -> EvaluationReport:
    cases = [
        Case(f"q{number}", f"query {number} " + "x" * 100, (target("a"),), where=f"s.yaml:{number + 5}:3")
        for number in range(count)
    ]
    return evaluated(cases, {case.id: ["b"] for case in cases}, metrics=["rr"]).report("rr >= 0.5")


def test_ten_errors_are_annotated_and_the_last_counts_the_others() -> None:
    text = github_annotations.render(many_failures(40))
    errors = [line for line in text.splitlines() if line.startswith("::error")]
    assert len(errors) == github_annotations.SHOWN
    assert "rr >= 0.5 failed" in errors[0]
    assert "file=s.yaml,line=5," in errors[1]
    assert "title=rankgate%3A 32 more errors::query 8" in errors[-1]
    assert errors[-1].endswith("… and 12 more")


def test_ten_errors_need_no_count() -> None:
    text = github_annotations.render(many_failures(9))
    assert text.count("::error") == 10
    assert "more error" not in text


def test_all_reports_of_a_step_share_its_ten() -> None:
    text = github_annotations.render(many_failures(8), many_failures(8))
    assert text.count("::error") == github_annotations.SHOWN
    assert "9 more errors" in text


def test_paths_are_those_of_the_repository() -> None:
    text = github_annotations.render(many_failures(1), path_of=lambda file: f"search/{file}")
    assert "file=search/s.yaml,line=5," in text


def test_a_comment_fits_and_says_how_much_it_leaves_out() -> None:
    text = github_comment.render(many_failures(2000))
    assert len(text.encode()) < 65_536
    shown = text.count("- ❌ `query")
    assert shown > 100
    assert f"… and {2000 - shown:,} more." in text
    assert "**2,000 queries that broke**" in text
    assert text.count("<details>") == text.count("</details>")
    assert text.rstrip().endswith("</details>")


def test_gates_that_failed_are_shown_where_not_all_fit() -> None:
    report = everything()
    passed = next(row for row in report.verdicts if row.mark == "✅")
    failed = next(row for row in report.verdicts if row.mark == "❌")
    wide = replace(report, verdicts=(*[replace(passed, detail="y" * 399)] * 300, failed))
    text = github_comment.render(wide)
    assert len(text.encode()) < 65_536
    assert f"| ❌ | `{failed.gate}` |" in text
    assert re.search(r"… and \d+ more gates\.", text)


@given(st.integers(3_000, 60_000), st.integers(1, 30))
def test_a_comment_is_never_longer_than_it_may_be(limit: int, copies: int) -> None:
    text = github_comment.render(*[_EVERYTHING] * copies, limit=limit)
    assert len(text.encode()) <= limit
    lines = text.splitlines()
    assert lines.count("<details>") == lines.count("</details>")
    heads = len(re.findall(r"^(?:###|-) 🔌 handbook · bm25: ", text, re.MULTILINE))
    # Of several, the worst has its line again above its body.
    assert heads - text.count("\n### ") * (copies > 1) == copies or "more report" in text
    assert heads >= 1


_EVERYTHING = everything()


def test_every_report_has_its_line_before_any_has_more() -> None:
    text = github_comment.render(*[_EVERYTHING] * 30, limit=3000)
    heads = re.findall(r"^- 🔌 .*", text, re.MULTILINE)
    left = re.search(r"… and (\d+) more reports?\.", text)
    assert len(heads) > 10
    assert len(heads) + (int(left[1]) if left else 0) == 30


def test_the_same_suites_and_systems_have_the_same_marker_and_others_another() -> None:
    report = everything()
    assert marker([report]) == "<!-- rankgate: handbook bm25 -->"
    assert marker([report]) == marker([replace(report, status="other", provenance=(), verdicts=())])
    assert marker([report]) != marker([replace(report, system="other")])
    assert marker([replace(report, title="a b")]) != marker([replace(report, title="a", system="b bm25")])


@given(st.lists(st.text(max_size=300), min_size=1, max_size=3), st.text(max_size=300))
def test_no_name_ends_the_marker(titles: list[str], system: str) -> None:
    named = [replace(_EVERYTHING, title=title, system=system) for title in titles if title.isprintable()]
    line = marker(named)
    assert line.startswith("<!-- rankgate: ")
    assert line.index("-->") == len(line) - 3
    assert "\n" not in line
    assert len(line) < 250
