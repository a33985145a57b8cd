"""Changes that a test suggests for its suite.

``create`` proposes the first results of a query without targets as targets: no gate counts them until a
person removes ``source: proposed``. ``fix`` follows texts that moved and removes an `xfail` that
passes. ``trim`` removes duplicates and missing targets. A judgment is never overwritten.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from enum import StrEnum
from pathlib import Path

from rankgate.errors import Code, InputError, LocationError
from rankgate.flow import Evaluation, evaluate_suite
from rankgate.locations import Lines, Location
from rankgate.model import PROPOSED, Answer, Case, Suite, Target
from rankgate.project.project import Project
from rankgate.project.settings import RunOptions, settings_of
from rankgate.report import CaseResult
from rankgate.runs.store.hits import HitRow, location_text, read_hits
from rankgate.runs.store.run_folder import StoredRun
from rankgate.suites.asked_suite import asked_suite, is_proposed
from rankgate.suites.edit import (
    AddTargets,
    DropCase,
    DropTarget,
    DropXFail,
    Edit,
    Move,
    Revised,
    revised_suite,
    suite_text,
    write_revision,
)
from rankgate.truth.anchors import (
    Anchored,
    Anchors,
    AnchorState,
    anchors_path,
    compare,
    read_anchors,
    write_anchors,
)
from rankgate.truth.follow import Documents, DriftStatus, LocationDrift, find_changes
from rankgate.truth.lookup import CorpusReader, Miss, Spot
from rankgate.wording import many, shortest

MOST_PROPOSED = 3
"""The number of results that are proposed for a case."""
_SHOWN = 3


class Category(StrEnum):
    """How a change is accepted."""

    CREATE = "create"
    FIX = "fix"
    TRIM = "trim"


@dataclass(frozen=True, slots=True)
class Change:
    """A change that a person may accept."""

    category: Category
    case: str
    what: str
    why: str
    edit: Edit
    sources: tuple[Location, ...] = ()
    """The locations whose text shows whether the change is right."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something that a person should look at."""

    case: str
    what: str


@dataclass(frozen=True, slots=True)
class Plan:
    """What could be changed in a suite."""

    changes: tuple[Change, ...] = ()
    """No two of them change the same thing."""
    remarks: tuple[Remark, ...] = ()

    def of(self, *categories: Category) -> tuple[Change, ...]:
        """Return the changes of some categories."""
        return tuple(change for change in self.changes if change.category in categories)

    def only(self, cases: Collection[str]) -> Plan:
        """Return the part of the plan that is about some cases; without names, all of it."""
        if not cases:
            return self
        return Plan(
            tuple(change for change in self.changes if change.case in cases),
            tuple(remark for remark in self.remarks if remark.case in cases),
        )


@dataclass(frozen=True, slots=True, eq=False)
class SuiteUpdate:
    """A suite with the results of a test, and the changes that they suggest."""

    suite: Suite
    """The suite as it is written."""
    written: str
    """The text of its file."""
    system: str
    evaluation: Evaluation
    results: Mapping[str, CaseResult]
    """The results by case. An `xfail` counts as active, also after its last day."""
    reader: CorpusReader
    anchors: Anchors
    today: date

    @property
    def about(self) -> str:
        """The test that the changes come from."""
        return f"the test of {self.system} of {self.evaluation.report.time}"

    def revised(self, changes: Sequence[Change]) -> Revised:
        """Return the suite with some changes, without writing it."""
        return revised_suite(self.written, self.suite, [change.edit for change in changes])

    def spot_key(self, location: Location) -> tuple[object, ...] | None:
        """Return what two locations of the same text have in common; null if the text is not found."""
        spot = self.reader.find(location)
        return (spot.id, spot.path, spot.start, spot.end) if isinstance(spot, Spot) else None


