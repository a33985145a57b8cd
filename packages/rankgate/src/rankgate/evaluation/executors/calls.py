"""A function that is called with many items on the machines of a cluster: as it is sent there, and answered.

It must be importable there by its name. What computes is checked to be the same everywhere, since another
version of it may round otherwise.
"""

from __future__ import annotations

import socket
from importlib.metadata import version
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from rankgate.errors import Code, InputError, RankgateError, SystemFailedError
from rankgate.evaluation.executors.cluster import FIRST_PATIENCE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

Item = TypeVar("Item")
Result = TypeVar("Result")
_AT_ONCE = 2
_COMPUTING = ("numpy", "polars", "rankgate")


def computing_versions() -> dict[str, str]:
    """Return the versions of what computes here."""
    return {name: version(name) for name in _COMPUTING}


def called_each(
    ray: Any, function: Callable[[Item], Result], items: Iterable[Item], cores: int
) -> Iterator[Result]:
    """Call a function with every item by tasks of Ray, and yield the results as they come.

    Items are taken as there is room for them, so that few are in memory at a time. Ray begins a call again
    whose machine is lost.

    Raises:
        RankgateError: where the function raises one.
        SystemFailedError: where no call ends for a while, and where one is lost again and again.
    """
    task = ray.remote(checked_call).options(num_cpus=1, max_retries=3, scheduling_strategy="SPREAD")
    versions, source, silent, under_way = computing_versions(), iter(items), 0.0, list[Any]()
    while True:
        room = _AT_ONCE * cores - len(under_way)
        under_way += [task.remote(function, versions, item) for item in islice(source, room)]
        if not under_way:
            return
        done = done_calls(ray, under_way, 1.0)
        silent = 0.0 if done else silent + 1.0
        if silent > FIRST_PATIENCE:
            raise _failed(f"no part done for {FIRST_PATIENCE:g} s", "see that the cluster is up and has room")
        for one in done:
            under_way.remove(one)
            yield _taken(ray, one)


def done_calls(ray: Any, calls: Sequence[Any], seconds: float) -> Sequence[Any]:
    """Wait until one of the calls is done, and return those that are."""
    done: Sequence[Any] = ray.wait(list(calls), num_returns=1, timeout=seconds)[0]
    if done:
        done = ray.wait(list(calls), num_returns=len(calls), timeout=0)[0] or done
    return done


def checked_call(function: Callable[[Item], Result], versions: Mapping[str, str], item: Item) -> Any:
    """Call a function where this runs; what it refuses is returned, for whoever sent it to raise."""
    found = computing_versions()
    try:
        if differing := [name for name in _COMPUTING if found[name] != versions[name]]:
            here, there = (", ".join(f"{name} {of[name]}" for name in differing) for of in (found, versions))
            fix = "install the same versions on every machine"
            raise InputError(Code.OTHER_ANSWERS(socket.gethostname(), here, there, fix))
        return function(item)
    except RankgateError as error:
        return error


def _taken(ray: Any, call: Any) -> Any:
    try:
        result = ray.get(call, timeout=60)
    except ray.exceptions.RayTaskError:
        # A fault of the function, not of the cluster.
        raise
    except ray.exceptions.RayError as error:
        found = f"workers that are lost ({str(error).strip().splitlines()[-1]})"
        raise _failed(found, "see what its machines have room for") from error
    if isinstance(result, RankgateError):
        raise result
    return result


def _failed(found: str, fix: str) -> SystemFailedError:
    return SystemFailedError(Code.SYSTEM_FAILED("--executor", found, "a cluster that computes", fix))
