"""Judging on a page that is open in some browser: by keys, by mouse or by touch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

WAYS = ("keys", "mouse", "touch")
PATIENCE = 30.0
_SHOWN = """new Promise((resolve) => {
  const { dataset } = document.documentElement;
  const began = performance.now();
  const look = () => {
    if (dataset.passage !== undefined && dataset.passage !== "BUT" && dataset.writing === undefined)
      resolve(dataset.passage);
    else if (performance.now() - began > PATIENCE) resolve(null);
    else setTimeout(look, 4);
  };
  look();
})"""
# The time from a key to the frame in which the next passage is seen.
TIMER = """window.took = []; let pressed = 0;
addEventListener("keydown", () => { pressed = performance.now(); }, true);
new MutationObserver(() => requestAnimationFrame(() => { took.push(performance.now() - pressed); }))
  .observe(document.documentElement, { attributes: true, attributeFilter: ["data-passage"] });"""
# A finger that rests for half a second makes no click in Firefox: on a busy machine a driver may be as slow.
_HELD = """window.held = 0; let down = 0;
addEventListener("pointerdown", () => { down = performance.now(); }, true);
addEventListener("pointerup", () => { held = performance.now() - down; }, true);"""
_LONG = 450


class Judged(Protocol):
    """A page that is open in some browser."""

    def run(self, script: str) -> Any:
        """Evaluate an expression on the page."""

    def load(self, script: str) -> None:
        """Run the statements of a script on the page."""

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""

    def click(self, selector: str) -> None:
        """Click the first element."""

    def tap(self, selector: str) -> None:
        """Touch the first element."""


def shown(page: Judged, but: str = "") -> str:
    """Return the number of the passage that is shown, or ``end``, once it is another than one and nothing is
    being written.
    """
    found = page.run(_SHOWN.replace("BUT", but).replace("PATIENCE", str(PATIENCE * 1000)))
    assert found is not None, f"passage {but} is still shown, or being written"
    return str(found)


def judge(page: Judged, grade: int, way: str = "keys", before: str | None = None) -> str:
    """Grade the passage, wait for the next one and for the write, and return its number."""
    before = shown(page) if before is None else before
    button = f".grade-button[data-grade='{grade}']"
    if way == "keys":
        page.press(str(grade))
    elif way == "mouse":
        page.click(button)
    else:
        page.tap(button)
        while page.run("window.held ?? 0") > _LONG:
            page.tap(button)
    return shown(page, before)


def judge_all(page: Judged, grades: Sequence[int], way: str) -> list[str]:
    """Grade passages one after the other, and return their numbers."""
    numbers = [shown(page)]
    if way == "touch":
        page.load(_HELD)
    for grade in grades:
        numbers += [judge(page, grade, way, numbers[-1])]
    return numbers[:-1]
