"""What became of the targets of a suite and what is to be decided, for the terminal and as JSON."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from rankgate.reports.text.difference import difference
from rankgate.reports.text.printable import printable, printable_json
from rankgate.truth.follow import DriftStatus
from rankgate.truth.lookup import Spot
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.locations import Location
    from rankgate.truth.follow import Documents, MendPlan, TargetChange

WIDTH = 80
"""How wide a terminal is taken to be."""
LINES = 14
"""The number of lines of a difference that are shown."""
MOST = 20
"""How many targets that moved are listed; JSON has them all."""

COMMANDS = 10
"""For how many targets the command that decides is printed."""

_CASES = 3


def count_lines(file: str, plan: MendPlan, said: str) -> Iterator[str]:
    """Return how many targets there are, what became of them, and what they were held beside."""
    number = {status.value: count for status, count in plan.counts.items()}
    # What stands on other lines under the name it had needs no other name, and is not listed.
    named = number["moved"] - len(plan.moved)
    number |= {"moved": len(plan.moved), "on other lines under the same name": named}
    counts = ", ".join(f"{count} {word}" for word, count in number.items() if count)
    ids = f"; {many(plan.ids, 'id')} not checked: ids are no locations" if plan.ids else ""
    yield printable(f"{file}: {many(len(plan.targets), 'target')}: {counts or 'none'}{ids}")
    if said:
        yield printable(f"Documents before: {said}")


def moved_lines(plan: MendPlan) -> Iterator[str]:
    """List what is sure to have moved."""
    if plan.moved:
        yield ""
        yield "Moved, without a doubt:"
    for each in plan.moved[:MOST]:
        yield printable(f"  {each.location}")
        yield printable(f"    → {each.drift.location}")
        yield printable(f"      {_owners(each)}{': ' + each.drift.why if each.drift.why else ''}")
    if len(plan.moved) > MOST:
        yield f"  and {len(plan.moved) - MOST} more; --format json lists them all"


def open_lines(each: TargetChange, number: int, of: int, queries: Mapping[str, str]) -> Iterator[str]:
    """Introduce one target that a person must decide, with the locations that are proposed."""
    yield ""
    yield printable(f"{number} of {of}  {each.location}")
    yield printable(
        f"  {each.drift.status.value}: {each.drift.why}" if each.drift.why else f"  {each.drift.status.value}"
    )
    asked = "" if len(each.cases) != 1 else f": {queries.get(each.cases[0], '')}"
    yield printable(f"  {_owners(each)}{asked}", WIDTH)
    for at, candidate in enumerate(each.drift.candidates, 1):
        note = f"  ({candidate.note})" if candidate.note else ""
        yield printable(f"    {at}) {candidate.location}{note}")
    if each.drift.more:
        yield f"       and {each.drift.more} more"
    if not each.drift.candidates:
        yield "    no location is like it"


def text_lines(each: TargetChange, old: Documents | None, today: Documents) -> Iterator[str]:
    """Return the difference between the text as it was and that at the first location that is proposed."""
    first = each.drift.candidates[0].location if each.drift.candidates else None
    before = "" if old is None else _text(each.location, old)
    after = "" if first is None else _text(first, today)
    if not before and not after:
        return
    yield ""
    if not before:
        yield "    The text before is not at hand: use --from COMMIT."
    lines = list(difference(before, after, str(each.location), f"now: {first or 'nothing'}"))
    yield from (f"    {line}" for line in lines[:LINES])
    if len(lines) > LINES:
        yield f"    … and {len(lines) - LINES} more lines"


def _text(location: Location, documents: Documents) -> str:
    spot = documents.reader.find(location)
    return (documents.reader.text(spot) or "") if isinstance(spot, Spot) else ""


def _owners(each: TargetChange) -> str:
    owners = [named.case or named.owner for named in each.owners]
    more = f" and {len(owners) - _CASES} more" if len(owners) > _CASES else ""
    word = (
        "case" if len(each.cases) == 1 == len(owners) else "cases" if len(each.cases) == len(owners) else "in"
    )
    return f"{word} {', '.join(owners[:_CASES])}{more}"


def command_lines(
    call: Sequence[str], names: Mapping[Location, str], some: Sequence[TargetChange]
) -> Iterator[str]:
    """Return the exact commands that decide some targets; of many the first."""
    asked = [each for each in some if not each.stands]
    if standing := len(some) - len(asked):
        yield printable(f"  {shlex.join([*call, '--keep'])}  # {standing} edited where they stand")
    for each in asked[:COMMANDS]:
        name = names[each.location]
        # Of a name that is only like it nobody should paste a command.
        if each.drift.candidates and not each.drift.candidates[0].by_name:
            take = f"{name}={each.drift.candidates[0].location}"
            yield printable(f"  {shlex.join([*call, '--take', take])}")
        else:
            yield printable(f"  {shlex.join([*call, '--take', name])}=LOCATION")
    if len(asked) > COMMANDS:
        yield f"  … and {len(asked) - COMMANDS} more in the same way; --take may be repeated"
    if some:
        last = (asked or some)[0]
        yield printable(f"  {shlex.join([*call, '--missing', names[last.location]])}")


def mend_json(file: str, plan: MendPlan, said: str, names: Mapping[Location, str], written: object) -> str:
    """Write everything as one JSON object; targets that are unchanged are only counted."""
    return printable_json(
        {
            "suite": file,
            "before": said or None,
            "targets": len(plan.targets),
            "counts": {status.value: count for status, count in plan.counts.items()},
            "ids_not_checked": plan.ids,
            "changed": [_plain(each, names) for each in plan.targets if _told(each)],
            "written": written,
        }
    )


def _told(each: TargetChange) -> bool:
    return each.moves or not each.sure or each.drift.status is not DriftStatus.UNCHANGED


def _plain(each: TargetChange, names: Mapping[Location, str]) -> dict[str, object]:
    drift = each.drift
    return {
        "name": names.get(each.location, str(each.location)),
        "location": str(each.location),
        "cases": list(each.cases),
        "status": drift.status.value,
        "sure": each.sure,
        "new": str(drift.location) if each.sure and drift.location is not None else None,
        "why": drift.why or None,
        "candidates": [{"location": str(one.location), "note": one.note} for one in drift.candidates],
    }
