"""What a tool takes: said to agents as a JSON Schema, and checked in words that they can act on.

Not read as options are: a number may come as its digits and one text for a list, and it has limits.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import rankgate as rg

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Kind: TypeAlias = Literal["text", "texts", "number", "filters"]
"""A string, a list of strings, a whole number, or values by facet."""

_LONGEST = 10_000
_MOST = 100
_SCHEMAS: Mapping[Kind, Mapping[str, object]] = {
    "text": {"type": "string"},
    "texts": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": _MOST},
    "number": {"type": "integer"},
    "filters": {
        "type": "object",
        "additionalProperties": {
            "anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]
        },
    },
}
_EXPECTED: Mapping[Kind, str] = {
    "text": "a string",
    "texts": f"a list of 1 to {_MOST} strings",
    "number": "a whole number",
    "filters": 'an object such as {"language": "python"} or {"language": ["python", "rst"]}',
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One thing that a tool takes."""

    name: str
    """Its name."""
    kind: Kind
    """What it is."""
    says: str
    """What it does, for an agent that has never seen it."""
    default: object = None
    """What counts where it is missing or null; a tool may work it out from the rest."""
    required: bool = False
    """True where the tool cannot do without."""
    least: int = 0
    """The smallest number."""
    most: int = 0
    """The largest number."""
    choices: tuple[str, ...] = ()
    """The only texts."""

    def schema(self) -> dict[str, object]:
        """Return the JSON Schema."""
        found: dict[str, object] = {**_SCHEMAS[self.kind], "description": self.says}
        if self.kind == "number":
            found |= {"minimum": self.least, "maximum": self.most}
        if self.choices:
            found["enum"] = list(self.choices)
        if self.default is not None:
            found["default"] = self.default
        return found

    def read(self, value: object) -> Any:
        """Return the value that was meant; a number may come as its digits, one text for a list.

        Raises:
            InputError: for anything else.
        """
        meant = _MEANT[self.kind](value)
        if meant is None:
            long = f"at most {_LONGEST:,} characters"
            raise self._refused(value, long if _is_long(value) else _EXPECTED[self.kind])
        if self.kind == "number" and not self.least <= meant <= self.most:
            raise self._refused(value, f"a number from {self.least} to {self.most}")
        if self.choices and meant not in self.choices:
            raise self._refused(value, f"one of {', '.join(self.choices)}")
        return meant

    def _refused(self, value: object, expected: str) -> rg.InputError:
        try:
            found = repr(value)
        except (ValueError, RecursionError):
            # A number of thousands of digits, or lists in lists without end.
            found = f"an endless {type(value).__name__}"
        return rg.InputError(rg.Problem(self.name, found if len(found) <= 80 else f"{found[:79]}…", expected))


def schema_of(arguments: Sequence[Argument]) -> dict[str, Any]:
    """Return the JSON Schema of all that a tool takes."""
    return {
        "type": "object",
        "properties": {argument.name: argument.schema() for argument in arguments},
        "required": [argument.name for argument in arguments if argument.required],
        "additionalProperties": False,
    }


def read_arguments(arguments: Sequence[Argument], given: Mapping[str, object]) -> dict[str, Any]:
    """Read what a tool was called with; null counts as missing.

    Raises:
        InputError: with everything that is unknown, missing or wrong.
    """
    known = {argument.name: argument for argument in arguments}
    problems = [
        rg.Problem(repr(name[:80]), "an argument that is not known", f"only {', '.join(known)}")
        for name in given
        if name not in known
    ]
    found: dict[str, Any] = {}
    for name, argument in known.items():
        value = given.get(name)
        if value is None and argument.required:
            problems.append(rg.Problem(name, "nothing", _EXPECTED[argument.kind]))
        elif value is None:
            found[name] = argument.default
        else:
            try:
                found[name] = argument.read(value)
            except rg.InputError as error:
                problems += error.problems
    if problems:
        raise rg.InputError(problems)
    return found


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and len(value) <= _LONGEST else None


def _is_long(value: object) -> bool:
    texts = value if isinstance(value, list) else [value]
    return any(isinstance(text, str) and len(text) > _LONGEST for text in texts[:_MOST])


def _texts(value: object) -> list[str] | None:
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not 1 <= len(values) <= _MOST:
        return None
    texts = [text for one in values if (text := _text(one)) is not None]
    return texts if len(texts) == len(values) else None


def _number(value: object) -> int | None:
    if isinstance(value, str) and value.isdecimal() and len(value) < 10:
        return int(value)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _filters(value: object) -> dict[str, tuple[str, ...]] | None:
    if not isinstance(value, dict) or len(value) > _MOST:
        return None
    found = {key: _texts(one) for key, one in value.items()}
    if any(one is None for one in found.values()):
        return None
    return {_key(key): tuple(one) for key, one in found.items() if one is not None}


def _key(key: object) -> str:
    return str(key)[:_LONGEST]


_MEANT: Mapping[Kind, Any] = {"text": _text, "texts": _texts, "number": _number, "filters": _filters}
