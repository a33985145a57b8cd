"""A report of many queries lists those that matter most, counts all, and says so in every layout."""

from __future__ import annotations

import datetime as dt
import json
import re
import tracemalloc
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

import rankgate as rg
from rankgate.evaluation.session.suite_session import SuiteSession
from rankgate.model import Answer, Case
from rankgate.model.suite import XFail
from rankgate.reports.evaluation import (
    github_annotations,
    github_comment,
    json_report,
    junit,
    markdown,
    terminal,
)
from rankgate.reports.page.content import page_of
from support.commands import rankgate
from support.evaluations import Evaluated, evaluated, target
from support.reported import HEADER

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.gates.scored import Against
    from rankgate.reports.evaluation.report import EvaluationReport

ALL, MOST = 60, 20
LOST = ["q07", "q30", "q59"]
MISSED = ["q11", "q21", "q31", "q41"]
CHANGED = ["q02", "q03", "q04"]
WORDS = (
    "20 of 60 queries are listed, the failed and weakest first, then the most changed; "
    "scores.parquet beside the report has all of them"
)
SCREEN = ("state", "headline", "gates", "broken_count", "lost_count", "won_count", "weakest", "fine")
GATES = ("ndcg@10 >= 0.95", "lost(10 -> absent@10) <= 0")


def _answers(*, after: bool) -> dict[str, list[str]]:
    answers = {f"q{number:02}": ["a", "b", "c"] for number in range(ALL)}
    answers |= {name: ["b", "c"] for name in MISSED}
    if after:
        answers |= {name: ["b", "c"] for name in LOST}
        answers |= {name: ["a", "c", "b"] for name in CHANGED}
    return answers


def _made() -> tuple[Evaluated, Against]:
    cases = [
        Case(f"q{number:02}", f"query {number}", (target("a"),), where=f"search.yaml:{number + 1}:1")
        for number in range(ALL)
    ]
    made, before = (evaluated(cases, _answers(after=after)) for after in (True, False))
    return made, made.since(before)


def _report(most: int | None) -> EvaluationReport:
    made, against = _made()
    return made.report(*GATES, header=HEADER, against=against, most=most)


@pytest.fixture(scope="module")
def cut() -> EvaluationReport:
    return _report(MOST)


@pytest.fixture(scope="module")
def whole() -> EvaluationReport:
    return _report(None)


def test_what_broke_what_is_weak_and_what_changed_is_listed_and_then_the_first_others(
    cut: EvaluationReport,
) -> None:
    told = {*LOST, *MISSED, *CHANGED}
    others = [f"q{number:02}" for number in range(ALL) if f"q{number:02}" not in told]
    assert [row.case for row in cut.cases] == sorted([*told, *others[: MOST - len(told)]])
    assert [row.case for row in _report(len(told)).cases] == sorted(told)
    assert [row.case for row in _report(len(told) - len(CHANGED)).cases] == sorted([*LOST, *MISSED])
    assert [row.case for row in _report(len(LOST)).cases] == LOST


def test_the_verdict_and_the_first_screen_do_not_depend_on_what_is_listed(whole: EvaluationReport) -> None:
    for most in (1, 5, MOST, ALL - 1):
        report = _report(most)
        assert len(report.cases) == most
        assert (report.exit_code, report.metrics) == (whole.exit_code, whole.metrics)
        for row, other_row in zip(report.verdicts, whole.verdicts, strict=True):
            assert replace(row, lost=()) == replace(other_row, lost=())
        assert report.slices == whole.slices
        assert report.comparison == whole.comparison
        one, other = report.summary, whole.summary
        for name in SCREEN:
            assert getattr(one, name) == getattr(other, name), name
        assert one.broken == other.broken[: len(one.broken)]


def test_a_section_stands_though_none_of_its_queries_is_listed() -> None:
    made, against = _made()
    gates = ("ndcg@10 >= 0.3", GATES[1])
    report = made.report(*gates, header=HEADER, against=against, most=len(LOST))
    assert report.left_out.by_section == (0, len(MISSED))
    printed = terminal.render(report, details=True)
    for layout in (markdown.render(report), github_comment.render(report), printed):
        assert f"{len(MISSED)} weakest queries" in layout


