"""A sitting: cases asked in any parts end as they do in a whole evaluation, and nothing is asked twice."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgate.errors import InputError
from rankgate.evaluation import flow
from rankgate.evaluation.flow import Stopwatch, run_evaluation
from rankgate.evaluation.session import suite_session
from rankgate.evaluation.session.assertions import Results
from rankgate.evaluation.session.findings import Findings
from rankgate.evaluation.session.items import ItemStatus
from rankgate.evaluation.session.suite_session import SuiteSession
from rankgate.model import GateText
from rankgate.project import opening
from rankgate.project.settings import Settings
from rankgate.suites.native.yaml_suite import parse_suite
from rankgate.systems.function.system import function_system

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Suite, System, Verdict
    from rankgate.runs.store.tables import Run

SUITE = """\
metrics: [ndcg@10, rr]
gates: [rr >= 0.6, rr >= 0.4 where category = odd, errors <= 2, latency.p95 < 60000ms]
cases:
  - {name: a, query: a, id: {x: 3, y: 1}, category: odd}
  - {name: b, query: b, id: z, category: odd}
  - {name: c, query: c, id: x, top: {id: x, within: 1}, category: odd}
  - {name: d, query: d, id: x, category: odd}
  - {name: e, query: e, expect: empty, category: odd}
  - {name: f, query: f, expect: empty, category: odd}
  - {name: g, query: g, id: x, xfail: {reason: later, until: 2999-01-01}, category: odd}
  - {name: h, query: h, id: x, xfail: {reason: later, until: 2999-01-01}, category: odd}
  - {name: i, query: i, id: [{id: x, reviewed: false}], category: odd}
  - {name: j, query: j, id: x, xfail: {reason: past, until: 2001-01-01}, category: odd}
  - {name: k, query: k, id: x, category: odd}
  - {name: l, query: l, answer: the quick brown fox, category: odd}
scenarios:
  - {name: s, steps: [{search: a, finds: x}]}
invariants:
  - {name: t, empty: f}
