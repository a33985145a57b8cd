"""What chunkers share that cut by another library, which is imported where it is used."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar

from rankgate.errors import Code, InputError


@dataclass(frozen=True)
class LibraryChunker:
    """Base of the chunkers that cut by another library."""

    libraries: ClassVar[tuple[str, ...]] = ()
    """The distributions that it cuts by: with other versions, pieces may be others."""
    extra: ClassVar[str] = ""
    """The extra of rankgate that brings them."""

    notes: Counter[str] = field(default_factory=Counter, init=False, repr=False, compare=False)
    """Counts the files that were cut otherwise, by the words that say how."""

    def _load(self, module: str) -> Any:
        """Import a module of the library.

        Raises:
            InputError: where it is not installed, with how to install it.
        """
        try:
            return import_module(module)
        except ImportError as error:
            fix = f"to install: pip install 'rankgate[{self.extra}]'"
            raise InputError(
                Code.MISSING_EXTRA("chunks", str(error), f"{module} to be importable", fix)
            ) from error


def check_sizes(size: int, overlap: int) -> None:
    """Refuse sizes by which nothing can be cut.

    Raises:
        InputError: with both.
    """
    if not 0 <= overlap < size:
        raise InputError(Code.WRONG_VALUE("", f"size {size}, overlap {overlap}", "0 <= overlap < size"))
