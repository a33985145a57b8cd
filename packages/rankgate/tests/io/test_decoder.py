"""Untyped data to dataclasses: what fits is read, what does not is told at once, each with its path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Annotated, Any, Literal

import pytest

from rankgate.io.decoder import PAIRS, Constraint, Count, Decoder, LineDecoder, Name
from rankgate.io.encoder import encoded
from rankgate.io.problems import Problems


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Inner:
    name: Name
    colour: Colour = Colour.RED
    lines: tuple[Count, Count] | None = None


@dataclass(frozen=True, slots=True)
class Outer:
    inner: tuple[Inner, ...]
    share: float = 0.5
    by: Literal["path", "lines"] = "path"
    tags: str | tuple[str, ...] = ()
    facts: PAIRS = ()
    options: Mapping[str, int] = field(default_factory=dict)
    step: Annotated[int, Constraint("1 or more", lambda value: value > 0, "no step")] = 1


WHOLE: dict[str, Any] = {
    "inner": [{"name": "a", "colour": "blue", "lines": [1, 2]}, {"name": "b"}],
    "share": 1,
    "by": "lines",
    "tags": ["x", "y"],
    "facts": {"suite": "s"},
    "options": {"k": 3},
    "step": 2,
}
KNOWN = "one of inner, share, by, tags, facts, options, step"


def told(found: object, kind: type[Decoder] = Decoder) -> list[str]:
    problems = Problems("f")
    kind("f", problems).read(found, Outer)
    return [str(problem) for problem in problems.shown]


def test_what_fits_is_read_and_written_back() -> None:
    problems = Problems("f")
    read = Decoder("f", problems).read(WHOLE, Outer)
    assert not problems.total
    assert read == Outer(
        (Inner("a", Colour.BLUE, (1, 2)), Inner("b")),
        1.0,
        "lines",
        ("x", "y"),
        (("suite", "s"),),
        {"k": 3},
        2,
    )
    assert Decoder("f", problems).read(encoded(read, Outer), Outer) == read


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"inner": None}, "f: inner: found nothing, expected a list, each an object"),
        ({"inner": [{}]}, "f: inner[0].name: found nothing, expected a string"),
        ({"inner": [{"name": ""}]}, "f: inner[0].name: found '', expected a string"),
        (
            {"inner": [{"name": "a", "colour": "x"}]},
            "f: inner[0].colour: found 'x', expected one of red, blue",
        ),
        ({"inner": [{"name": "a", "lines": [1]}]}, "f: inner[0].lines: found [1], expected a list of 2"),
        (
            {"inner": [{"name": "a", "lines": [1, -1]}]},
            "f: inner[0].lines[1]: found -1, expected a whole number from 0 to 4294967295",
        ),
        ({"share": True}, "f: share: found True, expected a number"),
        ({"share": 1e999}, "f: share: found inf, expected a finite number"),
        ({"by": "words"}, "f: by: found 'words', expected one of path, lines"),
        ({"tags": 3}, "f: tags: found 3, expected a string or a list, each a string"),
        ({"facts": {"a": 1}}, "f: facts.a: found 1, expected a string"),
        ({"options": {"a": "1"}}, "f: options.a: found '1', expected a whole number"),
        ({"step": 0}, "f: step: found 0, expected 1 or more"),
        ({"shar": 1}, f"f: shar: found an unknown field, expected {KNOWN}; did you mean share?"),
    ],
)
def test_what_does_not_fit_is_told_with_its_path(changed: dict[str, object], said: str) -> None:
    assert told({**WHOLE, **changed}) == [said]


def test_all_that_is_wrong_comes_at_once() -> None:
    wrong = {**WHOLE, "inner": [{"name": 1}, {"name": "b", "colour": 2}], "share": "x"}
    assert [line.split(": ")[1] for line in told(wrong)] == ["inner[0].name", "inner[1].colour", "share"]


def test_in_lines_null_is_missing_and_what_others_add_is_left_alone() -> None:
    assert told({"inner": [{"name": "a", "colour": None}], "step": 1, "took": 3}, LineDecoder) == []
    assert told({"inner": [], "step": None}, LineDecoder) == ["f: step: found no step, expected 1 or more"]


def test_a_name_that_steers_a_terminal_is_shown_as_an_escape() -> None:
    assert "\x1b" not in told({**WHOLE, "\x1b[31m": 1})[0]
