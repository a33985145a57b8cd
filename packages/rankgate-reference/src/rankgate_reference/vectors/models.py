"""Embedding models by name: what turns texts into vectors.

An embedder is a plugin: an entry point of the group ``rankgate.embedders``, or ``module:attr``. What follows
a slash is given to it: ``fastembed/BAAI/bge-small-en-v1.5`` asks the plugin ``fastembed`` for that model.
"""

from __future__ import annotations

import re
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import rankgate as rg

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import numpy as np
    from numpy.typing import NDArray

GROUP = "rankgate.embedders"
"""The entry points that name embedders."""

DEFAULT = "minilm"
"""What embeds where nothing else is named: it is in a wheel, and asks no hub and no server."""

LONGEST = 2000
"""How many characters of a text are embedded."""

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|_+")


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into vectors. The same text gives the same vector, whatever stands beside it.

    It may have a `digest`, a text that changes with whatever its vectors are made of: its vectors are then
    kept by text on this machine, and no text is embedded twice.
    """

    @property
    def name(self) -> str:
        """What it is called; vectors of one name can be compared."""

    @property
    def dimensions(self) -> int:
        """How many numbers a vector has."""

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector of length 1 for each text; zeros for a text that says nothing."""


def load_embedder(name: str = DEFAULT) -> Embedder:
    """Open the embedder of a name.

    Raises:
        InputError: for a name that is unknown, and where what it needs is not installed.
    """
    plugin, _, model = name.partition("/")
    points = {point.name: point for point in entry_points(group=GROUP)}
    if plugin not in points and ":" not in name:
        known = ", ".join(sorted(points)) or "none"
        raise rg.InputError(rg.Problem("model", repr(name[:80]), f"one of {known}, or module:attr"))
    try:
        made = (
            _made(points[plugin].load(), model)
            if plugin in points
            else _made(EntryPoint(name, name, GROUP).load(), "")
        )
    except rg.RankgateError:
        raise
    except Exception as error:  # a plugin may raise anything while it is imported or opened
        said = f"{type(error).__name__}: {error}"
        raise rg.InputError(rg.Problem(f"model {name[:80]!r}", said, "an embedder that opens")) from error
    if not isinstance(made, Embedder):
        found = f"{type(made).__name__}, which lacks name, dimensions or embed"
        raise rg.InputError(rg.Problem(f"model {name[:80]!r}", found, "an embedder"))
    return made


def normalised(vectors: NDArray[Any]) -> NDArray[np.float32]:
    """Scale vectors to the length 1; those of zeros, or of what is no number, become zeros.

    >>> import numpy as np
    >>> normalised(np.array([[3.0, 4.0], [0.0, 0.0]])).round(2).tolist()
    [[0.6000000238418579, 0.800000011920929], [0.0, 0.0]]
    """
    import numpy as np

    vectors = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    good = np.isfinite(lengths) & (lengths > 0)
    return np.where(good, vectors / np.where(good, lengths, 1), 0).astype(np.float32)


def spelled_out(text: str) -> str:
    """Write identifiers as the words they are made of, as models were trained on words.

    >>> spelled_out("getUserName(max_age)")
    'get User Name(max age)'
    """
    return _HUMP.sub(" ", text)


def not_installed(model: str, found: str, package: str) -> rg.InputError:
    """Return how to install what a model needs."""
    fix = f"to install: pip install '{package}'"
    return rg.InputError(rg.Problem(f"model {model!r}", f"not installed ({found})", "the package", fix))


def sound(text: str) -> str:
    """Make a text one that can be encoded."""
    return text.encode(errors="replace").decode()


def _made(found: Any, model: str) -> object:
    """Return the embedder that a plugin is, or that it makes."""
    if not isinstance(found, type) and isinstance(found, Embedder):
        if model:
            problem = rg.Problem(
                f"model {model[:80]!r}", f"a model for {found.name}", "none: it is one itself"
            )
            raise rg.InputError(problem)
        return found
    make: Callable[..., object] = found
    return make(model) if model else make()
