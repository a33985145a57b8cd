"""Working out the next item while the last one is used."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

Item = TypeVar("Item")


def one_ahead(items: Iterable[Item]) -> Iterator[Item]:
    """Give the same items, the next one always under way in a thread.

    Reading and joining release the interpreter's lock, so that they overlap with arithmetic on arrays.

    >>> list(one_ahead(range(3)))
    [0, 1, 2]
    """
    source = iter(items)
    end = object()
    with ThreadPoolExecutor(max_workers=1) as thread:
        coming = thread.submit(next, source, end)
        while (item := coming.result()) is not end:
            coming = thread.submit(next, source, end)
            yield item  # type: ignore[misc]
