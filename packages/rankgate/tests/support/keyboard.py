"""A walk over a page by keys alone: what Tab reaches, whether it shows, and whether Enter or Space acts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Protocol

_SCRIPT = Path(__file__).with_name("keyboard.js").read_text(encoding="utf-8")
_KEYS = {"checkbox": " ", "search": "a", "select-one": "ArrowDown"}


class Keyed(Protocol):
    """A page that is open in some browser, with keys."""

    def run(self, script: str) -> Any:
        """Evaluate an expression on the page."""

    def load(self, script: str) -> None:
        """Run the statements of a script on the page."""

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""


@dataclass(frozen=True, slots=True)
class Stop:
    """An element that has the focus."""

    at: int
    """Which of the page's elements it is, in the order of the document."""
    name: str
    """Its tag, class and label, for people."""
    kind: str
    """What elements that do the same have in common: section, tag and class."""
    shown: bool
    """Whether the focus can be seen."""
    box: tuple[float, float, float, float]
    """Left, top, right and bottom on the page."""


def walk(tab: Keyed, most: int = 400) -> list[Stop]:
    """Press Tab from the top of the page until the focus leaves it, and list where it stopped."""
    tab.load(_SCRIPT)
    tab.run("walked.begin()")
    stops: list[Stop] = []
    for _ in range(most):
        tab.press("Tab")
        found = tab.run("walked.here()")
        if found is None or (stops and found["at"] == stops[0].at):
            return stops
        if not found.pop("own"):
            continue
        stops.append(Stop(**{**found, "box": tuple(found["box"])}))
    raise AssertionError(f"more than {most} stops")


def wanted(tab: Keyed) -> dict[int, str]:
    """Return every element that can be used and is visible, by its number in the document."""
    return {int(at): name for at, name in tab.run("walked.wanted()")}


def backwards(stops: list[Stop]) -> list[str]:
    """List the steps that go up the page and not to the right, which nobody reads that way."""
    return [
        f"{before.name} → {after.name}"
        for before, after in pairwise(stops)
        if after.box[3] <= before.box[1] and after.box[0] < before.box[2]
    ]


def idle(tab: Keyed, kind: str) -> bool:
    """Tell whether the first control of a kind does nothing on Enter: on Space, a letter or an arrow where
    that is what it takes. What only scrolls has nothing to do.
    """
    tab.load(_SCRIPT)
    form = tab.run(f"walked.focus({json.dumps(kind)})")
    assert form is not None, f"no {kind}"
    if form == "region":
        return False
    tab.run("walked.watch()")
    tab.press(_KEYS.get(form, "Enter"))
    return not tab.run("walked.happened()")