def review(
    project: Project, suite: Suite, system: str | None, folder: Path | None, today: date
) -> SuiteUpdate:
    """Read the latest test of a system, or the run in a folder.

    Raises:
        InputError: if there is no run of this suite and these documents, or if the system failed in it.
        FormatError: if the suite's format can't be changed in place.
    """
    written, asked = suite_text(suite), asked_suite(suite)
    entry = project.configuration.entry(system)
    run = project.latest_run(asked, entry.name, folder)
    refuse_failed(run, f"rankgate test {shortest(Path(str(suite.path)).resolve())} --system {entry.name}")
    settings = settings_of(entry, asked, RunOptions(k=run.manifest.k), project.configuration.corpus_root)
    settings = replace(settings, gates=(), baselines=None, today=today, corpus=project.corpus(asked))
    cases = tuple(
        case if case.xfail is None else replace(case, xfail=replace(case.xfail, until=None))
        for case in asked.cases
    )
    evaluation = evaluate_suite(replace(asked, cases=cases, gates=()), run, settings)
    return SuiteUpdate(
        suite,
        written,
        entry.name,
        evaluation,
        {case.name: case for case in evaluation.report.cases},
        CorpusReader(evaluation.corpus),
        read_anchors(anchors_path(str(suite.path))) or Anchors(),
        today,
    )


def refuse_failed(run: StoredRun, again: str) -> None:
    """Raise an InputError if the system failed on a query of a run."""
    failed = sum(int((shard.queries["status"] != Answer.OK.value).sum()) for shard in run.shards())
    if failed:
        found = f"{many(failed, 'query', 'queries')} that the system failed to answer"
        fix = f"test it again: {again}"
        raise InputError(Code.MISSING_ANSWERS(str(run.folder), found, "an answer to every query", fix))


def plan(update: SuiteUpdate) -> Plan:
    """Return all changes and remarks, in the order of the suite."""
    order = {case.id: number for number, case in enumerate(update.suite.cases)}
    looks = (_created, _misplaced, _passing, _not_empty, _same_target, _same_case, _not_returned)
    found = [each for look in looks for each in look(update)]
    found.sort(key=lambda each: order.get(each.case, len(order)))
    changes = _compatible([each for each in found if isinstance(each, Change)])
    return Plan(tuple(changes), tuple(each for each in found if isinstance(each, Remark)))


def _compatible(changes: Sequence[Change]) -> list[Change]:
    """Leave out what another change makes needless, or must come before."""
    gone = {change.edit.case for change in changes if isinstance(change.edit, DropCase)}
    growing = {change.edit.case for change in changes if isinstance(change.edit, AddTargets)}
    seen: set[Edit] = set()
    kept = []
    for change in changes:
        edit = change.edit
        # A case that goes takes its other changes with it; one that gets targets loses none at once.
        needless = not isinstance(edit, (Move, DropCase)) and edit.case in gone
        waits = isinstance(edit, DropTarget) and edit.case in growing
        if edit not in seen and not needless and not waits:
            kept.append(change)
        seen.add(edit)
    return kept


def _created(update: SuiteUpdate) -> Iterator[Change | Remark]:
    """Propose targets for cases without one, and more for those of `query --save-case`."""
    wanting = {case.id: case for case in update.suite.cases if _wants(case)}
    found_hits = read_hits(update.evaluation.run, wanting, MOST_PROPOSED)
    for name, case in wanting.items():
        if case.exhaustive:
            yield Remark(
                name, "It is exhaustive and has no target. Only a person knows all relevant results."
            )
            continue
        known = {target.location for target in case.targets}
        # What a heading names is known by its lines too.
        spots = {update.spot_key(one) for one in known} - {None}
        found = [each for hit in found_hits.get(name, []) if (each := _location(hit, update)) is not None]
        kind = found[0].id is None if found else True
        new = [
            each
            for each in dict.fromkeys(found)
            if each not in known and update.spot_key(each) not in spots and (each.id is None) == kind
        ]
        if not new:
            if not known:
                yield Remark(
                    name, f"It has no target, and {update.system} returned nothing that could be proposed."
                )
            continue
        like = case.targets[0] if case.targets else Target(new[0], source=f"{PROPOSED} by {update.system}")
        targets = tuple(replace(like, location=each) for each in new)
        what = f"{many(len(new), 'unreviewed target')}: {', '.join(map(str, new))}"
        yield Change(
            Category.CREATE, name, what, _why(case, update.system), AddTargets(name, targets), tuple(new)
        )


