"""The test of the base commit on the documents of a change, for ``--base REF``.

With ``yardstick = "base"`` in the configuration of the base, its suite, gates, settings and baseline decide.
Otherwise those of the change decide, and what regressed against the base is listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from rankgate.corpora.corpus import Corpus
from rankgate.errors import InputError, RankgateError
from rankgate.gates.language import parse_gates
from rankgate.locations import Location
from rankgate.model import Case, Suite, Target
from rankgate.project.base import Base
from rankgate.project.changes import (
    baseline_changes,
    case_pairs,
    case_title,
    setting_changes,
    suite_changes,
)
from rankgate.project.configuration import Configuration, SystemEntry
from rankgate.project.opening import open_corpus
from rankgate.project.settings import AtBase, Settings, depth, read_rules, settings_of
from rankgate.report import TestChange
from rankgate.runs.baseline import Baseline
from rankgate.suites.asked_suite import asked_suite, is_gating
from rankgate.suites.formats import load_suite
from rankgate.truth.lookup import Lookup, Miss, MissReason, is_gone
from rankgate.truth.resolve import plan, probe_locations, resolve
from rankgate.wording import many


def against_base(
    base: Base, path: Path, written: Suite | None, settings: Settings, entry: SystemEntry
) -> tuple[Suite | None, Settings]:
    """Return the suite and the settings that decide, with what is known of the base.

    Args:
        base: The commit.
        path: The file of the suite.
        written: The suite of the change; null if the change removed it.
        settings: The settings of the change.
        entry: The system, as the change configures it.

    Raises:
        InputError: if the suite of the change is invalid.
    """
    head = None if written is None else asked_suite(written)
    project = entry.project or Configuration(path.parent)
    try:
        configuration, at = base.configuration(project.root), base.path(path)
        base.write_beside(at)
        if not at.exists():
            note = f"{base.ref} has no suite {path.name}: everything is new."
            return head, replace(settings, base=AtBase(base.ref, note))
        old = load_suite(at)
        then = settings_of(replace(entry, project=configuration), old, settings.asking, project.corpus_root)
        k = depth(old, old.metrics, parse_gates(then.gates or (), old.metrics), None)
        before = None if then.baselines is None else then.baselines.read()
    except RankgateError as error:
        why = base.shown(str(error)).partition("\n")[0]
        note = f"The test at {base.ref} is invalid, so that of the change decides: {why}"
        return head, replace(settings, base=AtBase(base.ref, note))
    decides, removed = configuration.yardstick == "base", f"{path.name}, {many(len(old.cases), 'case')}"
    changes = [TestChange(change="suite removed", details=(removed,))]
    if written is not None:
        changes = [
            *suite_changes(old, written),
            *setting_changes((configuration, then), (project, settings)),
            *_baseline_changes(before, then, settings, read=not decides),
        ]
    if not changes and not decides:
        return head, replace(settings, base=AtBase(base.ref))
    if before is None and then.baselines is not None:
        # The change can't add what the base is required to have.
        then = replace(then, baselines=replace(then.baselines, required=False))
    where = {gate.text: gate.where for gate in settings.gates or ()}
    then = replace(then, gates=tuple(replace(one, where=where.get(one.text, "")) for one in then.gates or ()))
    ready = AtBase(base.ref, changes=tuple(changes), settings=then, decides=decides, depth=k)
    ready, corpus = _on_documents(ready, old, written, path, project.corpus_root)
    if not decides:
        return head, replace(settings, base=ready)
    if head is not None:
        read_rules(head, settings)  # the gates of the change must be valid all the same
        ready = _with_new_cases(ready, head, corpus)
    return ready.suite, replace(then, asking=settings.asking, root=settings.root, corpus=corpus, base=ready)


def _baseline_changes(
    before: Baseline | None, then: Settings, now: Settings, *, read: bool
) -> Iterator[TestChange]:
    """Compare the baselines of the system under test; that of a change which does not decide is not read."""
    if then.baselines is None or now.baselines is None:
        return
    new = now.baselines.path()
    if read or before is None or not new.is_file():
        yield from baseline_changes(before, now.baselines.read() if read else None)
    elif then.baselines.path().read_bytes() != new.read_bytes():
        yield TestChange(change="baseline renewed")


def _on_documents(
    ready: AtBase, old: Suite, new: Suite | None, path: Path, root: Path
) -> tuple[AtBase, Corpus | None]:
    """Put the suite of the base on the documents of the change.

    A target that can't be located is replaced by those that the change has for this case instead. A case
    without a relevant target left is left out.
    """
    suite, moved, went, changes = replace(old, path=str(path)), [], [], [*ready.changes]
    try:
        corpus = open_corpus(suite, root)
    except InputError:
        if new is None or new.corpus == old.corpus:
            raise
        suite = replace(suite, corpus=new.corpus)
        corpus = open_corpus(suite, root)
        used = f"that of {ready.name} can't be opened: {old.corpus}"
        changes.append(TestChange(change="corpus of the change used", details=(used,)))
    lookup = Lookup(corpus)

    def is_lost(location: Location) -> bool:
        found = lookup.find(location)
        return isinstance(found, Miss) and (
            found.why in (MissReason.SEVERAL, MissReason.SEVERAL_QUOTES) or is_gone(location, found, corpus)
        )

    pairs = case_pairs(old, new or replace(old, cases=()))
    cases, left_out = [], []
    instead: dict[str, str] = {}
    for case, now in pairs:
        kept, before, after = _followed(case, now, is_lost)
        if _is_judged(case, old) and not _is_judged(kept, old):
            left_out.append(kept)
            went.append(f"{case_title(case)} ({', '.join(map(str, before))})")
            continue
        cases.append(kept)
        if before:
            # Each new target stands for the old one in its place, and the last one for those that are left.
            last = len(after) - 1
            instead |= {one.whole: after[min(at, last)].whole for at, one in enumerate(before) if after}
            words = f"{', '.join(map(str, before))} → {', '.join(map(str, after))}"
            moved.append(f"{case_title(case)}: {words}")
    for words, found in (("with targets of the change", moved), ("removed with the document", went)):
        if found:
            changes.append(TestChange(change=f"{many(len(found), 'case')} {words}", details=tuple(found)))
    suite = asked_suite(replace(suite, cases=tuple(cases), **_probes(old, new, is_lost)))
    return replace(
        ready,
        note=f"The test of {ready.name} decides (yardstick = base)." if ready.decides and changes else "",
        changes=tuple(changes),
        suite=suite,
        names={case.id: now.id for case, now in pairs if now is not None},
        left_out=tuple(left_out),
        instead=instead,
        map_rules=None if new is None or new.map_rules == old.map_rules else new.map_rules,
    ), corpus


def _is_judged(case: Case, suite: Suite) -> bool:
    return any(target.grade > 0 and is_gating(target, suite) for target in case.targets)


def _followed(
    case: Case, now: Case | None, is_lost: Callable[[Location], bool]
) -> tuple[Case, tuple[Location, ...], tuple[Location, ...]]:
    """Replace the targets and checks of a case that are lost by those that the change has instead.

    Returns:
        The case, the lost targets and those that replace them.
    """
    named, known = () if now is None else now.locations, {*case.locations}
    lost = {one for one in known if one not in named and is_lost(one)}
    # The file of the base is a temporary one.
    case = replace(case, where="" if now is None else now.where)
    if not lost:
        return case, (), ()
    gone = [target for target in case.targets if target.location in lost and target.grade > 0]
    instead: list[Target] = []
    tops = [top for top in case.top if top.location not in lost]
    if now is not None and gone:
        instead = [one for one in now.targets if one.location not in known and one.grade > 0]
    if now is not None and len(tops) < len(case.top):
        tops += [top for top in now.top if top.location not in known]
    if len(instead) == len(gone):
        instead = [replace(old, location=new.location) for old, new in zip(gone, instead, strict=True)]
    left = [target for target in case.targets if target.location not in lost]
    case = replace(case, targets=(*left, *instead), top=tuple(tops))
    return case, tuple(one.location for one in gone), tuple(one.location for one in instead)


def _probes(old: Suite, new: Suite | None, is_lost: Callable[[Location], bool]) -> dict[str, Any]:
    """Return scenarios and invariants; one with a lost location is replaced by that of the change, if any."""
    found: dict[str, Any] = {}
    for kind in ("scenarios", "invariants"):
        theirs = {} if new is None else {one.name: one for one in getattr(new, kind)}
        kept = []
        for probe in getattr(old, kind):
            other = theirs.get(probe.name)
            alone: dict[str, Any] = {"scenarios": (), "invariants": (), kind: (probe,)}
            if any(is_lost(one.location) for one in probe_locations(replace(old, cases=(), **alone))):
                kept += [] if other is None else [other]
            else:
                kept.append(replace(probe, where="" if other is None else other.where))
        found[kind] = tuple(kept)
    return found


def _with_new_cases(ready: AtBase, head: Suite, corpus: Corpus | None) -> AtBase:
    """Add new cases of the change, and the `never` of cases that are left out: only checks count."""
    assert ready.suite is not None  # noqa: S101 - the caller made it
    added = [case for case in head.cases if case.id not in ready.names.values()]
    added += [
        replace(case, targets=(), targets_within=None, top=nevers)
        for case in ready.left_out
        if (nevers := tuple(top for top in case.top if top.never))
    ]
    names = {case.id for case in ready.suite.cases}
    fresh = []
    for case in added:
        name, number = case.id, 2
        while name in names:
            name, number = f"{case.id}-{number}", number + 1
        names.add(name)
        fresh.append(replace(case, id=name))
    suite = replace(ready.suite, cases=(*ready.suite.cases, *fresh))
    known = {str(location) for case in suite.cases for location in case.locations}
    theirs = (*resolve(head, corpus).gone, *plan(head, corpus).gone)
    missing = tuple(replace(one, case=None) for one in theirs if one.counts and one.target not in known)
    return replace(ready, suite=suite, fresh=frozenset(case.id for case in fresh), missing=missing)