def test_a_known_miss_that_passes_now_is_listed_before_what_is_weak() -> None:
    xfail = XFail("known", dt.date(2999, 1, 1))
    cases = [
        Case(f"q{number:02}", f"query {number}", (target("a"),), xfail=xfail if number > 20 else None)
        for number in range(24)
    ]
    # The first ten are weak, the others found; of the known misses one is a miss.
    missed = {*(case.id for case in cases[:10]), "q23"}
    made = evaluated(cases, {case.id: ["b", "a"] if case.id in missed else ["a"] for case in cases})
    for most in (3, 12):
        cut = made.report("ndcg@10 >= 0.65", header=HEADER, most=most)
        assert [one.case for one in cut.known if one.passes] == ["q21", "q22"]


def test_nothing_changes_up_to_the_limit(whole: EvaluationReport) -> None:
    assert json_report.render(_report(ALL)) == json_report.render(whole)
    assert whole.left_out.words == ""
    assert not any("listed" in note for note in whole.notes)


@pytest.mark.parametrize("most", [MOST, 5, 2])
def test_counts_of_a_cut_report_are_those_of_all(most: int, whole: EvaluationReport) -> None:
    cut = _report(most)
    assert cut.total == ALL
    assert cut.left_out.queries == ALL - most
    assert len(cut.failures) + cut.left_out.short == len(whole.failures) == len(LOST) + len(MISSED)
    assert len(cut.known) + cut.left_out.known == len(whole.known)
    of_all, of_some = (
        ET.fromstring(junit.render(report)).find("testsuite") for report in (whole, cut)
    )  # written by ourselves
    assert of_all is not None
    assert of_some is not None
    for name in ("tests", "failures", "errors", "skipped"):
        assert of_some.get(name) == of_all.get(name), name
    assert len(of_some.findall("testcase")) == len(of_all.findall("testcase")) - (ALL - most)
    titles = [
        [line for line in markdown.render(report).splitlines() if re.match("## .*(broke|weakest)", line)]
        for report in (whole, cut)
    ]
    assert titles[0][0] == titles[1][0] == "## 7 queries that broke"


def test_every_layout_says_what_is_cut(cut: EvaluationReport) -> None:
    found = json.loads(json_report.render(cut))
    assert found["left_out"] == {
        "queries": 40, "failed": 0, "errored": 0, "weak": 0, "known": 0, "broke": 0,
        "lost": 0, "gone": 0, "flaky": 0, "words": WORDS,
    }  # fmt: skip
    assert len(found["cases"]) == len(found["header"]["seconds"]) == MOST
    (said,) = ET.fromstring(junit.render(cut)).iterfind(".//property[@name='listed']")
    assert said.get("value") == WORDS
    for text in (
        markdown.render(cut),
        github_comment.render(cut),
        github_annotations.render(cut),
        terminal.render(cut, width=300, colour=False),
        terminal.render(cut, width=300, colour=False, details=True),
    ):
        assert WORDS in text
    made, against = _made()
    page = page_of(made.scored(against=against), cut)
    assert WORDS in page.report.notes
    assert [query.case for query in page.queries] == [row.case for row in cut.cases]


@pytest.mark.parametrize("most", [None, 25, 3])
def test_annotations_count_what_is_not_listed(most: int | None) -> None:
    cases = [Case(f"q{number}", f"query {number}", (target("a"),)) for number in range(30)]
    made = evaluated(cases, {case.id: ["b"] for case in cases})
    said = github_annotations.render(made.report("ndcg@10 >= 0.5", header=HEADER, most=most))
    lines = [line for line in said.splitlines() if line.startswith("::error")]
    (more,) = re.findall(r"(\d+) more errors", said)
    assert len(lines) - 1 + int(more) == 31


def test_what_is_looked_up_of_some_queries_is_what_all_of_them_say(monkeypatch: pytest.MonkeyPatch) -> None:
    made, against = _made()
    said = []
    for few in (ALL, 0):
        monkeypatch.setattr("rankgate.scoring.placements.FEW", few)
        report = made.report(*GATES, header=HEADER, against=against, most=MOST)
        said.append((report, page_of(made.scored(against=against), report)))
    assert said[0] == said[1]
    hits = made.scored().judged_hits.only(["q02"])
    assert dict(hits.ranks) == {("q02", 0): 1}
    assert hits.credited == frozenset({("q02", 1)})
    assert list(hits.targets) == ["q02"]