def _not_returned(update: SuiteUpdate) -> Iterator[Change]:
    """Find unreviewed targets of this system that are not among its results any more.

    Those of other sources stay: what a person or another system proposed is no worse for not being found.
    """
    hits = update.evaluation.tested.hits
    ranks: dict[tuple[str, object], int | None] = {}
    for query, rows in hits.targets.items():
        for row in rows:
            spot = row["id"], row["path"], row["start"], row["end"]
            ranks[query, spot] = hits.ranks.get((query, row["target"]))
    for case in update.suite.cases:
        for number, target in enumerate(case.targets):
            if not is_proposed(target) or target.source not in (PROPOSED, f"{PROPOSED} by {update.system}"):
                continue
            key = update.spot_key(target.location)
            if key is not None and ranks.get((case.id, key), 0) is None:
                why = f"{update.system} proposed it, nobody reviewed it, and it is not returned any more"
                what = f"remove the unreviewed target '{target.location}'"
                yield Change(
                    Category.TRIM, case.id, what, why, DropTarget(case.id, number), (target.location,)
                )


def _passing(update: SuiteUpdate) -> Iterator[Change | Remark]:
    """Propose to remove the `xfail` of cases that pass; one that expired and still fails is a remark."""
    for case in update.suite.cases:
        xfail, result = case.xfail, update.results.get(case.id)
        relevant = [target for target in case.targets if target.grade > 0]
        # That a system returns what it proposed itself is no news.
        if xfail is None or result is None or any(map(is_proposed, relevant)):
            continue
        expired = not xfail.active(update.today)
        if result.known is not None and result.known.passes:
            until = "has no last day" if xfail.until is None else f"holds until {xfail.until}"
            why = (
                f"it passes; its xfail expired on {xfail.until}"
                if expired
                else f"it passes; its xfail {until}"
            )
            sources = tuple(target.location for target in relevant)
            yield Change(
                Category.FIX, case.id, f"remove its xfail ({xfail.reason})", why, DropXFail(case.id), sources
            )
        elif expired:
            failed = [f"{check.check}: {check.found}" for check in result.checks if not check.passed]
            reasons = "; ".join(failed) or "no result reaches a target"
            yield Remark(
                case.id,
                f"Its xfail expired on {xfail.until}, and it still fails: {reasons}. Fix the search, or give "
                "the xfail another day.",
            )


def _not_empty(update: SuiteUpdate) -> Iterator[Remark]:
    """Name the results of cases that expect none: a result of the system never becomes a target there."""
    empty = [case.id for case in update.suite.cases if case.expect_empty]
    for case, hits in read_hits(update.evaluation.run, empty, _SHOWN).items():
        named = [location_text(hit.id, hit.path, hit.start, hit.end) or f"rank {hit.rank}" for hit in hits]
        if named:
            yield Remark(
                case,
                f"It expects no results, and {update.system} returned {', '.join(named)}. Fix the search.",
            )


def _wants(case: Case) -> bool:
    if case.expects_nothing or case.top:
        return False
    return not case.targets or _saved(case)


def _saved(case: Case) -> bool:
    """Check for a case that `query --save-case` wrote, with the first hit alone."""
    return len(case.targets) == 1 and case.targets[0].source == PROPOSED


def _why(case: Case, system: str) -> str:
    has = "its only target is a saved first result" if case.targets else "it has no target"
    has = "it has an answer and no target" if case.answer is not None and not case.targets else has
    return f"{has}; these are the first results of {system}, which don't prove that they are right"


def _location(hit: HitRow, update: SuiteUpdate) -> Location | None:
    """Write a hit as a location that the suite's corpus has, or as its id where there are none."""
    corpus = update.suite.corpus
    try:
        if corpus is not None and hit.path is not None:
            lines = None if hit.start is None or hit.end is None else Lines(hit.start, hit.end)
            location = Location(path=hit.path, lines=lines)
        elif hit.id is not None:
            location = Location.of_id(hit.id)
        else:
            return None
    except LocationError:
        return None
    return None if update.spot_key(location) is None else location


