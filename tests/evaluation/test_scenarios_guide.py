"""The guide to scenarios shows what is really printed."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from evaluations import TODAY
from navigators import WrongParent
from rankgate.evaluation.flow import open_corpus
from rankgate.evaluation.probing import check_probes, probe
from rankgate.gates.judge import judge
from rankgate.gates.language import parse_gates
from rankgate.model import Query
from rankgate.reports.evaluation import Header, evaluation_report
from rankgate.reports.evaluation_terminal import render
from rankgate.runs.asking import Question
from rankgate.runs.execute import execute
from rankgate.runs.manifest import Manifest
from rankgate.runs.navigation import MOST_TEXT
from rankgate.runs.trees import MOST_NODES
from rankgate.scoring.evaluate import score
from rankgate.suites.formats import load_suite
from rankgate.truth.itinerary import plan
from rankgate.truth.resolve import resolve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.runs.tables import Run

GUIDE = (Path(__file__).parents[2] / "docs" / "scenarios.md").read_text(encoding="utf-8")
OAUTH = (
    "# OAuth\n\n## Flows\n\nTwo of them.\n\n### Authorization Code Flow\n\nSend the redirect_uri.\n\n"
    "### Client Credentials Flow\n\nSend the client_secret.\n\n## Scopes\n\nAsk for few.\n"
)


def test_the_guide_shows_what_is_printed(tmp_path: Path) -> None:
    written, shown = re.findall(r"```(?:yaml|text)\n(.*?)```", GUIDE, re.DOTALL)[:2]
    (tmp_path / "docs" / "auth").mkdir(parents=True)
    (tmp_path / "docs" / "auth" / "oauth.md").write_text(OAUTH)
    (tmp_path / "docs" / "start.md").write_text("# Start\n\nGo with the flow.\n")
    (tmp_path / "rankgate.toml").write_text("")
    (tmp_path / "search.yaml").write_text(written)
    suite = load_suite(tmp_path / "search.yaml")
    corpus = open_corpus(suite, None)
    truth, itinerary = resolve(suite, corpus), plan(suite, corpus)
    system = WrongParent.over(tmp_path / "docs")

    def ask(questions: Sequence[Question], folder: Path | None) -> Run:
        return execute(questions, system, folder=folder, manifest=Manifest("handbook"))

    run = ask([Question(case.id, Query(case.query)) for case in suite.cases], None)
    scores = score(truth.judgments, run, suite.metrics)
    checks = check_probes(suite, probe(suite, system, itinerary, None, ask), itinerary)
    gates = parse_gates(suite.gates, suite.metrics)
    verdicts = judge(gates, scores, truth.judgments, checks, suite=suite, today=TODAY)
    report = evaluation_report(suite, truth.judgments, scores, run, verdicts, checks, header=Header(TODAY))
    printed = render(report, width=100)
    assert shown == printed[printed.index("Scenarios\n") : printed.index("\nNotes\n")]


def test_the_guide_names_the_limits() -> None:
    assert f"the first {MOST_TEXT:,} bytes" in GUIDE
    assert f"the first {MOST_NODES:,} nodes" in GUIDE
