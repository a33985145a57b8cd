"""The user's own function that makes vectors of texts."""

from __future__ import annotations

import math
from threading import Lock
from typing import TYPE_CHECKING, cast

from rankgate.errors import Code, InputError, SystemFailedError
from rankgate.systems.adapter.failures import shown, told
from rankgate.systems.adapter.options import load_hook
from rankgate.systems.adapter.templates import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_VECTORS = "one vector of numbers for each text"


class Embedder:
    """Calls the user's own function for vectors, one thread at a time, and distrusts what it returns.

    >>> Embedder(lambda texts: [[len(text), 0.5] for text in texts], "app.embedder")(["abc"])
    [[3.0, 0.5]]
    """

    def __init__(self, function: object, where: str) -> None:
        if not callable(function):
            raise InputError(Code.WRONG_SIGNATURE(where, shown(function), "a function from texts to vectors"))
        self._function = cast("Callable[[list[str]], Iterable[Iterable[float]]]", function)
        self._where = where
        self._lock = Lock()

    def __call__(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts.

        Raises:
            SystemFailedError: where the function raises, or returns anything else than vectors of one length.
        """
        try:
            with self._lock:
                vectors = [
                    [float(number) for number in vector]
                    for vector in self._function([utf8(text) for text in texts])
                ]
        except Exception as error:
            raise SystemFailedError(Code.SYSTEM_RAISED(self._where, told(error), _VECTORS)) from error
        sizes = {len(vector) for vector in vectors}
        if len(vectors) != len(texts) or len(sizes) > 1 or 0 in sizes:
            found = f"{len(vectors)} vectors of lengths {sorted(sizes)} for {len(texts)} texts"
            raise SystemFailedError(Code.WRONG_ANSWER(self._where, found, _VECTORS))
        if not all(math.isfinite(number) for vector in vectors for number in vector):
            raise SystemFailedError(Code.WRONG_ANSWER(self._where, "a number that is not finite", _VECTORS))
        return vectors


def load_embedder(target: str | None, root: str, where: str) -> Embedder | None:
    """Import the embedder that a configuration names; None where it names none.

    Raises:
        InputError: where it does not import or cannot be called.
    """
    return None if target is None else Embedder(load_hook(target, root, where), where)
