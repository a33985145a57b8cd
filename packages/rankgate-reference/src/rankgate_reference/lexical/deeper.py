"""More hits behind those that were found: whoever asks for many meets the same first ones.

How good a node is depends on the nodes it is compared with. So as many as are looked at anyway are ranked
first; what a wider look finds beside them follows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate_reference.lexical.index import Scored

_WIDER = 4
_BEHIND = 0.9


def in_layers(ask: Callable[[int], list[Scored]], k: int, first: int, most: int) -> list[Scored]:
    """Find k nodes, the first of them the same whatever k is.

    Args:
        ask: Ranks what a look at so many nodes finds.
        k: How many are wanted.
        first: How many are looked at first.
        most: How many nodes there are; engines make room for as many as are asked for, and end the process
            where there is none.
    """
    size = max(1, min(first, most))
    found = ask(size)
    while len(found) < k and size < most:
        size = min(size * _WIDER, most)
        seen = {one.id for one in found}
        more = [one for one in ask(size) if one.id not in seen]
        if found and more:
            scale = found[-1].score * _BEHIND / more[0].score if more[0].score > 0 else 0.0
            more = [replace(one, score=one.score * scale) for one in more]
        found += more
    return found[: max(0, k)]