"""
ANSWERS: dict[str, list[object]] = {
    "a": ["y", "x"],
    "b": ["x", "y"],
    "c": ["y", "x"],
    "d": ["x"],
    "f": ["x"],
    "h": ["x"],
    "k": ["y", "x"],
    "l": [{"id": "z", "text": "a slow green turtle"}],
}
ENDED = {
    "a": ItemStatus.PASSED,
    "b": ItemStatus.FAILED,
    "c": ItemStatus.FAILED,
    "d": ItemStatus.FAILED,
    "e": ItemStatus.PASSED,
    "f": ItemStatus.FAILED,
    "g": ItemStatus.EXCUSED,
    "h": ItemStatus.CURED,
    "i": ItemStatus.EXCUSED,
    "j": ItemStatus.FAILED,
    "k": ItemStatus.PASSED,
    "l": ItemStatus.FAILED,
}
"""How each case ends; the system fails on d."""


class Asked:
    """A system that counts."""

    def __init__(self) -> None:
        self.queries: Counter[str] = Counter()
        self.closed = 0

    def __call__(self, query: str, k: int) -> list[object]:
        self.queries[query] += 1
        if query == "d":
            raise RuntimeError("no index")
        return ANSWERS.get(query, [])[:k]


def sat(asked: Asked) -> SuiteSession:
    @contextmanager
    def opening() -> Iterator[System | Run]:
        yield function_system(asked, name="asked")
        asked.closed += 1

    return SuiteSession(parse_suite(SUITE, Path("search.yaml")), Settings(max_errors=1), opening)


@settings(max_examples=15)
@given(st.lists(st.lists(st.sampled_from(sorted(ENDED)), max_size=12), max_size=4), st.booleans())
def test_cases_end_the_same_in_whatever_parts_they_are_asked(parts: list[list[str]], whole: bool) -> None:
    asked = Asked()
    one = sat(asked)
    for part in parts:
        one.ask(part)
    wanted = {name for part in parts for name in part}
    assert asked.queries == dict.fromkeys(wanted, 1)
    if whole:
        one.whole()
    one.ask(ENDED)
    ends = {name: one.case(name) for name in ENDED}
    assert {name: end.ended for name, end in ends.items()} == ENDED
    at_once = sat(Asked())
    at_once.ask(ENDED)
    assert ends == {name: at_once.case(name) for name in ENDED}


@settings(max_examples=10)
@given(st.lists(st.sampled_from(sorted(ENDED)), max_size=12))
def test_gates_are_judged_as_in_one_evaluation(before: list[str]) -> None:
    asked = Asked()
    one = sat(asked)
    one.ask(before)
    judged = one.whole()
    # The scenario asks a once more, and the invariant f.
    assert asked.queries == {**dict.fromkeys(ENDED, 1), "a": 2, "f": 2}
    suite = parse_suite(SUITE, Path("search.yaml"))
    expected = run_evaluation(suite, function_system(Asked()), Settings(max_errors=1), Stopwatch())
    assert list(map(without_latency, judged.verdicts)) == list(map(without_latency, expected.verdicts))
    assert judged.exit_code == expected.exit_code


def without_latency(verdict: Verdict) -> tuple[object, ...]:
    timed = "latency" in verdict.gate
    return verdict.gate, verdict.status, None if timed else verdict.reason, verdict.counts


def test_latency_is_that_of_the_time_it_was_asked() -> None:
    one = sat(Asked())
    for name in ENDED:
        one.case(name)
    (latency,) = [verdict.value for verdict in one.whole().verdicts if "latency" in verdict.gate]
    assert latency is not None
    assert latency > 0


def test_scenarios_and_invariants_end_by_themselves() -> None:
    asked = Asked()
    one = sat(asked)
    assert one.scenario(0).ended is ItemStatus.PASSED
    assert one.invariant(0).ended is ItemStatus.FAILED
    assert asked.queries == {"a": 1, "f": 1}


def test_the_system_is_opened_when_it_is_needed_and_closed_once() -> None:
    asked = Asked()
    one = sat(asked)
    one.close()
    assert asked.closed == 0
    one = sat(asked)
    one.case("a")
    one.case("b")
    assert asked.closed == 0
    one.close()
    one.close()
    assert asked.closed == 1


def test_a_system_that_cannot_be_opened_is_tried_once() -> None:
    tried = []

    def opening() -> AbstractContextManager[System | Run]:
        tried.append(1)
        raise InputError("no such system")

    one = SuiteSession(parse_suite(SUITE, Path("search.yaml")), Settings(), opening)
    for name in ENDED:
        with pytest.raises(InputError, match="no such system"):
            one.case(name)
    assert len(tried) == 1


def test_the_corpus_is_opened_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "x.md").write_text("# X\n")
    (tmp_path / "search.yaml").write_text(
        "corpus: docs/\ngates: [rr > 0]\n"
        "cases: [{name: a, query: a, at: x.md}, {name: b, query: b, at: x.md}]\n"
    )
    (tmp_path / "app.py").write_text("def search(query, k):\n    return ['x.md']\n")
    opened = []
    real = opening.open_corpus

    def counting(suite: Suite, root: Path | None) -> Corpus | None:
        opened.append(suite.name)
        return real(suite, root)

    for module in (flow, suite_session):
        monkeypatch.setattr(module, "open_corpus", counting)
    one = SuiteSession.of(tmp_path / "search.yaml", "./app.py:search")
    assert [one.case(name).ended for name in "ab"] == [ItemStatus.PASSED, ItemStatus.PASSED]
    assert one.gate(0).ended is ItemStatus.PASSED
    one.close()
    assert len(opened) == 1


@pytest.mark.parametrize("metric", ["rr", "ndcg@10", "r@1", "p@5", "hit@1", "latency.p95"])
def test_an_assertion_stands_on_what_a_gate_counts(metric: str) -> None:
    text = SUITE.replace("  - {name: l, query: l, answer: the quick brown fox, category: odd}\n", "")
    suite = parse_suite(text, Path("search.yaml"))
    one_gate = Settings(gates=(GateText(f"{metric} >= 0"),), max_errors=9)
    judged = run_evaluation(suite, function_system(Asked()), one_gate, Stopwatch())
    verdict = judged.verdicts[0]
    results = Results(Findings(judged, Path(), 10))
    assert float(results[metric]) == verdict.value
    assert verdict.reason.endswith(results.findings.counted(metric).words)


def test_estimated_labels_are_refused_unless_the_suite_allows_them() -> None:
    text = "cases: [{name: l, query: l, answer: the quick brown fox}]\n"

    def results(text: str) -> Results:
        suite = parse_suite(text, Path("search.yaml"))
        found = function_system(lambda query: [{"id": "z", "text": f"{query}: the quick brown fox"}])
        plain = Settings(metrics=("rr",), gates=())
        return Results(Findings(run_evaluation(suite, found, plain, Stopwatch()), Path(), 10))

    with pytest.raises(InputError, match="rr@10 on estimated labels"):
        results(text).rr()
    assert results("allow_estimated: true\n" + text).rr() == 1
