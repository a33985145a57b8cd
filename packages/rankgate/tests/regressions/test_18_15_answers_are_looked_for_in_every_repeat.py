"""An expected answer that only a later repeat gives counts as one that the first gives."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from rankgate.evaluation.flow import Stopwatch, run_evaluation
from rankgate.evaluation.session.findings import Findings
from rankgate.evaluation.settings import RunOptions, Settings
from rankgate.model import Hit
from rankgate.suites.formats import load_suite
from rankgate.systems.function.system import FunctionSystem
from support.commands import rankgate

RIGHT, WRONG = "keys rotate every 90 days", "nothing like it"
APP = f"""\
from pathlib import Path
def search(query, k):
    log = Path("asked.txt")
    log.write_text((log.read_text() if log.exists() else "") + query + "/")
    if log.read_text().count(query + "/") == TIME:
        return [{{"id": "d1", "text": "{RIGHT}"}}]
    return [{{"id": "d2", "text": "{WRONG}"}}]
"""
SUITE = """\
metrics: [rr]
gates: ['rr = 0.5', 'hit@5 = 0.5']
allow_estimated: true
cases:
  - {query: how often do keys rotate, answer: Keys rotate every 90 days.}
  - {query: turn over, id: [d1, {id: d3, reviewed: REVIEWED}]}
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("reviewed", ["true", "false"])
@pytest.mark.parametrize("time", [1, 2])
def test_whichever_time_gives_the_answer_the_mean_is_the_same(time: int, reviewed: str) -> None:
    Path("app.py").write_text(APP.replace("TIME", str(time)))
    Path("search.yaml").write_text(SUITE.replace("REVIEWED", reviewed))
    Path("rankgate.toml").write_text("[systems.app]\nfunction = './app.py:search'\n")
    done = rankgate("test", "search.yaml", "--repeat", "2")
    assert done.code == 0, done.out


@pytest.mark.parametrize("time", [1, 2])
def test_a_metric_that_is_asked_for_afterwards_sees_every_repeat(time: int) -> None:
    Path("search.yaml").write_text(SUITE.replace("REVIEWED", "true"))
    asked = Counter[str]()

    def search(query: str) -> list[Hit]:
        asked[query] += 1
        return [Hit(id="d1", text=RIGHT) if asked[query] == time else Hit(id="d2", text=WRONG)]

    settings = Settings(asking=RunOptions(repeat=2))
    done = run_evaluation(load_suite("search.yaml"), FunctionSystem(search), settings, Stopwatch())
    assert Findings(done, Path(), 10).counted("hit@5").value == 0.5
