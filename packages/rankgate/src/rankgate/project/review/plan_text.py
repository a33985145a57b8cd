"""The plan in words: each category with its counts, reasons, difference, and what accepting would hide.

For whoever reads changes one by one, the text to look at before accepting, too.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING

from rankgate.model.wording import many
from rankgate.project.review.subject import Category
from rankgate.reports.text.printable import printable
from rankgate.truth.locations.lookup import Spot

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.model.locations import Location
    from rankgate.project.review.impact import Hidden
    from rankgate.project.review.plan import Plan
    from rankgate.project.review.subject import Change
    from rankgate.suites.editing.revision import Revised
    from rankgate.truth.locations.corpus_reader import CorpusReader

AROUND = 2
"""How many lines before and behind a location are shown."""
MOST = 16
"""How many lines of a location are shown."""
_WIDTH = 110
_MEANS = {
    Category.CREATE: "proposals of the engine, unreviewed: no gate counts them until a person has read them",
    Category.FIX: "what the corpus proves, or what holds the engine to more",
    Category.TRIM: "what is said twice, or points at nothing",
}


@dataclass(frozen=True, slots=True)
class PlannedEffect:
    """What comes of accepting some changes together."""

    changes: tuple[Change, ...]
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
    call = f"rankgate suite update {shlex.quote(file)}{options}"
    if categories:
        yield printable(f"to read them one by one: {call} --interactive")
        yield printable(f"to accept a category: {call} --accept {'|'.join(categories)}")


def difference(before: str, after: str, name: str, label: str, around: int = 2) -> Iterator[str]:
    """Return the lines of a diff; the ends of lines are not shown.

    Args:
        before: The file as it is.
        after: The file as it would be.
        name: The file.
        label: What would make it so.
        around: How many lines around each change are shown.
    """
    old, new = (text.splitlines() for text in (before, after))
    for line in unified_diff(old, new, name, f"{name} ({label})", lineterm="", n=around):
        # Tabs stay: what is indented by them should look so.
        yield "\t".join(printable(part) for part in line.split("\t"))


def source_lines(reader: CorpusReader, location: Location) -> Iterator[str]:
    """Show a location in its document; the lines that it means are marked."""
    spot = reader.find(location)
    document = reader.document(spot) if isinstance(spot, Spot) else None
    if not isinstance(spot, Spot) or document is None:
        why = "an id, without a text" if isinstance(spot, Spot) else "not in the corpus"
        yield f"{printable(str(location))}: {why}"
        return
    text = reader.text_of(document)
    last = text.last_line
    start, end = spot.start or 1, spot.end or last
    shown = min(end, start + MOST - 1)
    yield f"{printable(str(location))}"
    digits = len(str(min(last, shown + AROUND)))
    for number in range(max(1, start - AROUND), min(last, shown + AROUND) + 1):
        inside = start <= number <= end
        if number > shown and inside:
            break
        line = printable(text.between(number, number).rstrip("\n"), _WIDTH)
        yield f"  {'>' if inside else ' '} {number:>{digits}}  {line}".rstrip()
    if end > shown:
        yield f"    … and {end - shown} more lines"
