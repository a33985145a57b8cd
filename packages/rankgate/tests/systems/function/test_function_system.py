"""Functions, classes and objects of users as systems."""

from __future__ import annotations

import asyncio
import functools
import threading
from contextlib import closing
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, PluginError, SystemFailedError
from rankgate.model import Hit, Query, Ranking, System
from rankgate.systems.function.system import FunctionOptions, FunctionSystem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
    from pathlib import Path

    import rankgate.model as rg

QUERY = Query("rotate a key", k=3, filters={})


def ids(system: System, query: Query = QUERY) -> list[str | None]:
    return [hit.id for hit in system.search(query).hits]


def annotated(asked: Query) -> list[str]:
    return [asked.text, str(asked.k)]


def annotated_by_module(asked: rg.Query, more: int = 0) -> list[str]:
    return [asked.text, str(asked.k)]


def named(query: str, top_k: int = 5) -> list[str]:
    return [query, str(top_k)]


def keyword_only(query: str, *, limit: int, filters: object = None) -> list[str]:
    return [query, str(limit)]


def second_is_something_else(query: str, rerank: bool = True) -> list[str]:
    assert rerank is True
    return [query, "3"]


def streamed(query: str, k: int) -> Iterator[str]:
    yield query
    yield str(k)


async def awaited(query: str, k: int) -> list[str]:
    await asyncio.sleep(0)
    return [query, str(k)]


async def streamed_later(query: str, k: int) -> AsyncIterator[str]:
    yield query
    yield str(k)
    while True:
        await asyncio.sleep(0)
        yield "more"


def indexed(index: str, query: str, k: int) -> list[str]:
    return [query, str(k)]


def handed_on(query: str, k: int) -> Awaitable[list[str]]:
    return awaited(query, k)


class Engine:
    closed = False

    def search(self, query: Query) -> Ranking:
        return Ranking((Hit(id=query.text), Hit(id=str(query.k))))

    def close(self) -> None:
        type(self).closed = True


class Called:
    async def __call__(self, query: str, k: int) -> list[str]:
        return await awaited(query, k)


@pytest.mark.parametrize(
    "function",
    [
        lambda query: [query, "3"],
        lambda query, k: [query, str(k)],
        lambda query, number: [query, str(number)],
        lambda query, k, filters: [query, str(k)][: 2 + len(filters)],
        lambda *both: [both[0], str(both[1])],
        functools.partial(indexed, "index"),
        annotated,
        annotated_by_module,
        named,
        keyword_only,
        second_is_something_else,
        streamed,
        awaited,
        handed_on,
        Engine,
        Engine(),
        Engine().search,
        Called,
    ],
)
def test_a_function_is_called_as_its_signature_says(function: object) -> None:
    with closing(FunctionSystem(function)) as system:
        assert ids(system) == ["rotate a key", "3"]


def test_a_stream_that_is_asynchronous_is_read_for_k_hits() -> None:
    with closing(FunctionSystem(streamed_later)) as system:
        assert ids(system) == ["rotate a key", "3", "more"]


def test_every_call_is_on_one_loop_and_close_ends_its_thread() -> None:
    loops = set()

    async def search(query: str, k: int) -> list[str]:
        loops.add(asyncio.get_running_loop())
        return [threading.current_thread().name]

    # Another test may have left a call behind that never returns.
    before = set(threading.enumerate())
    system = FunctionSystem(search)
    assert ids(system) == ids(system) == ["rankgate-portal"]
    assert len(loops) == 1
    system.close()
    system.close()
    assert "rankgate-portal" not in {thread.name for thread in threading.enumerate() if thread not in before}


def test_only_what_was_made_here_is_closed() -> None:
    class One(Engine):
        closed = False

    FunctionSystem(One()).close()
    assert not One.closed
    FunctionSystem(One).close()
    assert One.closed


def test_hits_over_k_are_counted() -> None:
    system = FunctionSystem(too_many)
    system.search(QUERY)
    assert system.dropped == 2


def test_filters_that_a_function_cannot_take_are_not_lost_in_silence() -> None:
    filtered = Query("a", filters={"language": "go"})
    with pytest.raises(SystemFailedError, match=r"found filters language.*write search\(query, k, filters\)"):
        FunctionSystem(named).search(filtered)

    def taking(query: str, k: int, filters: dict[str, str]) -> list[str]:
        return list(filters.values())

    assert ids(FunctionSystem(taking), filtered) == ["go"]


def too_many(query: str) -> list[str]:
    return ["a"] * 5


def nothing_is_asked() -> list[str]:
    return []


def query_by_keyword(*, query: str) -> list[str]:
    return []


def needs_more(query: str, k: int, filters: object, index: object) -> list[str]:
    return []


