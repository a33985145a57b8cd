"""`batch = 32`: a function that takes a list of queries, or an object with `search_many`."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

import rankgate as rg
from rankgate.errors import InputError, SystemFailedError
from rankgate.systems.function.system import FunctionOptions, FunctionSystem, open_function
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

QUERIES = [rg.Query(text, k=2) for text in ("a", "b", "c")]


def listed(queries: list[str], k: int) -> list[list[str]]:
    return [[f"{text}{rank}" for rank in range(k + 1)] for text in queries]


async def waited(queries: list[str], k: int) -> list[list[str]]:
    return listed(queries, k)


def whole_queries(queries: rg.Query) -> list[list[str]]:
    return [[f"{one.text}{rank}" for rank in range(3)] for one in queries]  # type: ignore[attr-defined]


class Both:
    """Has a search for one and one for many."""

    def search(self, query: str, k: int) -> list[str]:  # noqa: ARG002
        raise AssertionError("search_many is asked, for one query too")

    def search_many(self, queries: list[str], k: int) -> list[list[str]]:
        return listed(queries, k)


@pytest.mark.parametrize("target", [listed, waited, whole_queries, Both, Both()])
def test_a_list_of_queries_is_answered_by_a_list(target: Any) -> None:
    system = FunctionSystem(target, FunctionOptions(batch=3))
    found = [[hit.id for hit in one.hits] for one in system.search_many(QUERIES)]
    assert found == [["a0", "a1"], ["b0", "b1"], ["c0", "c1"]]
    assert system.dropped == 3
    assert [hit.id for hit in system.search(rg.Query("d", k=1)).hits] == ["d0"]
    assert system.describe()["batch"] == 3
    assert isinstance(system, rg.BatchSystem)
    system.close()


def test_queries_of_another_k_or_other_filters_are_another_call() -> None:
    calls = []

    def filtered(queries: list[str], k: int, filters: object) -> list[list[str]]:
        calls.append((queries, k, filters))
        return [[text] for text in queries]

    system = FunctionSystem(filtered, FunctionOptions(batch=8))
    queries = [*QUERIES, rg.Query("d", 5), rg.Query("e", 5, {"lang": ("en",)})]
    assert [one.hits[0].id for one in system.search_many(queries)] == ["a", "b", "c", "d", "e"]
    assert [(texts, k) for texts, k, _ in calls] == [(["a", "b", "c"], 2), (["d"], 5), (["e"], 5)]


@pytest.mark.parametrize(
    ("answer", "words"),
    [([["a"]], "1 answers"), ({"a": []}, "a dict"), ("abc", "a str"), (None, "a NoneType")],
)
def test_an_answer_to_another_number_of_queries_is_refused(answer: object, words: str) -> None:
    system = FunctionSystem(lambda queries, k: answer, FunctionOptions(batch=3))  # noqa: ARG005
    with pytest.raises(SystemFailedError, match=words):
        system.search_many(QUERIES)


def test_a_batch_that_is_no_number_of_queries_is_refused() -> None:
    with pytest.raises(InputError, match="1 or more"):
        open_function("app", {"target": f"{__name__}:listed", "batch": 0})


def test_a_batch_has_the_time_of_one_call() -> None:
    system = FunctionSystem(lambda queries, k: time.sleep(5), FunctionOptions(batch=3, timeout=0.1))  # noqa: ARG005
    with pytest.raises(TimeoutError):
        system.search_many(QUERIES)


PROJECT = {
    "rankgate.toml": """[systems.app]
function = "app:search"
batch = 4
""",
    "app.py": """CALLS = []
def search(queries, k):
    CALLS.append(len(queries))
    print("asked", len(queries))
    return [[query.split()[-1] + ".md"] for query in queries]
""",
    "search.yaml": "metrics: [rr]\ngates: [rr >= 1]\ncases:\n"
    + "".join(f"  - query: where is {name}\n    id: {name}.md\n" for name in "abcdefghij"),
}


def test_a_configured_function_is_asked_in_batches_and_the_report_says_what_latency_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, text in PROJECT.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    done = rankgate("test", "search.yaml")
    assert done.code == 0
    out = done.out
    assert [line for line in out.splitlines() if line.startswith("asked ")][:3] == [
        "asked 4",
        "asked 4",
        "asked 2",
    ]
    assert "asked 4 queries at a time: the latency of each is that of its batch" in out
