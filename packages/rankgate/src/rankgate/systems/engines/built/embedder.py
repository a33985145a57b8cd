"""The user's own embedder: ``module:function``, from a list of texts to a list of vectors."""

from __future__ import annotations

import math
from threading import Lock
from typing import TYPE_CHECKING, cast

from rankgate.errors import InputError, Problem, SystemFailedError
from rankgate.systems.adapter.failures import shown, told
from rankgate.systems.adapter.options import load_hook
from rankgate.systems.adapter.templates import utf8

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

_EXPECTED = "one vector of numbers for each text"


class Embedder:
    """Calls a function for vectors, one thread at a time, and distrusts what it returns.

    >>> Embedder(lambda texts: [[len(text), 0.5] for text in texts], "app.embedder")(["abc"])
    [[3.0, 0.5]]
    """

    def __init__(self, function: object, where: str) -> None:
        if not callable(function):
            raise InputError(Problem(where, shown(function), "a function from texts to vectors"))
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
            raise SystemFailedError(Problem(self._where, told(error), _EXPECTED)) from error
        sizes = {len(vector) for vector in vectors}
        if len(vectors) != len(texts) or len(sizes) > 1 or 0 in sizes:
            found = f"{len(vectors)} vectors of lengths {sorted(sizes)} for {len(texts)} texts"
            raise SystemFailedError(Problem(self._where, found, _EXPECTED))
        if not all(math.isfinite(number) for vector in vectors for number in vector):
            raise SystemFailedError(Problem(self._where, "a number that is not finite", _EXPECTED))
        return vectors


def load_embedder(target: str | None, root: str, where: str) -> Embedder | None:
    """Import the embedder that a configuration names; None where it names none.

    Raises:
        InputError: where it does not import or cannot be called.
    """
    return None if target is None else Embedder(load_hook(target, root, where), where)