def _same_target(update: SuiteUpdate) -> Iterator[Change]:
    """Find targets of a case that are one location: the same lines, however they are written."""
    for case in update.suite.cases:
        first: dict[Hashable, int] = {}
        for number, target in enumerate(case.targets):
            spot = update.spot_key(target.location) or target.location
            before = first.setdefault(spot, number)
            if before == number:
                continue
            if is_proposed(case.targets[before]) and not is_proposed(target):
                # What a person said stays, wherever it stands.
                first[spot] = number
                yield from _double(case, number, before)
            else:
                yield from _double(case, before, number)


def _same_case(update: SuiteUpdate) -> Iterator[Change]:
    """Find cases that ask the same and expect the same; what they are called makes no difference."""
    first: dict[Hashable, Case] = {}
    for case in update.suite.cases:
        earlier = first.setdefault(_asked_and_expected(case), case)
        if earlier is not case:
            what = f"remove the case: {case.query!r} again"
            why = f"it has the query and targets of {earlier.id}, and would count twice in every mean"
            sources = tuple(target.location for target in case.targets)
            yield Change(Category.TRIM, case.id, what, why, DropCase(case.id), sources)


def _double(case: Case, kept: int, number: int) -> Iterator[Change]:
    target, other = case.targets[number], case.targets[kept]
    as_well = (
        "" if target.location == other.location else f", which is the same location as '{other.location}'"
    )
    what = f"remove the target '{target.location}'{as_well}"
    if target.group == other.group:
        why = "the case has it twice"
        yield Change(Category.TRIM, case.id, what, why, DropTarget(case.id, number), (target.location,))


def _asked_and_expected(case: Case) -> Hashable:
    return (
        " ".join(case.query.split()),
        *(case.weight, case.group, case.category, case.tags, case.top, case.targets_within),
        *(case.exhaustive, case.expect_empty, case.max_score, case.answer),
        frozenset((target.location, target.grade, target.group) for target in case.targets),
        frozenset(case.filters.items()),
    )


def _misplaced(update: SuiteUpdate) -> Iterator[Change | Remark]:
    """Propose where texts went, and to take out targets that are gone; what is not proven is only shown."""
    if update.reader.corpus is None:
        return
    comparison = compare(update.suite, update.reader, update.anchors)
    lost: dict[Location, list[Anchored]] = {}
    for each in (*comparison.of(AnchorState.CHANGED), *comparison.of(AnchorState.LOST)):
        lost.setdefault(each.location, []).append(each)
    if not lost:
        return
    owners = {each.case.id: each.case for some in lost.values() for each in some}
    part = replace(update.suite, cases=tuple(owners.values()), scenarios=(), invariants=())
    changes = find_changes(part, Documents(update.reader.corpus), update.anchors)
    followed = {change.location: change.drift for change in changes.targets}
    for location, some in lost.items():
        yield from _settled(update, location, some, followed[location])


def _settled(
    update: SuiteUpdate, location: Location, some: Sequence[Anchored], drift: LocationDrift
) -> Iterator[Change | Remark]:
    case, now = some[0].case, drift.location
    if drift.status is DriftStatus.MOVED and now is not None and now != location:
        others = f", and for {many(len(some) - 1, 'other case')}" if len(some) > 1 else ""
        what = f"'{location}' becomes '{now}'{others}"
        changed = some[0].state is AnchorState.CHANGED
        state = "has another text now" if changed else "is not in the documents any more"
        why = f"it {state}; the judged text is at '{now}', and nowhere else"
        yield Change(Category.FIX, case.id, what, why, Move(location, now), (now,))
        return
    if _is_gone(update, some[0], drift):
        for each in some:
            yield from _dropped(each.case, location)
        return
    for each in some:
        yield _remark(update, each, drift)


