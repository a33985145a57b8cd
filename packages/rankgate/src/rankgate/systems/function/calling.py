"""Calling a user's function, whether it is asynchronous, answers as a stream, or does not."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, SystemFailedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence


def is_async(function: Callable[..., Any]) -> bool:
    """Check whether a function, or an object that is called, is asynchronous."""
    plain = function if inspect.isroutine(function) else getattr(function, "__call__", function)  # noqa: B004
    return any(
        check(one)
        for one in (function, plain)
        for check in (inspect.iscoroutinefunction, inspect.isasyncgenfunction)
    )


async def settled(
    function: Callable[..., Any], arguments: Iterable[object], keywords: Mapping[str, Any], k: int
) -> object:
    """Call on the loop and wait for the answer, or for the first k hits of a stream."""
    answer = function(*arguments, **keywords)
    if inspect.isawaitable(answer):
        answer = await answer
    return await first_of(answer, k) if hasattr(answer, "__anext__") else answer


async def first_of(hits: AsyncIterator[object], k: int) -> list[object]:
    """Take the first k hits of a stream, and close it."""
    found: list[object] = []
    try:
        while len(found) < k:
            found.append(await anext(hits))
    except StopAsyncIteration:
        pass
    finally:
        if hasattr(hits, "aclose"):
            await hits.aclose()
    return found


def check_number(answers: object, queries: int) -> Sequence[object]:
    """Check that a function which was given a list of queries answered each, and return the answers.

    >>> check_number([["a.md"], []], 2)
    [['a.md'], []]

    Raises:
        SystemFailedError: where it did not.
    """
    expected = f"a list of {queries} answers, one for each query, in their order"
    if not isinstance(answers, (list, tuple)):
        raise SystemFailedError(Code.WRONG_ANSWER("answers", f"a {type(answers).__name__}", expected))
    if len(answers) != queries:
        raise SystemFailedError(Code.WRONG_ANSWER("answers", f"{len(answers)} answers", expected))
    return answers


async def awaited(work: Awaitable[object]) -> object:
    """Wait for it on the loop."""
    return await work