@pytest.mark.parametrize("function", [needs_more, nothing_is_asked, query_by_keyword, 3, object()])
def test_a_signature_that_cannot_be_called_is_refused_before_any_query(function: Any) -> None:
    with pytest.raises(InputError, match=r"search\(query, k\)"):
        FunctionSystem(function)


def write(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text, encoding="utf-8")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_function_is_named_by_module_or_by_file(project: Path) -> None:
    text = "__version__ = '1.2'\ndef search(query, k):\n    return [query] * k\n"
    write(project, "shopsearch.py", text)
    for target in ("shopsearch:search", "./shopsearch.py:search"):
        system = FunctionSystem(target)
        assert ids(system) == ["rotate a key"] * 3
        assert system.describe()["target"] == target
    assert FunctionSystem("shopsearch:search").version == "1.2"


def test_files_are_relative_to_the_root(project: Path) -> None:
    (project / "inner").mkdir()
    write(project / "inner", "beside.py", "NAME = 'found'\n")
    write(project / "inner", "engine.py", "import beside\nsearch = lambda query: [beside.NAME]\n")
    assert ids(FunctionSystem("./engine.py:search", FunctionOptions(root="inner"))) == ["found"]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("nothere:search", "No module named 'nothere'"),
        ("./nothere.py:search", "no Python file"),
        ("broken:search", r"broken\.py:2: found ZeroDivisionError"),
        ("unfinished:search", "SyntaxError"),
        ("leaving:search", r"leaving\.py:1: found SystemExit: 4"),
        ("picky:Engine", r"TypeError.*made without arguments"),
    ],
)
def test_a_function_that_does_not_load_is_an_error_of_the_call(
    project: Path, target: str, words: str
) -> None:
    write(project, "broken.py", "x = 0\n1 / x\n")
    write(project, "unfinished.py", "def search(:\n")
    write(project, "leaving.py", "raise SystemExit(4)\n")
    write(
        project, "picky.py", "class Engine:\n    def __init__(self, url): ...\n    def search(self, q): ...\n"
    )
    with pytest.raises(PluginError, match=words):
        FunctionSystem(target)


@pytest.mark.parametrize("text", ["search", ":search", "app:"])
def test_a_target_needs_a_module_and_a_name(text: str) -> None:
    with pytest.raises(InputError, match="module:attr"):
        FunctionSystem(text)


FAILING = """
import json
def search(query, k):
    return helper(query)
def helper(query):
    return json.loads(query)
async def later(query, k):
    return helper(query)
def streamed(query, k):
    yield "a"
    raise SystemExit(3)
"""


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("search", r"^JSONDecodeError: Expecting value.* \(failing\.py:6\)$"),
        ("later", r"^JSONDecodeError: .* \(failing\.py:6\)$"),
        ("streamed", r"^SystemExit: 3 \(failing\.py:11\)$"),
    ],
)
def test_an_exception_is_told_with_the_line_of_the_users_code(project: Path, name: str, words: str) -> None:
    write(project, "failing.py", FAILING)
    with (
        closing(FunctionSystem(f"./failing.py:{name}")) as system,
        pytest.raises(SystemFailedError, match=words),
    ):
        system.search(QUERY)


def raising(error: BaseException) -> Callable[[str], list[str]]:
    def search(query: str) -> list[str]:
        raise error

    return search


def test_a_time_out_stays_one() -> None:
    with pytest.raises(TimeoutError) as caught:
        FunctionSystem(raising(TimeoutError("10 s"))).search(QUERY)
    assert isinstance(caught.value, SystemFailedError)
    assert "TimeoutError: 10 s (" in str(caught.value)


def test_an_exit_inside_a_coroutine_does_not_hang() -> None:
    async def leave(query: str) -> list[str]:
        raise SystemExit(2)

    with closing(FunctionSystem(leave)) as system:
        for _ in range(2):
            with pytest.raises(SystemFailedError, match="SystemExit: 2"):
                system.search(QUERY)


def test_control_characters_of_an_exception_are_escaped() -> None:
    with pytest.raises(SystemFailedError) as caught:
        FunctionSystem(raising(ValueError("\x1b[2Jgone\nsecond"))).search(QUERY)
    assert r"ValueError: \x1b[2Jgone\nsecond" in str(caught.value)


def test_an_interrupt_is_not_swallowed() -> None:
    with pytest.raises(KeyboardInterrupt):
        FunctionSystem(raising(KeyboardInterrupt())).search(QUERY)


def test_function_without_a_module_is_named_by_its_own_name() -> None:
    made: dict[str, Any] = {}
    exec("def search(query, k):\n    return []", made)
    assert FunctionSystem(made["search"]).name == "search"
