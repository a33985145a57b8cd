"""The plan in words: each category with its counts, reasons, difference, and what accepting would hide."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.model.wording import many
from rankgate.reports.text.printable import printable
from rankgate.review.change import Category, difference

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.review.change import Change
    from rankgate.review.impact import Hidden
    from rankgate.review.plan import Plan
    from rankgate.suites.editing.revision import Revised

_MEANS = {
    Category.CREATE: "proposals of the engine, unreviewed: no gate counts them until a person has read them",
    Category.FIX: "what the corpus proves, or what holds the engine to more",
    Category.TRIM: "what is said twice, or points at nothing",
}


@dataclass(frozen=True, slots=True)
class PlannedEffect:
    """What comes of accepting some changes together."""

    changes: tuple[Change, ...]
    """The changes."""
    revised: Revised
    """The suite and its file with them."""
    hidden: Hidden | None
    """What differs by them; None where nothing could be scored."""


def plan_lines(
    file: str, written: str, plan: Plan, effects: Mapping[Category, PlannedEffect], about: str
) -> Iterator[str]:
    """Show the plan.

    Args:
        file: The suite's file.
        written: Its text.
        plan: What is proposed.
        effects: What each category would do.
        about: What the suite was held beside, in words.
    """
    counts = ", ".join(f"{len(plan.of(each))} {each}" for each in Category if plan.of(each))
    said = f"{many(len(plan.changes), 'change')} proposed ({counts})" if counts else "nothing to change"
    shown = f"; {len(plan.remarks)} to look at" if plan.remarks else ""
    yield printable(f"{file}, {about}: {said}{shown}")
    for category, effect in effects.items():
        yield ""
        yield f"{category}: {many(len(effect.changes), 'change')}; {_MEANS[category]}"
        yield from effect_lines(file, written, effect, str(category))
    if plan.remarks:
        yield ""
        yield "only shown; nothing is proposed:"
        for remark in plan.remarks:
            yield printable(f"  {remark.case}: {remark.what}")


def effect_lines(file: str, written: str, effect: PlannedEffect, label: str) -> Iterator[str]:
    """Show some changes with their reasons, the difference that they make, and what they hide."""
    for change in effect.changes:
        yield printable(f"  {change.case}: {change.what}")
        yield printable(f"      {change.why}")
    yield from left_lines(effect)
    yield from difference(written, effect.revised.text, printable(file), label)
    yield from hidden_lines(effect.hidden)


def left_lines(effect: PlannedEffect) -> Iterator[str]:
    """Return which changes the layout of the file does not allow."""
    for each in effect.revised.left:
        what = next((change.what for change in effect.changes if change.edit == each.edit), "")
        yield printable(f"  not possible in place: {what}: {each.why}")


def hidden_lines(hidden: Hidden | None) -> Iterator[str]:
    """Return what accepting would hide."""
    if hidden is None:
        yield "  what it would hide is not known: the suite cannot be tested as it is; test it afterwards"
        return
    yield "  what accepting would hide:"
    for line in hidden.lines():
        yield printable(f"    {line}")


def change_lines(change: Change, number: int, of: int, query: str) -> Iterator[str]:
    """Introduce one change of several."""
    yield printable(f"{number} of {of}, {change.category}: {change.case}")
    yield printable(f"  query: {query}")
    yield printable(f"  {change.what}")
    yield printable(f"  {change.why}")


def command_lines(file: str, categories: Sequence[Category], options: str) -> Iterator[str]:
    """Return how to go on."""
    import shlex

    call = f"rankgate suite update {shlex.quote(file)}{options}"
    if categories:
        yield printable(f"to read them one by one: {call} --interactive")
        yield printable(f"to accept a category: {call} --accept {'|'.join(categories)}")
