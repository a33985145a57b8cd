"""Options of a system, read from a configuration into the dataclass that the system owns.

With the files and the functions that options name, and the base of every system that has options.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Generic, TypeAlias, TypeVar

from rankgate import plugins
from rankgate.errors import Code, InputError, Problem
from rankgate.io.typed import suggestion
from rankgate.plugins import SystemBase
from rankgate.systems.adapter.answers import KEYS
from rankgate.systems.adapter.failures import printable
from rankgate.systems.adapter.variables import described

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from _typeshed import DataclassInstance

    from rankgate.io.digests import ContentsReader

T = TypeVar("T", bound="DataclassInstance")

Check: TypeAlias = tuple[bool, str, str, str]
"""Whether an option is good; its name, what was found, and what was expected."""


class ConfiguredSystem(SystemBase, Generic[T]):
    """Base of the systems that rankgate brings: each is of a kind and has the options of a configuration."""

    kind: str
    """What a configuration calls its kind; its own name too, where it has no other."""
    thread_safe = True
    hook_options: ClassVar[tuple[str, ...]] = ()
    """The options that name the user's own functions."""
    data_options: ClassVar[tuple[str, ...]] = ()
    """The options that name files or folders which are searched."""

    def __init__(self, options: T, name: str) -> None:
        super().__init__(name)
        self._options = options

    def describe(self) -> dict[str, object]:
        """Return the options, for the manifest of a run; of the environment only the names."""
        return {"kind": self.kind, **described(self._described(asdict(self._options)))}

    def contents(self) -> Mapping[str, str]:
        """Return the variables, files and functions that the options name, each with a digest."""
        return self._contents

    @cached_property
    def _contents(self) -> dict[str, str]:
        from rankgate.io.digests import ContentsReader
        from rankgate.systems.adapter.contents import add_options

        root = getattr(self._options, "root", None) or getattr(self._options, "cwd", None)
        reader = ContentsReader(Path(root or "."))
        add_options(reader, self._options, self.hook_options, self.data_options)
        self._add_contents(reader)
        return reader.contents

    def _add_contents(self, reader: ContentsReader) -> None:
        """Add what the answers are made of beside what the options name."""

    def _described(self, options: dict[str, object]) -> dict[str, object]:
        return options


def check_options(*checks: Check, also: Iterable[Problem] = ()) -> None:
    """Refuse options that are of their type and yet wrong.

    Args:
        checks: What must hold.
        also: What else is wrong.

    Raises:
        InputError: with every problem.
    """
    problems = [
        Code.WRONG_VALUE(where, found, expected) for good, where, found, expected in checks if not good
    ]
    problems += also
    if problems:
        raise InputError(problems)


def not_both(options: object, one: str, other: str) -> Check:
    """Return the check that at most one of two options is there."""
    both = getattr(options, one) is not None and getattr(options, other) is not None
    return not both, one, f"{one} and {other}", "one of the two"


def field_problems(fields: Iterable[str], where: str = "fields") -> list[Problem]:
    """Return a problem for each name that is no part of a hit.

    >>> print(*field_problems({"id": "sku", "scroe": "points"}))
    fields.scroe: unknown field `scroe`. Did you mean `score`?
    """
    known = f"The fields of a result are {', '.join(KEYS)}."
    return [
        Code.UNKNOWN_KEY(at, "", "", "", f"{at}: unknown field `{name}`. {suggestion(name, KEYS) or known}")
        for name in fields
        if name not in KEYS and (at := f"{where}.{name}")
    ]


def read_text(path: Path, where: str) -> str:
    """Read a file of text in UTF-8; a mark at its beginning that says so is no part of it.

    Args:
        path: The file.
        where: The option, for errors.

    Raises:
        InputError: for a file that cannot be read, and one that is no text.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        found = printable(f"{path} ({reason})")
        raise InputError(
            Code.UNREADABLE_FILE(where, found, "a file of text in UTF-8 that can be read")
        ) from error


def json_body(body: object, file: str | None, root: str, name: str) -> object:
    """Return the option `body`, or the content of the JSON file that `body_file` names.

    Raises:
        InputError: for a file that cannot be read.
    """
    if file is None:
        return body
    path, where = Path(root) / file, f"{name}.body_file"
    try:
        return json.loads(read_text(path, where))
    except (ValueError, RecursionError) as error:
        raise InputError(Code.BAD_SYNTAX(where, f"{path} ({error})", "JSON")) from error


def load_hook(target: str, root: str, where: str) -> object:
    """Import what a configuration names as ``module:attr`` or ``./file.py:attr``.

    Raises:
        InputError: for a name of another form; a `PluginError` where it does not import.
    """
    module, _, attribute = target.rpartition(":")
    if not module or not attribute:
        raise InputError(Code.WRONG_VALUE(where, repr(target), "module:attr or ./file.py:attr"))
    return plugins.load_from("rankgate.systems", target, root)
