"""The guide to scenarios shows what is really printed."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from rankgate.gates.judge import judge
from rankgate.gates.language import parse_gates
from rankgate.gates.scored import Scored
from rankgate.model import Query
from rankgate.project.opening import open_corpus
from rankgate.project.probes import check_probes, probe
from rankgate.reports.evaluation.report import Header, evaluation_report
from rankgate.reports.evaluation.terminal import render
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.navigation.navigate import MOST_TEXT
from rankgate.runs.navigation.trees import MOST_NODES
from rankgate.runs.store.manifest import Manifest
from rankgate.scoring.evaluate import score
from rankgate.suites.formats import load_suite
from rankgate.truth.locations.probe_plan import plan
from rankgate.truth.locations.resolve import resolve
from support.evaluations import TODAY
from support.navigators import WrongParent
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rankgate.runs.store.tables import Run

GUIDE = (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8")
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
    truth, probe_plan = resolve(suite, corpus), plan(suite, corpus)
    system = WrongParent.over(tmp_path / "docs")

    def ask(questions: Sequence[CaseQuery], folder: Path | None) -> Run:
        return execute(questions, system, keep=KeepOptions(folder=folder), manifest=Manifest("handbook"))

    run = ask([CaseQuery(case.id, Query(case.query)) for case in suite.cases], None)
    scores = score(truth.judgments, run, suite.metrics)
    checks = check_probes(suite, probe(suite, system, probe_plan, None, ask), probe_plan)
    gates = parse_gates(suite.gates, suite.metrics)
    scored = Scored(suite, truth.judgments, run, scores, TODAY, checks)
    report = evaluation_report(replace(scored, verdicts=judge(scored, gates)), Header())
    printed = render(report, width=100, details=True)
    assert shown == printed[printed.index("Scenarios\n") : printed.index("\nRun details")]


def test_the_guide_names_the_limits() -> None:
    assert f"the first {MOST_TEXT:,} bytes" in GUIDE
    assert f"the first {MOST_NODES:,} nodes" in GUIDE
