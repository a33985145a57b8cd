"""What a change of the documents does: in a terminal, in a comment on a pull request, and for programs."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, TypeAlias

from rankgate.model.wording import many
from rankgate.reports.text.github import Escapes, plain, table
from rankgate.reports.text.marks import BAD, DOUBTFUL, GOOD, Mark, signed
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankgate.model import Suite
    from rankgate.truth.mending.plan import TargetChange

_SHORT = Escapes(line=200, name=80)
_OPEN_SHOWN = 4
_EFFECTS_SHOWN = 6
_MOVED_SHOWN = 3
_NAMED = 8


@dataclass(frozen=True, slots=True)
class QueryEffect:
    """One query, before and after the edit."""

    case: str
    """Its case."""
    query: str
    """Its text."""
    before: int
    """The rank of the first relevant hit in the documents as they were; 0 where there was none."""
    after: int
    """The same in the documents of today."""
    change: float
    """By how much the metric rose."""

    @property
    def worse(self) -> bool:
        """True where it is harder to find."""
        return self.change < 0


@dataclass(frozen=True, slots=True)
class Findability:
    """What a system finds in both states of the documents."""

    system: str
    """The system."""
    metric: str = ""
    """What was measured."""
    before: float | None = None
    """Its mean over the queries that have a value in both."""
    after: float | None = None
    """The same in the documents of today."""
    compared: int = 0
    """How many queries that are."""
    effects: tuple[QueryEffect, ...] = ()
    """The queries that an edit changed, those that lost most first."""
    left_out: tuple[str, ...] = ()
    """The cases that have no value in one of the states: a target is not there, or the system failed."""
    unknown: str = ""
    """Why nothing was asked, in words; empty where it was."""


@dataclass(frozen=True, slots=True)
class ChangedFiles:
    """The documents that are not as they were."""

    edited: tuple[str, ...]
    """There before and now, with another text."""
    added: tuple[str, ...]
    """Not there before."""
    removed: tuple[str, ...]
    """Not there now."""


@dataclass(frozen=True, slots=True, eq=False)
class DocumentChange:
    """What a change of the documents does."""

    suite: Suite
    """The suite, as it is written."""
    since: str
    """Which state the documents are compared with, in words."""
    files: ChangedFiles
    """The documents that changed."""
    moved: tuple[TargetChange, ...]
    """The targets that are followed without asking."""
    open: tuple[TargetChange, ...]
    """The targets that need a decision."""
    touched: tuple[str, ...]
    """The cases with a target whose text or location changed, in the order of the suite."""
    found: Findability | None = None
    """What it did to what a system finds; None where no system was named."""

    @property
    def worse(self) -> tuple[QueryEffect, ...]:
        """The queries that the change made harder to find."""
        return () if self.found is None else tuple(one for one in self.found.effects if one.worse)

    @property
    def mark(self) -> Mark:
        """Good where nothing is left to do, bad where a query lost what it had found."""
        if any(one.before and not one.after for one in self.worse):
            return BAD
        return DOUBTFUL if self.open or self.worse else GOOD

    @property
    def headline(self) -> str:
        """What it comes to, in a line."""
        said = [
            f"{many(len(self.moved), 'target')} moved by {'itself' if len(self.moved) == 1 else 'themselves'}"
            if self.moved
            else "",
            f"{many(len(self.open), 'target needs', 'targets need')} a decision" if self.open else "",
            f"{many(len(self.worse), 'query', 'queries')} harder to find" if self.worse else "",
        ]
        return ", ".join(filter(None, said)) or "nothing that the suite names is touched"

    @property
    def command(self) -> str:
        """The command that settles the targets."""
        return f"rankgate suite mend {self.suite.path or 'SUITE'}"


def changes_text(change: DocumentChange) -> str:
    """Write it for a terminal."""
    lines = [f"{change.mark} {printable(change.suite.name)}: {change.headline}", f"  {_documents(change)}"]
    if change.open:
        lines += ["", f"needs a decision: {printable(change.command)}"]
        lines += [f"  {printable(line)}" for line in _open_lines(change.open, str)]
    if change.found is not None:
        lines += ["", *_found_text(change.found)]
    if change.moved:
        lines += ["", "moved by themselves:"]
        lines += [f"  {printable(line)}" for line in _moved_lines(change.moved, str)]
    if change.touched:
        lines += [
            "",
            f"{many(len(change.touched), 'case')} touched: {printable(_names(change.touched, str))}",
        ]
    return "\n".join(lines) + "\n"


def changes_comment(change: DocumentChange) -> str:
    """Write it as the body of a comment on a pull request, of at most 40 lines."""
    code = _SHORT.code
    parts = [
        f"<!-- rankgate changes: {_SHORT.html(change.suite.name)} -->",
        f"### {change.mark} {_SHORT.title(change.suite.name)}: {change.headline}",
        plain(_documents(change)),
    ]
    if change.open:
        listed = "\n".join(f"- {line}" for line in _open_lines(change.open, code))
        parts.append(f"**Needs a decision**: {code(change.command)}\n{listed}")
    if change.found is not None:
        parts += _found_markdown(change.found)
    if change.touched:
        summary = f"{many(len(change.touched), 'case')} that this change touches"
        body = [_names(change.touched, code)]
        if change.moved:
            summary += f"; {many(len(change.moved), 'target')} moved, and the suite can follow"
            body.insert(0, "\n".join(f"- {line}" for line in _moved_lines(change.moved, code)))
        parts += [f"<details>\n<summary>{summary}</summary>", *body, "</details>"]
    return "\n\n".join(parts) + "\n"


def changes_json(change: DocumentChange) -> str:
    """Write it for programs."""
    shown = {
        "schema": 1,
        "suite": change.suite.name,
        "since": change.since,
        "headline": change.headline,
        "files": asdict(change.files),
        "moved": [
            {"from": str(one.location), "to": str(one.drift.location), "cases": list(one.cases)}
            for one in change.moved
        ],
        "open": [
            {
                "location": str(one.location),
                "cases": list(one.cases),
                "status": str(one.drift.status),
                "why": one.drift.why,
                "candidates": [str(each.location) for each in one.drift.candidates],
            }
            for one in change.open
        ],
        "touched": list(change.touched),
        "findability": None if change.found is None else asdict(change.found),
    }
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


_Show: TypeAlias = "Callable[[str], str]"


def _documents(change: DocumentChange) -> str:
    counts = (
        (len(change.files.edited), "edited"),
        (len(change.files.added), "added"),
        (len(change.files.removed), "removed"),
    )
    said = ", ".join(f"{number} {what}" for number, what in counts if number) or "none changed"
    return f"documents since {printable(change.since)}: {said}"


def _open_lines(targets: Sequence[TargetChange], show: _Show) -> Iterator[str]:
    for one in targets[:_OPEN_SHOWN]:
        likeliest = one.drift.candidates[0].location if one.drift.candidates else one.drift.location
        guess = f"; likeliest {show(str(likeliest))}" if likeliest not in (None, one.location) else ""
        cases = f" ({_names(one.cases, show, 2)})" if one.cases else ""
        why = plain(one.drift.why) if show is not str else one.drift.why
        yield f"{show(str(one.location))}{cases}: {why or one.drift.status}{guess}"
    if len(targets) > _OPEN_SHOWN:
        yield f"… and {len(targets) - _OPEN_SHOWN} more"


def _moved_lines(targets: Sequence[TargetChange], show: _Show) -> Iterator[str]:
    for one in targets[:_MOVED_SHOWN]:
        yield f"{show(str(one.location))} → {show(str(one.drift.location))}"
    if len(targets) > _MOVED_SHOWN:
        yield f"… and {len(targets) - _MOVED_SHOWN} more"


def _names(names: Sequence[str], show: _Show, most: int = _NAMED) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(show, names[:most])) + more


def _rank(rank: int) -> str:
    return f"rank {rank}" if rank else "not found"


def _effect_mark(effect: QueryEffect) -> Mark:
    if not effect.worse:
        return GOOD
    return BAD if effect.before and not effect.after else DOUBTFUL


def _found_head(found: Findability) -> str:
    if found.unknown:
        return f"{found.system} was not asked over both states: {found.unknown}"
    if found.before is None or found.after is None:
        return f"{found.system}: no query has a value in both states"
    means = f"{found.metric} {found.before:.4f} → {found.after:.4f}"
    return f"{found.system} over both states: {means}, {many(found.compared, 'query', 'queries')}"


def _left_out(found: Findability, show: _Show) -> Iterator[str]:
    if found.left_out:
        names = _names(found.left_out, show, 3)
        yield f"not compared: {names} (a target is not there in one of the states, or the system failed)"


def _shown_effects(found: Findability) -> tuple[list[QueryEffect], int]:
    """Return the queries that are shown, those that lost or gained most, and how many are not."""
    worse = [one for one in found.effects if one.worse][:_EFFECTS_SHOWN]
    better = [one for one in reversed(found.effects) if not one.worse][: _EFFECTS_SHOWN - len(worse)]
    return [*worse, *better], len(found.effects) - len(worse) - len(better)


def _found_text(found: Findability) -> Iterator[str]:
    yield printable(_found_head(found))
    shown, more = _shown_effects(found)
    for one in shown:
        ranks = f"{_rank(one.before)} → {_rank(one.after)}, {found.metric} {signed(one.change, '')}"
        yield f"  {_effect_mark(one)} {printable(one.query)}: {ranks}"
    if more:
        yield f"  … and {more} more"
    yield from (f"  {printable(line)}" for line in _left_out(found, str))


def _found_markdown(found: Findability) -> Iterator[str]:
    yield f"**Findability**: {_SHORT.text(_found_head(found))}"
    shown, more = _shown_effects(found)
    if shown:
        rows = [
            (
                _effect_mark(one),
                _SHORT.code(one.query, cell=True),
                _rank(one.before),
                _rank(one.after),
                signed(one.change, ""),
            )
            for one in shown
        ]
        head = ("", "query", "before", "after", plain(found.metric))
        yield table(head, "llllr", rows) + (f"\n\n… and {more} more" if more else "")
    yield from _left_out(found, _SHORT.code)
