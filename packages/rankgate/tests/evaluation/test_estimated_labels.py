"""From an expected answer to a verdict: estimated values are marked everywhere, and gates refuse them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError
from rankgate.evaluation.flow import Stopwatch, evaluate, run_evaluation
from rankgate.files.parquet import read_table
from rankgate.model import Case, GateText, Hit, Location, Status, Suite, Target
from rankgate.project.results import ResultFolder
from rankgate.project.settings import RunOptions, Settings
from rankgate.reports.evaluation import junit, markdown
from rankgate.reports.score import formats
from rankgate.reports.score.formats import csv_text as render_csv
from rankgate.reports.score.formats import trec_text as render_trec
from rankgate.reports.score.report import score_report
from rankgate.runs.store.run_folder import StoredRun
from rankgate.scoring.scores import SCORES
from rankgate.systems.function.system import FunctionSystem
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.project.evaluation import Evaluation

RIGHT, WRONG = "Keys rotate every 90 days.", "Webhooks are retried three times."
CASES = (
    *(Case(f"t{n}", f"target {n}", (Target(Location.of_id("d0")),), category="judged") for n in range(3)),
    Case("good", "how often do keys rotate", answer=RIGHT, category="answers"),
    Case("bad", "who signs", answer="The release manager signs every package", category="answers"),
)


def search(_query: str) -> list[Hit]:
    return [Hit(id="d0", text=RIGHT), Hit(id="d1", text=WRONG)]


def suite(*gates: str, allow: bool = False, cases: tuple[Case, ...] = CASES) -> Suite:
    texts = tuple(GateText(gate) for gate in gates)
    return Suite("s", cases, ("hit@5", "ndcg@10"), texts, allow_estimated=allow)


def test_a_gate_over_estimated_labels_is_refused_and_says_both_ways_out() -> None:
    result = evaluate(suite("hit@5 >= 0.5", "ndcg@10 >= 0.5"), search)
    refused, passed = result.verdicts
    assert (refused.status, passed.status) == (Status.REFUSED, Status.PASSED)
    assert refused.reason == (
        "the labels of 2 of 5 queries are estimated from an answer: "
        "give those cases targets, or say allow_estimated: true in the suite [estimated-labels]"
    )
    assert result.exit_code == 2
    assert result.failures[0].reasons[1:] == ("hit@5 0.0000 < 0.5 (estimated)",)
    assert not result.failures[0].blocks
    assert result.report.status.startswith("1 gate cannot be judged: hit@5")
    assert (passed.counts.scored, passed.counts.undefined, passed.counts.estimated) == (3, 2, 0)


def test_a_slice_without_estimates_is_judged() -> None:
    gates = ("hit@5 >= 0.5 where category = judged", "worst(category) hit@5 >= 0.1", "errors = 0")
    judged, worst, errors = evaluate(suite(*gates), search).verdicts
    assert judged.status is Status.INCONCLUSIVE  # three cases are fewer than a slice needs
    assert worst.status is Status.REFUSED
    assert errors.status is Status.PASSED


def test_a_suite_may_allow_them() -> None:
    result = evaluate(suite("hit@5 >= 0.8", allow=True), search)
    (verdict,) = result.verdicts
    assert (verdict.status, verdict.value) == (Status.PASSED, 0.8)
    assert verdict.reason == "0.8000 >= 0.8: 5 queries (2 estimated)"
    assert result.exit_code == 0


def test_a_system_that_is_only_reported_is_not_refused() -> None:
    system = FunctionSystem(search)
    result = run_evaluation(suite("hit@5 >= 0.8"), system, Settings(enforce=False), Stopwatch())
    assert result.exit_code == 0
    assert result.verdicts[0].status is Status.NOT_ENFORCED


def test_targets_that_nobody_has_reviewed_do_not_become_enforced_by_estimates() -> None:
    proposed = Case("p", "x", (Target(Location.of_id("d0"), reviewed=False),))
    result = evaluate(suite("hit@5 >= 0.8", cases=(proposed, *CASES[3:])), search)
    assert result.verdicts[0].reason == "0 of 1 reviewed, gates not enforced"


def test_every_report_marks_estimated_values() -> None:
    report = evaluate(suite(), search).report
    hit, ndcg = report.metrics
    assert (hit.value, hit.counted) == ("0.8000", "5 queries (2 estimated)")
    assert ndcg.counted == "3 queries (2 not applicable)"
    assert [row.values for row in report.slices.rows] == [("1.0000", "1.0000"), ("≈0.5000", "–")]
    assert "≈ counts estimated labels" in report.slices.note
    assert "5 queries (2 estimated)" in markdown.render(report)
    assert "5 queries (2 estimated)" in junit.render(report)
    assert dict(report.provenance)["targets"] == "3 by id, 1 estimated"
    assert dict(report.provenance)["hits"] == "10 known by id alone"
    (missed,) = report.failures
    assert missed.reasons == ("no hit's text is like the expected answer",)
    (expected,) = missed.expected
    assert expected.location == "answer: The release manager signs every package (estimated)"
    assert expected.ended == "no text like it in 2 hits"


def test_a_refused_gate_is_an_error_of_its_own_in_junit() -> None:
    text = junit.render(evaluate(suite("hit@5 >= 0.5"), search).report)
    assert '<error message="the labels of 2 of 5 queries are estimated' in text
    assert 'errors="1"' in text


def test_the_figures_of_one_run_are_marked_in_every_format() -> None:
    result = evaluate(suite(), search)
    report = score_report("judgments", result.judgments, [result.scores], per_query=True)
    about = json.loads(formats.json_text(report))["runs"][0]
    assert about["metrics"]["hit@5"]["estimated"] == 2
    assert about["metrics"]["ndcg@10"]["estimated"] == 0
    assert [query.get("estimated") for query in about["queries"].values()] == [None, None, None, True, True]
    lines = [line.rpartition(":")[2] for line in render_csv(report).splitlines()]
    assert lines[0] == "run,query,metric,value,estimated"
    assert "search,good,hit@5,1.0,1" in lines
    assert "search,t0,hit@5,1.0,0" in lines
    assert "search,all,hit@5,0.8,2" in lines
    assert report.rows[0].cells[0].text == "≈0.8000"
    with pytest.raises(InputError, match="1 values with estimated labels"):
        render_trec(report)


def test_the_files_mark_them_too(tmp_path: Path) -> None:
    result = _kept(tmp_path, suite("hit@5 >= 0.5"))
    folder = ResultFolder(tmp_path)
    folder.write(result)
    table = read_table(tmp_path / "scores.parquet", SCORES)
    marked = table.filter("estimated").select("query", "metric", "value").rows()
    assert marked == [("good", "hit@5", 1.0), ("bad", "hit@5", 0.0)]
    verdicts = json.loads((tmp_path / "verdicts.json").read_text())
    assert verdicts["exit_code"] == 2
    assert verdicts["verdicts"][0]["counts"]["estimated"] == 2
    assert verdicts["verdicts"][0]["status"] == "refused"


def test_texts_are_kept_whole_where_answers_need_them(tmp_path: Path) -> None:
    _kept(tmp_path, suite())
    assert StoredRun.open(tmp_path / "run").manifest.texts == "full"
    _kept(tmp_path / "other", suite(cases=CASES[:3]))
    assert StoredRun.open(tmp_path / "other" / "run").manifest.texts == "snippet"


def test_a_run_that_was_made_before_is_estimated_from_what_it_kept(tmp_path: Path) -> None:
    first = _kept(tmp_path, suite())
    again = run_evaluation(suite(), StoredRun.open(tmp_path / "run"), Settings(), Stopwatch())
    assert again["hit@5"] == first["hit@5"] == 0.8
    assert dict(again.report.provenance)["hits"] == "10 known by id alone"


def _kept(folder: Path, what: Suite) -> Evaluation:
    settings = Settings(asking=RunOptions(folder=folder / "run"))
    return run_evaluation(what, FunctionSystem(search), settings, Stopwatch())


REPEATED_APP = f"""\
from pathlib import Path
def search(query, k):
    log = Path("asked.txt")
    log.write_text((log.read_text() if log.exists() else "") + query + "/")
    if log.read_text().count(query + "/") == TIME:
        return [{{"id": "d1", "text": "{RIGHT}"}}]
    return [{{"id": "d2", "text": "{WRONG}"}}]
"""
REPEATED_SUITE = """\
metrics: [rr]
gates: ['rr = 0.5', 'hit@5 = 0.5']
allow_estimated: true
cases:
  - {query: how often do keys rotate, answer: Keys rotate every 90 days.}
  - {query: turn over, id: [d1, {id: d3, reviewed: REVIEWED}]}
"""


@pytest.mark.parametrize("reviewed", ["true", "false"])
@pytest.mark.parametrize("time", [1, 2])
def test_answer_of_any_repeat_counts_in_the_mean(
    time: int, reviewed: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.py").write_text(REPEATED_APP.replace("TIME", str(time)))
    (tmp_path / "search.yaml").write_text(REPEATED_SUITE.replace("REVIEWED", reviewed))
    (tmp_path / "rankgate.toml").write_text("[systems.app]\nfunction = './app.py:search'\n")
    done = rankgate("test", "search.yaml", "--repeat", "2")
    assert done.code == 0, done.out
