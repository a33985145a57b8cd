"""The contract that every system keeps, as a function for the tests of whoever writes one.

from rankgate.testing import check_system

def test_my_system_keeps_the_contract():
    check_system(MySystem(), queries=("rotate an API key",))
"""

from __future__ import annotations

import contextlib
import json
import math
import reprlib
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from rankgate.errors import RankgateError
from rankgate.locations import Lines
from rankgate.model import Hit, Query, Ranking
from rankgate.plugins import contents_of, is_thread_safe, system_name

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import System

ODD = {
    "an empty query": "",
    "spaces": " \t ",
    "other scripts": "größe 鍵 مفتاح 🔑 e\u0301",
    "quotes": "\"a' `b` \\ “c”",
    "line breaks": "one\ntwo\r\nthree",
    "a NUL": "a\x00b",
    "half of a surrogate pair": "a\ud800b",
    "10 kB": "rotate a key " * 800,
    "SQL": "'; DROP TABLE documents; --",
    "a shell": "$(touch pwned) `id` && rm -rf . | cat",
    "a template": "{query} {k} ${HOME} {{7*7}} %s %(x)s {0}",
    "JSON": '"}], "size": 0, "x": [{"',
    "a query language": 'title:(a AND OR "b" ~ ^ * ? [1 TO',
    "an option": "--help",
}
"""Queries that systems trip over, by what is odd about them."""


def check_system(
    system: System,
    queries: Sequence[str] = ("a",),
    *,
    k: int = 10,
    stable: bool = True,
    secrets: Sequence[str] = (),
    threads: int = 4,
    close: bool = True,
) -> None:
    """Check that a system keeps the contract, and say everything that it breaks at once.

    Answers are rankings of at most k hits of the right types. Whatever is asked, odd queries and unknown
    filters included, is answered or refused with a `RankgateError`, and nothing else is raised. A system that
    says it is thread-safe gives the same answers to several threads. It can be described, and says what it is
    made of, without secrets; and it can be closed twice.

    >>> from rankgate.systems.function.system import FunctionSystem
    >>> check_system(FunctionSystem(lambda query, k: ["a", "b"]))

    Args:
        system: What to check; it is closed at the end.
        queries: Ordinary queries, which must be answered.
        k: How many hits to want.
        stable: Check that the same query has the same answer twice; False for systems that are not exact.
        secrets: Texts that must not be in the description, in hits or in errors.
        threads: How many threads ask at once, where it is thread-safe.
        close: Close it at the end, twice, and see that it stands that.

    Raises:
        AssertionError: with one line for everything that is broken.
    """
    checks = _Checks(system, k, secrets)
    checks.names()
    for text in queries:
        checks.answers(text, stable=stable)
    for what, text in ODD.items():
        checks.odd(what, Query(text, k))
    checks.odd("unknown filters", Query(queries[0] if queries else "a", k, {"no such filter": ("x", "y")}))
    if stable and is_thread_safe(system):
        checks.threads(queries, threads)
    checks.description()
    checks.contents()
    if close:
        checks.closing(queries[0] if queries else "a")
    if checks.broken:
        lines = "\n".join(f"- {line}" for line in checks.broken)
        raise AssertionError(f"{checks.name} breaks the contract of a system:\n{lines}")