def _is_gone(update: SuiteUpdate, anchored: Anchored, drift: LocationDrift) -> bool:
    """Check that nothing is left: no record of the id; or no such file, and the text is nowhere."""
    corpus, location = update.reader.corpus, anchored.location
    if corpus is None or location.quote is not None or isinstance(update.reader.find(location), Spot):
        return False
    if corpus.records:
        return location.id is not None
    known = anchored.then is not None and drift.status is DriftStatus.GONE
    return known and location.path is not None and location.path not in corpus


def _dropped(case: Case, location: Location) -> Iterator[Change | Remark]:
    numbers = [number for number, target in enumerate(case.targets) if target.location == location]
    left = [target for target in case.targets if target.location != location and target.grade > 0]
    if not left or any(top.location == location for top in case.top):
        what = f"'{location}' is missing, and the case has no other target. Add one, or delete the case."
        yield Remark(case.id, what)
        return
    for number in numbers:
        why = "neither its file nor its text is in the documents"
        yield Change(
            Category.TRIM, case.id, f"remove the target '{location}'", why, DropTarget(case.id, number)
        )


def _remark(update: SuiteUpdate, anchored: Anchored, drift: LocationDrift) -> Remark:
    location = anchored.location
    spot = update.reader.find(location)
    if anchored.state is AnchorState.CHANGED:
        said = f"The text at '{location}' is not the one that was judged"
        fix = f"Run: rankgate suite fix {update.suite.path or 'SUITE'}"
    else:
        found, expected, fix = (
            update.reader.lookup.explain(location, spot) if isinstance(spot, Miss) else ("", "", "")
        )
        said = f"'{location}': found {found}, expected {expected}"
        fix = fix or "Correct the location"
    if drift.status is DriftStatus.AMBIGUOUS:
        places = [str(one.location) for one in drift.candidates]
        number = len(places) + drift.more
        said += f"; the judged text is at {many(number, 'location')} ({', '.join(places[:3])})"
    elif anchored.then is None:
        said += "; no anchor tells its text"
    return Remark(anchored.case.id, f"{said}. {fix[:1].upper()}{fix[1:].removesuffix('.')}.")


def write(update: SuiteUpdate, revised: Revised, changes: Sequence[Change]) -> bool:
    """Write a revised suite, and move and remove anchors with its locations.

    Returns:
        True if the file of anchors was written too.

    Raises:
        FormatError: if the file was changed meanwhile; nothing is written then.
    """
    path = anchors_path(str(update.suite.path))
    kept = read_anchors(path)
    write_revision(update.suite, update.written, revised)
    if kept is None:
        return False
    left = {each.edit for each in revised.left}
    edits = [change.edit for change in changes if change.edit not in left]
    cases = _anchors(kept.cases, update.suite, edits)
    if cases == kept.cases:
        return False
    moves = {edit.old.whole: edit.new.whole for edit in edits if isinstance(edit, Move)}
    named = {location for anchors in cases.values() for location in anchors}
    texts = {moves.get(name, name): record for name, record in kept.texts.items()}
    texts = {name: record for name, record in texts.items() if name in named}
    write_anchors(replace(kept, cases=cases, texts=texts), path)
    return True


def _anchors(
    kept: Mapping[str, Mapping[str, str]], suite: Suite, edits: Sequence[Edit]
) -> dict[str, dict[str, str]]:
    moves = {edit.old.whole: edit.new.whole for edit in edits if isinstance(edit, Move)}
    gone = {edit.case for edit in edits if isinstance(edit, DropCase)}
    dropped: dict[str, set[int]] = {}
    for edit in edits:
        if isinstance(edit, DropTarget):
            dropped.setdefault(edit.case, set()).add(edit.number)
    cases = {case.id: case for case in suite.cases}
    found: dict[str, dict[str, str]] = {}
    for name, anchors in kept.items():
        case = cases.get(name)
        lost: set[str] = set()
        if case is not None:
            numbers = dropped.get(name, set())
            stay = {each.location.whole for at, each in enumerate(case.targets) if at not in numbers}
            stay |= {top.location.whole for top in case.top}
            lost = {case.targets[at].location.whole for at in numbers} - stay
        left = {moves.get(at, at): anchor for at, anchor in anchors.items() if at not in lost}
        if name not in gone and left:
            found[name] = left
    return found
