"""A text that gives an expected answer is no review: targets that nobody has looked at are shown as ever."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.evaluation.session.assertions import evaluate_for_test
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Mapping

TEXTS = {"given": "Keys rotate every 90 days.", "not given": "Nothing like it."}
SUITE = """\
metrics: [ndcg@10, judged@10]
gates: ['judged@10 >= 0.5', 'drop(ndcg@10) < 0.1']
cases:
  - {query: how often do keys rotate, answer: Keys rotate every 90 days}
  - {query: rotate, id: [{id: d1, reviewed: false}]}
  - {query: sign, id: [{id: d3, grade: 0, reviewed: false}]}
"""


def search(text: str) -> list[Mapping[str, str]]:
    return [{"id": "d1", "text": text}, {"id": "d2", "text": "Webhooks are retried."}]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_whether_an_answer_is_given_changes_nothing_of_targets_that_wait_for_review(text: str) -> None:
    Path("search.yaml").write_text(SUITE)
    Path("app.py").write_text(f"def search(query, k):\n    return {search(text)!r}\n")
    Path("rankgate.toml").write_text("[systems.app]\nfunction = './app.py:search'\n")
    done = rankgate("test", "search.yaml", "--report", "json=report.json")
    judged, *_ = json.loads(Path("report.json").read_text())["verdicts"]
    assert (done.code, judged["status"]) == (0, "not enforced")
    # The case whose only target is judged irrelevant, and which no gate leaves out.
    assert (judged["counts"]["scored"], judged["counts"]["unreviewed"]) == (1, 1)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_an_assertion_has_a_value_before_anything_is_reviewed(text: str) -> None:
    Path("search.yaml").write_text(SUITE)
    found = evaluate_for_test(Path("search.yaml"), lambda _: search(text))
    assert float(found["ndcg@10"]) == 1.0
