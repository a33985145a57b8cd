"""What became of the locations of a suite, for the terminal and as JSON."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.model.wording import many
from rankgate.reports.text.printable import printable, printable_json
from rankgate.truth.drift.documents import DriftStatus

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model.locations import Location
    from rankgate.truth.drift.find import Drift, Drifted, DriftUpdate

MOST = 20
"""How many locations of a kind are listed for a person; JSON has them all."""

_CASES = 3
_HEADINGS = {
    DriftStatus.MOVED: "the same text at another location, proven",
    DriftStatus.EDITED: "the text is another: read it, and keep the location or write the one suggested",
    DriftStatus.SPLIT: "the text is in pieces: choose one, or name them all",
    DriftStatus.AMBIGUOUS: "the text is repeated, so nobody can tell which is meant: choose",
    DriftStatus.GONE: "nothing is like it: name another location, or drop the target",
}
_GONE_RECORD = "nothing has its id: name another record, or drop the target"
_SAME_STATE = "The same state twice: nothing to compare."


@dataclass(frozen=True, slots=True)
class DriftReport:
    """Everything that a report on drift says."""

    suite: str
    """The file."""
    old: str
    """The corpus it is, or was, pinned to."""
    new: str
    """The corpus that its locations were looked for in."""
    drift: Drift
    """What became of the locations."""
    command: str = ""
    """What to run to write what is proven."""
    written: DriftUpdate | None = None
    """What was written; None where that was not asked for."""
    same_state: bool = False
    """True where the old corpus and the new one have the same content."""


def render_text(report: DriftReport) -> str:
    """Lay a report out for a person."""
    drift = report.drift
    lines = [f"{printable(report.suite)}: {printable(report.old)} → {printable(report.new)}", _counted(drift)]
    lines += [_SAME_STATE] * report.same_state
    for status, heading in _HEADINGS.items():
        locations = _grouped(drift, status)
        if not locations:
            continue
        said = _GONE_RECORD if status is DriftStatus.GONE and drift.records else heading
        lines += ["", f"{status.value}: {said}"]
        for uses in locations[:MOST]:
            lines += _location(uses)
        if more := len(locations) - MOST:
            lines += [f"  and {more} more; --format json lists them all"] * (more > 0)
    return "\n".join([*lines, "", *_ending(report)]) + "\n"


def render_json(report: DriftReport) -> str:
    """Write a report as one JSON object; locations that are unchanged are only counted."""
    drift, written = report.drift, report.written
    about = {
        "suite": report.suite,
        "from": report.old,
        "to": report.new,
        "same_state": report.same_state,
        "places": len(drift.locations),
        "counts": {status.value: count for status, count in drift.counts.items()},
        "ids_not_checked": drift.ids,
        "drifted": [
            _plain(each) for each in drift.locations if each.drift.status is not DriftStatus.UNCHANGED
        ],
        "written": None
        if written is None
        else {
            "places": written.locations,
            "corpus": str(written.corpus),
            "anchors": None if written.anchors is None else written.anchors.as_posix(),
            "left": [
                {"where": each.where, "place": str(each.location), "why": each.why} for each in written.left
            ],
        },
    }
    return printable_json(about)


def _counted(drift: Drift) -> str:
    counts = ", ".join(f"{count} {status.value}" for status, count in drift.counts.items() if count)
    locations = f"{many(len(drift.locations), 'location')}: {counts}" if drift.locations else "no locations"
    return f"{locations}; {many(drift.ids, 'id')} not checked, being no location" if drift.ids else locations


def _grouped(drift: Drift, status: DriftStatus) -> list[list[Drifted]]:
    """Gather the cases of each location, in the order of the suite."""
    found: dict[Location, list[Drifted]] = {}
    for each in drift.locations:
        if each.drift.status is status:
            found.setdefault(each.location, []).append(each)
    return list(found.values())


def _location(uses: Sequence[Drifted]) -> Iterator[str]:
    first, drift = uses[0], uses[0].drift
    location = printable(str(first.location))
    if drift.location is not None and drift.location != first.location:
        mark = "→" if drift.status.proven else "→ perhaps"
        location += f" {mark} {printable(str(drift.location))}"
    yield f"  {location}"
    cases = ", ".join(printable(each.case, 60) for each in uses[:_CASES])
    if more := len(uses) - _CASES:
        cases += f" and {many(more, 'more case')}" * (more > 0)
    said = [cases, printable(drift.why)] if drift.why else [cases]
    if drift.status is DriftStatus.EDITED and drift.stands and drift.location == first.location:
        said.append("the location stands")
    yield f"      {'; '.join(said)}"
    for candidate in drift.candidates:
        word = "likely " if candidate.likely else ""
        note = f" ({printable(candidate.note)})" if candidate.note else ""
        yield f"      {word}{printable(str(candidate.location))}{note}"
    if drift.more:
        yield f"      and {drift.more} more"


def _ending(report: DriftReport) -> Iterator[str]:
    drift, written = report.drift, report.written
    people = len(drift.open)
    if written is None:
        if people:
            yield f"{many(people, 'location')} of {len(drift.locations)} {_need(people)} a person."
        else:
            yield "Nothing needs a person."
        if report.command:
            moves = sum(each.to_write for each in drift.locations)
            moved = f"{many(moves, 'location')} that moved and " if moves else ""
            yield f"To write {moved}the new corpus: {printable(report.command)}"
        return
    where = printable(report.suite)
    yield f"Written to {where}: {many(written.locations, 'location')}, and the corpus {written.corpus}."
    for left in written.left:
        yield f"Not written, {printable(left.where)}: {printable(str(left.location))}, {left.why}."
    if people:
        yield from _left_open(report, written)


def _left_open(report: DriftReport, written: DriftUpdate) -> Iterator[str]:
    drifts = [each.drift for each in report.drift.open]
    lost = sum(not drift.stands for drift in drifts)
    same = sum(drift.stands and drift.same for drift in drifts)
    walked = sum(each.drift.stands and not each.drift.same for each in report.drift.open if not each.anchored)
    other = len(drifts) - lost - same - walked
    if lost:
        verb = "resolves" if lost == 1 else "resolve"
        yield f"{many(lost, 'location')} no longer {verb}: lint and test refuse the suite as it is."
    if other:
        verb, them = ("finds", "it") if other == 1 else ("find", "them")
        file = "the suite" if written.anchors is None else printable(written.anchors.name)
        yield f"{many(other, 'location')} {verb} another text than before: {file} keeps the old text's hash,"
        yield f"so that `rankgate suite lint` names {them} until that is settled."
    if walked:
        verb, it = ("finds", "it") if walked == 1 else ("find", "them")
        whose = "of a scenario or an invariant"
        yield f"{many(walked, 'location')} {whose} {verb} another text than before: read {it}."
    if same:
        verb = "finds" if same == 1 else "find"
        yield f"{many(same, 'location')} still {verb} the same text, which is repeated: is it the one meant?"


def _plain(each: Drifted) -> dict[str, object]:
    drift = each.drift
    return {
        "case": each.case,
        "where": each.where,
        "place": str(each.location),
        "status": drift.status.value,
        "to": None if drift.location is None else str(drift.location),
        "lines": None if drift.span is None else [drift.span.path, drift.span.start, drift.span.end],
        "resolves": drift.stands,
        "why": drift.why,
        "candidates": [
            {"place": str(one.location), "likely": one.likely, "note": one.note} for one in drift.candidates
        ],
        "more_candidates": drift.more,
    }


def _need(count: int) -> str:
    return "needs" if count == 1 else "need"
