"""Lost queries, targets that are gone and values that differ are limited as queries are, and counted."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from rankgate.model import Case, SuiteVerdict
from rankgate.model.wording import MOST_LISTED, and_more
from rankgate.reports.evaluation import (
    github_annotations,
    github_comment,
    json_report,
    junit,
    markdown,
    terminal,
)
from rankgate.reports.evaluation.report import EvaluationReport, evaluation_report
from rankgate.truth.gone import GoneLocation, gone_notes
from support.commands import rankgate
from support.evaluations import Evaluated, evaluated, target
from support.reported import HEADER

if TYPE_CHECKING:
    from pathlib import Path

ALL, LOST = 12, 9


def _made(answers: dict[str, list[str]]) -> Evaluated:
    cases = [Case(f"q{at:02}", f"query {at}", (target("a"),)) for at in range(ALL)]
    return evaluated(cases, {case.id: ["a", "b"] for case in cases} | answers)


def _lost(most: int | None) -> EvaluationReport:
    """Return the report of a run in which all but the first three queries were lost."""
    made, before = _made({f"q{at:02}": ["b"] for at in range(ALL - LOST, ALL)}), _made({})
    return made.report("lost(10 -> absent@10) <= 0", header=HEADER, against=made.since(before), most=most)


@pytest.mark.parametrize("most", [1, 4, LOST - 1])
def test_lost_queries_are_limited_and_counted(most: int) -> None:
    whole, cut = _lost(None), _lost(most)
    (every,), (some,) = ([row for row in one.verdicts if row.lost] for one in (whole, cut))
    assert len(every.lost) == LOST
    assert len(some.lost) == most
    assert cut.left_out.lost == LOST - most
    assert (some.value, some.number, some.reason) == (every.value, every.number, every.reason)
    assert cut.summary.lost_count == whole.summary.lost_count == LOST
    # A query that a gate names can be looked up: it is listed itself.
    assert {one.query for one in some.lost} <= {row.case for row in cut.cases}
    said = f"{most} of {LOST} lost queries are listed"
    for text in (markdown.render(cut), terminal.render(cut, width=300), github_annotations.render(cut)):
        assert said in text
        assert said not in markdown.render(whole)
    (listed,) = ET.fromstring(junit.render(cut)).iterfind(".//property[@name='listed']")
    assert said in str(listed.get("value"))


def test_a_comment_that_is_full_says_what_is_cut_all_the_same() -> None:
    report = _lost(4)
    for limit in (github_comment.LIMIT, 4_500):
        said = github_comment.render(report, limit=limit)
        assert "4 of 12 queries are listed" in said
        assert len(said.encode()) <= limit
    assert "… and 5 more." in github_comment.render(report)


def test_lost_queries_up_to_the_limit_are_all_named_though_few_queries_are_listed() -> None:
    report = _lost(LOST)
    assert len(report.cases) == LOST < ALL
    assert report.left_out.lost == 0
    assert "lost queries are listed" not in report.left_out.words


def _gone(number: int, most: int | None) -> EvaluationReport:
    made = _made({})
    gone = tuple(
        GoneLocation(
            f"case q{at:02}", "", f"page-{at}.md", "no such file", counts=at % 3 != 0, case=f"q{at:02}"
        )
        for at in range(number)
    )
    scored = replace(made.scored(), gone=gone, verdict=SuiteVerdict(gone=number))
    return evaluation_report(scored, HEADER, most=most)


def test_targets_that_are_gone_are_limited_counted_and_those_that_count_come_first() -> None:
    whole, cut = _gone(ALL, None), _gone(ALL, 5)
    assert [one.target for one in cut.gone.targets] == [f"page-{at}.md" for at in (1, 2, 4, 5, 7)]
    assert cut.left_out.gone == ALL - 5
    assert (cut.gone.words, cut.gone.blocks) == (whole.gone.words, whole.gone.blocks)
    assert whole.summary.headline == cut.summary.headline
    assert f"5 of {ALL} targets that are gone are listed" in cut.left_out.words
    (error,) = ET.fromstring(junit.render(cut)).iterfind(".//error[@type='gone']")
    assert str(error.text).splitlines()[-1] == "7 more"
    assert len(str(error.text).splitlines()) == 6
    (error,) = ET.fromstring(junit.render(whole)).iterfind(".//error[@type='gone']")
    assert len(str(error.text).splitlines()) == ALL


WAVERING = """calls = {}

def search(query, k):
    number = int(query.split()[-1])
    calls[query] = calls.get(query, 0) + 1
    ahead = ["x"] * 0 if calls[query] == 1 else [f"x{at}" for at in range(number)]
    return [*ahead, str(number)]
"""


def test_values_that_differ_between_repeats_are_limited_and_the_widest_come_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = [json.dumps({"name": f"n{at}", "query": f"number {at}", "id": str(at)}) for at in range(6)]
    (tmp_path / "many.suite.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "app.py").write_text(WAVERING)
    (tmp_path / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("rankgate.reports.evaluation.summary.listed.MOST_QUERIES", 2)
    done = rankgate("test", "many.suite.jsonl", "--repeat", "2", "--details")
    (file,) = (tmp_path / ".rankgate").glob("*/app/report.json")
    found = json.loads(file.read_text(encoding="utf-8"))
    assert [one["query"] for one in found["flaky"]] == ["n4", "n5"]
    assert found["left_out"]["flaky"] == 3
    assert "2 of 5 values that differ between repeats are listed" in " ".join(done.out.split())


def test_no_message_promises_more_than_a_report_lists() -> None:
    assert and_more(MOST_LISTED, 5).endswith("more, all of them in the JSON report")
    assert and_more(MOST_LISTED + 1, 5) == " and 19,996 more, 20,000 of them in the JSON report"
    assert and_more(MOST_LISTED, 5, MOST_LISTED + 1).endswith("20,000 of them in the JSON report")
    gone = [GoneLocation("case a", "", "a.md", "no such file")] * (MOST_LISTED + 1)
    said = [*gone_notes(gone[:-1], "mend")], [*gone_notes(gone, "mend")]
    assert "19,980 more targets are gone; the JSON report has all of them" in said[0]
    assert "19,981 more targets are gone; the JSON report has 20,000 of them" in said[1]


def test_a_cut_report_is_written_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(json_report.render(_lost(4)), encoding="utf-8")
    (read,) = json_report.read(file)
    assert read.left_out.lost == LOST - 4
    older = json.loads(file.read_text(encoding="utf-8"))
    for name in ("lost", "gone", "flaky"):
        del older["left_out"][name]
    file.write_text(json.dumps(older), encoding="utf-8")
    (read,) = json_report.read(file)
    assert read.left_out.lost == 0
