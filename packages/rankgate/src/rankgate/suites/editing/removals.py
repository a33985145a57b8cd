"""Changes of a text, and those that take items of a list and pairs of a mapping out of a YAML file.

They go with their lines where they have lines of their own, with one comma where they are in brackets. No
comment outside of what is taken out goes with it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from rankgate.files.tree.values import Value


Change = tuple[int, int, str]
"""Where to begin and to end in a text, and what to write there."""


class LayoutError(Exception):
    """A file is laid out in a way that does not allow an edit."""


def replaced(body: str, changes: Sequence[Change]) -> str:
    """Put other text between some marks, which must not overlap."""
    pieces = []
    at = 0
    for start, end, text in sorted(changes):
        pieces += [body[at:start], text]
        at = end
    return "".join([*pieces, body[at:]])


def taken_out(body: str, holder: Value, numbers: Collection[int]) -> list[Change]:
    """Return what to change so that some items or pairs are gone; others must be left.

    Args:
        body: The whole file.
        holder: The list or the mapping that has them.
        numbers: Which, from 0.
    """
    spans = holder.spans()
    leading = next(number for number in range(len(spans)) if number not in numbers)
    if holder.flow:
        return _in_brackets(body, spans, numbers, leading)
    if holder.kind == "list":
        spans = _with_dashes(body, holder, spans)
    changes: list[Change] = []
    rest = set(numbers)
    start, end = spans[0]
    if 0 in rest and body[line_start(body, start) : start].strip():
        # It stands behind the dash of the item that it is in: what is next takes its place.
        between = [body[spans[at][1] : spans[at + 1][0]] for at in range(leading)]
        if any("#" in text for text in between):
            changes.append((start, _content_end(body, end), ""))
            rest.discard(0)
        else:
            changes.append((start, spans[leading][0], ""))
            rest -= set(range(leading))
    changes.extend(
        (line_start(body, spans[number][0]), line_end(body, spans[number][1]), "") for number in sorted(rest)
    )
    return changes


def line_start(body: str, at: int) -> int:
    """Return where the line begins that a character is in."""
    return body.rfind("\n", 0, at) + 1


def line_end(body: str, at: int) -> int:
    """Return where the next line begins."""
    found = body.find("\n", at)
    return len(body) if found < 0 else found + 1


def first_dash(body: str, holder: Value) -> int:
    """Return where a list that is no flow begins to list, behind its anchor or tag."""
    return holder.start if holder.bare else body.rfind("-", holder.start, holder.items()[0].start)


def _content_end(body: str, at: int) -> int:
    """Return the end of a line without its break."""
    end = line_end(body, at)
    return at + len(body[at:end].rstrip("\r\n"))


def _with_dashes(body: str, holder: Value, spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Let each item begin at its dash, all of which are in one column."""
    first = first_dash(body, holder)
    column = first - line_start(body, first)
    found = [(first, spans[0][1])]
    for (_, before), (start, end) in pairwise(spans):
        at = line_end(body, before)
        while at < start and not (body.startswith("-", at + column) and not body[at : at + column].strip()):
            at = line_end(body, at)
        found.append((min(at + column, start), end))
    return found


def _in_brackets(
    body: str, spans: list[tuple[int, int]], numbers: Collection[int], leading: int
) -> list[Change]:
    changes: list[Change] = []
    for number in sorted(numbers):
        start, end = spans[number]
        if number == 0:
            changes.append((start, end, ""))
            continue
        comma = _comma(body, spans[number - 1][1], start)
        if body[comma + 1 : start].strip(" "):
            changes += [(comma, comma + 1, ""), (start, end, "")]
        else:
            changes.append((comma, end, ""))
    if leading:
        comma = _comma(body, spans[leading - 1][1], spans[leading][0])
        behind = body[comma + 1 : spans[leading][0]]
        blanks = len(behind) - len(behind.lstrip(" "))
        changes.append((comma, comma + 1 + blanks, ""))
    return changes


def _comma(body: str, at: int, end: int) -> int:
    """Find the comma between two items; one in a comment is none."""
    while at < end and body[at] != ",":
        at = line_end(body, at) if body[at] == "#" else at + 1
    return at