def test_a_cut_report_is_read_back(cut: EvaluationReport, tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    file.write_text(json_report.render(cut), encoding="utf-8")
    (read,) = json_report.read(file)
    assert read.left_out == cut.left_out
    assert markdown.render(read) == markdown.render(cut)
    older = json.loads(file.read_text(encoding="utf-8"))
    del older["left_out"]
    file.write_text(json.dumps(older), encoding="utf-8")
    (read,) = json_report.read(file)
    assert read.total == MOST


def test_errors_that_are_not_listed_are_counted_as_errors() -> None:
    cases = [Case(f"q{number}", f"query {number}", (target("a"),)) for number in range(6)]
    made = evaluated(cases, {case.id: Answer.ERROR for case in cases})
    report = made.report("ndcg@10 >= 0.5", header=HEADER, most=2)
    assert (report.left_out.errored, report.left_out.broke, report.left_out.failed) == (4, 4, 0)
    assert report.summary.broken_count == 6
    suite = ET.fromstring(junit.render(report)).find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("errors")) == (str(6 + len(report.verdicts)), "6")
    assert "## 6 queries that broke" in markdown.render(report)


def _peak(number: int, most: int | None) -> int:
    """Return the bytes that a report of so many queries takes at most, none of which finds anything."""
    cases = [Case(f"q{at}", f"query {at}", (target("a"),)) for at in range(number)]
    made = evaluated(cases, {case.id: ["b", "c", "d"] for case in cases})
    tracemalloc.start()
    try:
        report = made.report("ndcg@10 >= 0.5", header=HEADER, most=most)
        json_report.render(report)
        junit.render(report)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_query_that_is_not_listed_costs_a_fifth_of_one_that_is() -> None:
    _peak(50, None)  # what is imported and kept once
    of_counted, of_listed = ((_peak(1000, most) - _peak(500, most)) / 500 for most in (100, None))
    assert of_counted < of_listed / 5


SEARCH = "def search(query, k):\n    return [] if query.endswith('7') else [query.split()[-1]]\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project of 30 queries of which three find nothing, and a limit of ten."""
    lines = [json.dumps({"name": f"n{at}", "query": f"number {at}", "id": str(at)}) for at in range(30)]
    (tmp_path / "many.suite.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "app.py").write_text(SEARCH)
    (tmp_path / "rankgate.toml").write_text(
        '[systems.app]\nfunction = "./app.py:search"\ngates = ["ndcg@10 >= 0.99"]\n'
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_test_of_many_queries_keeps_all_scores_and_the_same_verdict(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import polars as pl

    whole = rankgate("test", "many.suite.jsonl")
    (folder,) = (project / ".rankgate").glob("*/app")
    verdicts = (folder / "verdicts.json").read_text()
    monkeypatch.setattr("rankgate.reports.evaluation.summary.listed.MOST_QUERIES", 10)
    cut = rankgate("test", "many.suite.jsonl")
    assert cut.code == whole.code == 1
    assert (folder / "verdicts.json").read_text() == verdicts
    assert "10 of 30 queries are listed" in " ".join(cut.out.split())
    kept = json.loads((folder / "report.json").read_text())
    listed = {row["case"]: row["failure"] is not None for row in kept["cases"]}
    assert len(listed) == 10
    assert [name for name, failed in listed.items() if failed] == ["n7", "n17", "n27"]
    scores = pl.read_parquet(folder / "scores.parquet")
    assert Counter(scores["query"].to_list()).keys() == {f"n{at}" for at in range(30)}


def test_pytest_and_python_have_every_case(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankgate.reports.evaluation.summary.listed.MOST_QUERIES", 2)
    session = SuiteSession.of(project / "many.suite.jsonl", "app")
    try:
        ended = {name: session.case(name, whole=True).ended for name in ("n0", "n7", "n27", "n29")}
    finally:
        session.close()
    assert ended == {"n0": "passed", "n7": "failed", "n27": "failed", "n29": "passed"}
    result = rg.evaluate(rg.load_suite(project / "many.suite.jsonl"), "app")
    assert [one.case for one in result.failures] == ["n7", "n17", "n27"]
