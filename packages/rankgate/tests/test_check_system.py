"""The contract of a system: kept by those that come with rankgate; told line by line where it is broken."""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import SystemFailedError
from rankgate.model import Hit, Query, Ranking
from rankgate.systems.command import CommandOptions, CommandSystem
from rankgate.systems.function.system import FunctionOptions, FunctionSystem
from rankgate.testing import check_system

if TYPE_CHECKING:
    from collections.abc import Callable

HITS = (Hit(id="a", score=2.0), Hit(id="b", score=1.0))


class Good:
    """A system that keeps the contract, for tests to break in one place each."""

    name = "good"
    version: Any = "1"
    thread_safe: Any = True

    def search(self, query: Query) -> Ranking:
        return Ranking(HITS[: query.k])

    def describe(self) -> Any:
        return {"kind": "good"}

    def close(self) -> None:
        pass


def broken(system: Any, **options: Any) -> str:
    with pytest.raises(AssertionError) as caught:
        check_system(system, ("rotate a key",), **options)
    return str(caught.value)


def answering(answer: Callable[[Query], Any]) -> Good:
    system = Good()
    vars(system)["search"] = answer
    return system


def test_a_good_system_passes() -> None:
    check_system(Good(), ("rotate a key",), secrets=("s3cr3t",))


def test_functions_keep_the_contract() -> None:
    def search(query: str, k: int) -> list[tuple[str, float]]:
        return [(f"doc-{number}", 1.0 / number) for number in range(1, 1 + min(k, len(query.split())))]

    check_system(FunctionSystem(search, FunctionOptions(thread_safe=True)), ("rotate a key", "hook"))


def test_commands_keep_the_contract() -> None:
    code = "import sys, json; print(json.dumps(sys.argv[1].split()[:int(sys.argv[2])]))"
    command = (sys.executable, "-S", "-c", code, "{query}", "{k}")
    check_system(CommandSystem(CommandOptions(command)), ("rotate a key",), threads=2)


def test_everything_that_is_broken_is_said_at_once() -> None:
    class Bad(Good):
        name = "bad"
        version = 3
        thread_safe = "yes"

        def search(self, _query: Query) -> Ranking:
            return Ranking((*HITS, *HITS))

        def describe(self) -> Any:
            return {"when": {1, 2}}

        def contents(self) -> Any:
            return {"when": 3}

    said = broken(Bad())
    assert said.startswith("bad breaks the contract of a system:\n- version: it is 3, not a string or None\n")
    assert "- thread_safe: it is neither True nor False" in said
    assert "- rotate a key, k=1: 4 hits, more than k=1" in said
    assert "- describe(): TypeError" in said
    assert "- contents(): {'when': 3}, where all must be text" in said


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda _: ["a"], "['a'], not a Ranking"),
        (lambda _: Ranking([Hit(id="a")]), "not a Ranking with a tuple of hits"),  # type: ignore[arg-type]
        (lambda _: Ranking(("a",)), "hit 0: a, not a Hit"),  # type: ignore[arg-type]
        (lambda _: Ranking((Hit(),)), "hit 0: it has no id, no path and no text"),
        (lambda _: Ranking((Hit(id=3),)), "hit 0: id is 3, not a string"),  # type: ignore[arg-type]
        (lambda _: Ranking((Hit(id="a", lines=(1, 2)),)), "lines is (1, 2), not Lines"),  # type: ignore[arg-type]
        (lambda _: Ranking((Hit(id="a", score=float("nan")),)), "score is nan, not a number"),
        (lambda _: Ranking((Hit(id="a", tokens=-1),)), "tokens is -1, not a whole number"),
        (lambda q: Ranking((HITS * 9)[: q.k] if q.k < 99 else HITS[:1]), "1 hits, fewer than k=10: 10"),
        (lambda q: Ranking(HITS if q.k > 1 else ()), "k=1: 0 hits, where k=10 gives 2"),
    ],
)  # fmt: skip
def test_answers_that_are_none_are_told(answer: Callable[[Query], Any], said: str) -> None:
    assert said in broken(answering(answer))


def test_a_query_that_must_be_answered_may_not_be_refused() -> None:
    def refuse(_: Query) -> Ranking:
        raise SystemFailedError("not today")

    assert "rotate a key, k=10: SystemFailedError: not today" in broken(answering(refuse))


def test_odd_queries_may_be_refused_but_not_with_another_exception() -> None:
    def picky(query: Query) -> Ranking:
        if query.text != "rotate a key" or query.filters:
            raise SystemFailedError("I know one query")
        return Ranking(HITS[: query.k])

    check_system(answering(picky), ("rotate a key",))

    def fragile(query: Query) -> Ranking:
        if '"' in query.text or query.filters:
            raise ValueError("cannot parse")
        return Ranking(HITS[: query.k])

    said = broken(answering(fragile))
    assert "quotes: ValueError is no RankgateError: cannot parse" in said
    assert "unknown filters: ValueError" in said
    assert "line breaks" not in said


def test_an_order_that_changes_is_told_unless_it_is_meant() -> None:
    turn = itertools.count()

    def shuffled(query: Query) -> Ranking:
        return Ranking((HITS if next(turn) % 2 else HITS[::-1])[: query.k])

    said = broken(answering(shuffled))
    assert "rotate a key: another order the second time" in said
    check_system(answering(shuffled), ("rotate a key",), stable=False)


def test_answers_that_several_threads_mix_up_are_told() -> None:
    class Mixed(Good):
        text = ""

        def search(self, query: Query) -> Ranking:
            self.text = query.text
            time.sleep(0.002)
            return Ranking((Hit(id=f"id {self.text}"),))

    with pytest.raises(AssertionError, match=r"4 threads: \d+ of 16 queries: another answer than a single"):
        check_system(Mixed(), ("a", "b"))
    mixed = Mixed()
    mixed.thread_safe = False
    check_system(mixed, ("a", "b"))


def test_threads_that_fail_are_told() -> None:
    main = threading.current_thread()

    def only_here(query: Query) -> Ranking:
        if threading.current_thread() is not main:
            raise RuntimeError("made in another thread")
        return Ranking(HITS[: query.k])

    assert "4 threads: 16 of 16 queries: RuntimeError: made in another thread" in broken(answering(only_here))


def test_secrets_in_descriptions_hits_and_errors_are_told() -> None:
    class Open(Good):
        def describe(self) -> Any:
            return {"headers": {"X": "s3cr3t"}}

        def contents(self) -> Any:
            return {"https://s3cr3t@host": "1"}

        def search(self, query: Query) -> Ranking:
            if not query.text.strip():
                raise SystemFailedError("s3cr3t was refused")
            return Ranking((Hit(id="a", text="s3cr3t"),))

    said = broken(Open(), secrets=("s3cr3t",))
    assert "describe(): a secret is in it" in said
    assert "contents(): a secret is in it" in said
    assert "rotate a key, k=10: a secret is in it" in said
    assert "an empty query: a secret is in it" in said


def test_a_system_that_cannot_be_closed_twice_is_told() -> None:
    class Once(Good):
        closed = False

        def close(self) -> None:
            if self.closed:
                raise ValueError("closed already")
            self.closed = True

    assert "close() a second time: ValueError: closed already" in broken(Once())
    check_system(Once(), ("a",), close=False)


def test_the_function_needs_nothing_heavy() -> None:
    code = (
        "import sys, rankgate.testing; print([m for m in ('numpy', 'polars', 'pytest') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert json.loads(done.stdout.replace(b"'", b'"')) == []