class _Checks:
    """Asks a system and keeps what it breaks."""

    def __init__(self, system: System, k: int, secrets: Sequence[str]) -> None:
        self.system = system
        self.name = str(system_name(system))
        self.broken: list[str] = []
        self._k = k
        self._secrets = tuple(secrets)

    def names(self) -> None:
        if not isinstance(getattr(self.system, "name", None), str) or not self.name:
            self._break("name", "it has none; a run's manifest needs one")
        if not isinstance(getattr(self.system, "version", ""), str | None):
            self._break(
                "version", f"it is {_short(getattr(self.system, 'version', None))}, not a string or None"
            )
        if not isinstance(getattr(self.system, "thread_safe", False), bool):
            self._break("thread_safe", "it is neither True nor False")

    def answers(self, text: str, *, stable: bool) -> None:
        """Ask an ordinary query with k, with 1 and with many."""
        first = self._asked(f"{_short(text)}, k={self._k}", Query(text, self._k), must=True)
        if first is None:
            return
        one = self._asked(f"{_short(text)}, k=1", Query(text, 1), must=True)
        many = self._asked(f"{_short(text)}, k=1000", Query(text, 1000), must=True)
        if one is not None and len(one.hits) != min(1, len(first.hits)):
            self._break(
                f"{_short(text)}, k=1", f"{len(one.hits)} hits, where k={self._k} gives {len(first.hits)}"
            )
        if many is not None and len(many.hits) < len(first.hits):
            self._break(
                f"{_short(text)}, k=1000", f"{len(many.hits)} hits, fewer than k={self._k}: {len(first.hits)}"
            )
        if stable:
            again = self._asked(f"{_short(text)}, again", Query(text, self._k), must=True)
            if again is not None and _order(again) != _order(first):
                self._break(
                    _short(text), "another order the second time; say stable=False where that is meant"
                )

    def odd(self, what: str, query: Query) -> None:
        self._asked(what, query, must=False)

    def threads(self, queries: Sequence[str], threads: int) -> None:
        """Ask from several threads at once; each answer must be the one that a single thread gets."""
        asked = [Query(text, self._k) for text in queries]
        try:
            expected = [_order(self.system.search(query)) for query in asked]
        except Exception:  # noqa: BLE001 - told before
            return
        work = [number % len(asked) for number in range(threads * 4)] if asked else []

        def ask(number: int) -> str | None:
            try:
                found = _order(self.system.search(asked[number]))
            except Exception as error:  # noqa: BLE001 - whatever it is, it breaks the contract
                return f"{type(error).__name__}: {_short(str(error))}"
            return None if found == expected[number] else "another answer than a single thread gets"

        with ThreadPoolExecutor(threads) as pool:
            wrong = [one for one in pool.map(ask, work) if one is not None]
        if wrong:
            self._break(f"{threads} threads", f"{len(wrong)} of {len(work)} queries: {wrong[0]}")

    def description(self) -> None:
        describe = getattr(self.system, "describe", None)
        if describe is None:
            return
        try:
            found = describe()
            text = json.dumps(found)
        except Exception as error:  # noqa: BLE001 - whatever it is, it breaks the contract
            self._break("describe()", f"{type(error).__name__}: {_short(str(error))}; JSON must hold it")
            return
        if not isinstance(found, Mapping):
            self._break("describe()", f"{_short(found)}, not a table")
        self._hide("describe()", text)

    def contents(self) -> None:
        """Check that what it is made of is told in texts, and twice alike."""
        try:
            found, again = dict(contents_of(self.system)), dict(contents_of(self.system))
        except Exception as error:  # noqa: BLE001 - whatever it is, it breaks the contract
            self._break("contents()", f"{type(error).__name__}: {_short(str(error))}")
            return
        if not all(isinstance(one, str) for one in (*found, *found.values())):
            self._break("contents()", f"{_short(found)}, where all must be text")
        if found != again:
            self._break("contents()", "another answer the second time")
        self._hide("contents()", str(found))

    def closing(self, text: str) -> None:
        close = getattr(self.system, "close", None)
        if close is None:
            return
        for time in ("close()", "close() a second time"):
            try:
                close()
            except Exception as error:  # noqa: BLE001 - whatever it is, it breaks the contract
                self._break(time, f"{type(error).__name__}: {_short(str(error))}")
        self._asked("a query after close()", Query(text, self._k), must=False)
        # That query may have opened it again.
        with contextlib.suppress(Exception):
            close()

    def _asked(self, what: str, query: Query, *, must: bool) -> Ranking | None:
        """Ask, and check the answer or the refusal."""
        try:
            ranking: Any = self.system.search(query)
        except RankgateError as error:
            self._hide(what, str(error))
            if must:
                self._break(what, f"{type(error).__name__}: {_short(str(error))}")
            return None
        except Exception as error:  # noqa: BLE001 - whatever it is, it breaks the contract
            self._break(what, f"{type(error).__name__} is no RankgateError: {_short(str(error))}")
            return None
        if not isinstance(ranking, Ranking) or not isinstance(ranking.hits, tuple):
            self._break(what, f"{_short(ranking)}, not a Ranking with a tuple of hits")
            return None
        if len(ranking.hits) > query.k:
            self._break(what, f"{len(ranking.hits)} hits, more than k={query.k}")
        wrong = [f"hit {number}: {said}" for number, hit in enumerate(ranking.hits) for said in _wrong(hit)]
        if wrong:
            self._break(what, wrong[0] + (f", and {len(wrong) - 1} more" if len(wrong) > 1 else ""))
            return None
        self._hide(what, repr(ranking))
        found: Ranking = ranking
        return found

    def _hide(self, what: str, text: str) -> None:
        if any(secret in text for secret in self._secrets):
            self._break(what, "a secret is in it")

    def _break(self, what: str, said: str) -> None:
        self.broken.append(f"{what}: {said}")


def _wrong(hit: Any) -> list[str]:
    """Return what is wrong with a hit."""
    if not isinstance(hit, Hit):
        return [f"{_short(hit)}, not a Hit"]
    wrong = [
        f"{name} is {_short(value)}, not a string"
        for name in ("id", "path", "text")
        if not isinstance(value := getattr(hit, name), str | None)
    ]
    if hit.id is None and hit.path is None and hit.text is None:
        wrong.append("it has no id, no path and no text")
    lines: Any = hit.lines
    if not isinstance(lines, Lines | None):
        wrong.append(f"lines is {_short(lines)}, not Lines")
    if hit.score is not None and (type(hit.score) not in (int, float) or math.isnan(hit.score)):
        wrong.append(f"score is {_short(hit.score)}, not a number")
    if hit.tokens is not None and (type(hit.tokens) is not int or hit.tokens < 0):
        wrong.append(f"tokens is {_short(hit.tokens)}, not a whole number")
    return wrong


def _order(ranking: Ranking) -> list[tuple[object, ...]]:
    return [(hit.id, hit.path, hit.lines, hit.text) for hit in ranking.hits]


def _short(value: object) -> str:
    return (
        value if isinstance(value, str) and len(value) < 200 and value.isprintable() else reprlib.repr(value)
    )
