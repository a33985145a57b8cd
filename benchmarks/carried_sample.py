"""A sample of carried targets, and what somebody found who read each in both releases.

The sample is drawn once, by what became of the targets, and read without knowing that: the query, the old
text, the location that the tool answers, and its text. What was found is kept in
`releases/decisions-carried.yaml`, one entry a target:

    suite, step, at   the target as the suite has it, and the list of releases that it was carried to
    answer            the location that was read: where the target was written to, else the first proposal
    found             same, edited: it is right; wrong, better: the target is elsewhere; gone: nowhere
    right             where the target is, where the answer is not that
    note              what somebody should know
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from difflib import unified_diff
from typing import TYPE_CHECKING

import yaml
from scipy.stats import beta

from rankgate.truth.follow import DriftStatus, span_of
from rankgate.truth.lookup import Span
from release_documents import FOLDER
from release_following import Places

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from rankgate.locations import Location
    from rankgate.project.suite_fix import Mending
    from rankgate.truth.follow import Documents, TargetChange

DECISIONS = FOLDER / "decisions-carried.yaml"
FOUND = ("same", "edited", "wrong", "better", "gone")
SEED = 24
EACH = {"rewritten": 12, "name": 3, "unchanged": 2, "edited": 4, "gone": 2, "several": 2}
"""How many targets of each state are drawn for a suite and a step; what one has not, another gives."""
_KEYS = {"suite", "step", "at", "answer", "found", "right", "note"}
_SHOWN = 45


@dataclass(frozen=True, slots=True)
class Read:
    """One target that was read in both releases."""

    suite: str
    """The suite."""
    step: str
    """The list of releases that it was carried to."""
    at: str
    """The location as the suite has it."""
    answer: str | None
    """The location that was read; None where the tool had none."""
    found: str
    """What was found."""
    right: str | None = None
    """Where the target is, where the answer is not that."""
    note: str = ""
    """What somebody should know."""

    @property
    def place(self) -> str | None:
        """Where the target is; None where it is gone."""
        return self.right if self.found in ("wrong", "better", "gone") else self.answer


def read_sample() -> list[Read]:
    """Read what was found of every target of the sample."""
    found = []
    for entry in yaml.safe_load(DECISIONS.read_text(encoding="utf-8")) if DECISIONS.exists() else ():
        unknown = set(entry) - _KEYS
        where = f"{DECISIONS.name}: {entry.get('at')}"
        if unknown or entry["found"] not in FOUND:
            raise SystemExit(f"{where}: found {sorted(unknown)} {entry['found']}, expected {_KEYS}, {FOUND}")
        if (entry["found"] in ("wrong", "better")) != ("right" in entry):
            raise SystemExit(f"{where}: expected `right` where another location is right, and nowhere else")
        found.append(Read(**entry))
    return found


def state_of(change: TargetChange) -> str:
    """Return which part of the sample a target is drawn for."""
    if change.moves:
        return "rewritten"
    if change.drift.status is DriftStatus.MOVED:
        return "name"
    several = change.drift.status in (DriftStatus.SPLIT, DriftStatus.AMBIGUOUS)
    return "several" if several else change.drift.status.value


def answer_of(change: TargetChange) -> Location | None:
    """Return where a target is written to, or else the first proposal; None where there is none."""
    if change.sure:
        return change.drift.location or change.location
    return change.drift.candidates[0].location if change.drift.candidates else None


def drawn(plans: Mapping[tuple[str, str], Mending]) -> list[tuple[tuple[str, str], TargetChange]]:
    """Draw the sample, in an order that says nothing of states."""
    rng = random.Random(SEED)
    found: list[tuple[tuple[str, str], TargetChange]] = []
    for state, each in EACH.items():
        spare: list[tuple[tuple[str, str], TargetChange]] = []
        missing = 0
        for name, mending in plans.items():
            fits = [(name, one) for one in mending.plan.targets if state_of(one) == state and one.cases]
            rng.shuffle(fits)
            found += fits[:each]
            spare += fits[each:]
            missing += max(0, each - len(fits))
        found += rng.sample(spare, missing)
    rng.shuffle(found)
    return found


def reading(number: int, name: tuple[str, str], mending: Mending, change: TargetChange) -> Iterator[str]:
    """Write one target as it is read: what is asked, the old text, and the one that is answered."""
    case = next(case for case in mending.suite.cases if case.id == change.cases[0])
    grade = next((each.grade for each in case.targets if each.location == change.location), "")
    yield f"\n=== {number} {name[0]} {name[1]} · {case.query} · grade {grade}"
    old, answer = mending.old, answer_of(change)
    if old is None:
        raise SystemExit(f"{name[0]}: the documents before are not there")
    before = _lines(change.location, old)
    yield f"OLD {change.location}  [{_around(change.location, old)}]"
    if answer is None:
        yield from _cut(before)
        yield "NEW none"
        return
    after = _lines(answer, mending.today)
    same = before == after
    yield f"NEW {answer}  [{_around(answer, mending.today)}]{'  word for word:' if same else ''}"
    near = unified_diff(before, after, "", "", n=2, lineterm="")
    yield from _cut(before if same else list(near)[2:])


def _cut(lines: Sequence[str]) -> Iterator[str]:
    short = [line[:150] for line in lines]
    if len(short) <= _SHOWN:
        yield from short
        return
    yield from short[: _SHOWN - 12]
    yield f"… {len(short) - _SHOWN} lines …"
    yield from short[-12:]


def _lines(location: Location, documents: Documents) -> list[str]:
    span = span_of(location, documents.reader)
    if span is None:
        return []
    return documents.reader.text_of(span.path).between(span.start, span.end).removesuffix("\n").split("\n")


def _around(location: Location, documents: Documents) -> str:
    """Return the innermost section or symbol around a location, and the lines beside it."""
    span = span_of(location, documents.reader)
    if span is None:
        return ""
    holding = [
        node
        for node in documents.reader.lookup.nodes(span.path)
        if node.path and Span(span.path, node.start, node.end).holds(span)
    ]
    inner = min(holding, key=lambda node: node.end - node.start, default=None)
    lines = documents.reader.lines(span.path)
    above, below = lines[max(0, span.start - 3) : span.start - 1], lines[span.end : span.end + 2]
    name = " / ".join(inner.path) if inner else "-"
    return f"{name} | above {' ⏎ '.join(above)[-90:]!r} | below {' ⏎ '.join(below)[:90]!r}"


@dataclass(slots=True)
class Checked:
    """How the answers of today compare with what was read."""

    asked: dict[str, list[bool]]
    """By kind of answer, of each target whether it is right."""
    wrong: list[str]
    """What was repaired or kept without asking and is not right, in words."""

    def counted(self, kind: str) -> str:
        """Format a count with its exact one-sided 95 % bound."""
        right = self.asked.get(kind, [])
        if not right:
            return "0 of 0"
        bound = beta.ppf(0.05, sum(right), len(right) - sum(right) + 1) if any(right) else 0.0
        return f"{sum(right)} of {len(right)}, at least {bound:.1%}"


def check(sample: Iterable[Read], plans: Mapping[tuple[str, str], Mending]) -> Checked:
    """Compare what the tool answers today with where each target of the sample was found."""
    asked: defaultdict[str, list[bool]] = defaultdict(list)
    wrong = []
    changes = {
        (name, str(change.location)): change
        for name, mending in plans.items()
        for change in mending.plan.targets
    }
    places = {name: Places(mending.today.reader) for name, mending in plans.items()}
    for read in sample:
        name = (read.suite, read.step)
        if name not in plans:
            continue
        change = changes[name, read.at]
        right = read.place
        answer = answer_of(change)
        fits = right is not None and answer is not None and places[name].same(str(answer), right)
        if change.sure:
            asked["rewritten" if change.moves else "kept"].append(fits)
            asked["settled"].append(fits)
            if not fits:
                wrong.append(f"{read.suite} {read.step}: {read.at} -> {answer}, should be {right or 'gone'}")
        elif right is None:
            asked["really gone, and asked"].append(change.drift.status is DriftStatus.GONE)
        else:
            asked["first proposal"].append(fits)
            proposed = [str(one.location) for one in change.drift.candidates]
            asked["one of the proposals"].append(any(places[name].same(one, right) for one in proposed))
    return Checked(dict(asked), wrong)
