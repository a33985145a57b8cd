"""What a suite asks beside its cases, for scenarios and invariants, and what came of it.

The searches of scenarios and the queries of invariants are a run of their own, in ``probes`` inside the
folder of the run; what the other steps of scenarios showed is in ``scenarios.jsonl`` beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.gates.checks import ProbeResult, first_ranks
from rankgate.model import Action, Navigator, System, fingerprint, probes
from rankgate.runs.store.hits import errored_queries
from rankgate.runs.store.questions import fingerprint_of, question_table
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rankgate.model import Suite
    from rankgate.runs.asking.ask import CaseQuery
    from rankgate.runs.asking.deadline import RunDeadline
    from rankgate.runs.navigation.transcripts import Transcript
    from rankgate.runs.parts import Part
    from rankgate.runs.store.tables import Run
    from rankgate.truth.resolve import ProbePlan


MISSING = "a location that it names is missing from the corpus"
"""Why a scenario or an invariant was not run."""


@dataclass(frozen=True, slots=True, eq=False)
class Probed:
    """What came of probing a system."""

    run: Run | None = None
    """The answers to the searches of scenarios and the queries of invariants; None where none was asked."""
    transcript: Transcript | None = None
    """What the other steps of scenarios showed; None where there was none to take, or no system."""
    notes: tuple[str, ...] = ()
    """What a reader must know about it."""
    results: tuple[ProbeResult, ...] = ()
    """The scenarios and the invariants, in the order of the suite."""

    @property
    def failed(self) -> int:
        """How many searches and steps the system failed on."""
        steps = 0 if self.transcript is None else self.transcript.errored
        return steps + (0 if self.run is None else errored_queries(self.run))


def probe(
    suite: Suite,
    system: System | Run,
    probe_plan: ProbePlan,
    folder: Path | None = None,
    ask: Callable[[Sequence[CaseQuery], Path | None], Run] | None = None,
    part: Part | None = None,
    deadline: RunDeadline | None = None,
) -> Probed:
    """Ask the probes of a suite, walk the documents of a system that has some, and judge what came of it.

    Args:
        suite: Its scenarios and invariants.
        system: What to ask. Of a run that was stored, what it kept of an earlier probing is taken.
        probe_plan: Where the locations of scenarios and invariants are in the corpus.
        folder: The folder of the run; None to keep everything in memory.
        ask: Asks some questions, and keeps the answers in a folder where it is given one; a run needs none.
        part: Which part of the scenarios and of the invariants; None for all.
        deadline: When to end; what is not answered by then is a time-out.
    """
    if not suite.scenarios and not suite.invariants:
        return Probed()
    probed = (
        _asked(suite, system, probe_plan, folder, ask, part, deadline)
        if isinstance(system, System)
        else _stored(suite, system)
    )
    return replace(probed, results=check_probes(suite, probed, probe_plan))


def _asked(
    suite: Suite,
    system: System,
    probe_plan: ProbePlan,
    folder: Path | None,
    ask: Callable[[Sequence[CaseQuery], Path | None], Run] | None,
    part: Part | None,
    deadline: RunDeadline | None,
) -> Probed:
    """Ask a system, and keep what it showed."""
    if ask is None:
        raise AssertionError("a system is asked by somebody")
    from rankgate.runs.navigation.navigate import navigate
    from rankgate.runs.navigation.transcripts import Transcript, write_transcript
    from rankgate.runs.store.run_folder import PROBES, TRANSCRIPT

    mine = suite
    if part is not None:
        mine = replace(
            suite, scenarios=tuple(part.of(suite.scenarios)), invariants=tuple(part.of(suite.invariants))
        )
    questions = _questions(mine)
    # A part without probes keeps an empty run of them, so that every part has one to be merged.
    wanted = questions or part is not None
    run = ask(questions, None if folder is None else folder / PROBES) if wanted else None
    transcript = None
    if _walks(suite):
        transcript = (
            navigate(
                [one for one in mine.scenarios if one.name not in probe_plan.gone_scenarios],
                system if deadline is None else deadline.walking(system),
                probe_plan.waypoints,
            )
            if isinstance(system, Navigator)
            else Transcript(navigable=False)
        )
        transcript = replace(transcript, suite=fingerprint(suite.scenarios))
        if folder is not None:
            write_transcript(transcript, folder / TRANSCRIPT)
    return Probed(run, transcript, _cut(transcript))


def check_probes(suite: Suite, probed: Probed, probe_plan: ProbePlan) -> tuple[ProbeResult, ...]:
    """Return the result of each scenario and each invariant of a suite."""
    from rankgate.gates.invariants import check_invariants
    from rankgate.gates.probe_answers import ProbeAnswers
    from rankgate.gates.scenarios import Evidence, check_scenarios

    answers = ProbeAnswers(probed.run)
    ranks = {} if probed.run is None else first_ranks(suite.matching, probe_plan.tops, probed.run)
    evidence = Evidence(answers, probed.transcript, probe_plan.waypoints, ranks)
    gone, lost = probe_plan.gone_scenarios, probe_plan.gone_invariants
    scenarios = check_scenarios([one for one in suite.scenarios if one.name not in gone], evidence)
    invariants = check_invariants(
        [one for one in suite.invariants if one.name not in lost],
        answers,
        probed.run,
        probe_plan.tops,
        suite.matching,
    )
    ran = {(one.kind, one.name): one for one in (*scenarios, *invariants)}
    return (
        *(
            ran.get(("scenario", one.name))
            or ProbeResult("scenario", one.name, None, (MISSING,), where=one.where, missing=True)
            for one in suite.scenarios
        ),
        *(
            ran.get(("invariant", one.name))
            or ProbeResult(
                "invariant", one.name, None, (MISSING,), where=one.where, known=one.xfail, missing=True
            )
            for one in suite.invariants
        ),
    )


def _questions(suite: Suite) -> list[CaseQuery]:
    from rankgate.runs.asking.ask import CaseQuery

    return [CaseQuery(name, query) for name, query in probes(suite)]


def probes_fingerprint(suite: Suite) -> str:
    """Name everything that is asked for scenarios and invariants."""
    return fingerprint_of(question_table(probes(suite), own_depth=True))


def _walks(suite: Suite) -> bool:
    return any(step.action is not Action.SEARCH for scenario in suite.scenarios for step in scenario.steps)


def _stored(suite: Suite, run: System | Run) -> Probed:
    """Take what an earlier evaluation of the same suite kept beside a run."""
    from rankgate.runs.navigation.transcripts import read_transcript
    from rankgate.runs.store.run_folder import MANIFEST, PROBES, TRANSCRIPT, StoredRun

    kept = transcript = None
    notes = []
    if isinstance(run, StoredRun):
        if (run.folder / PROBES / MANIFEST).is_file():
            kept = StoredRun.open(run.folder / PROBES)
            kept.verify()
            manifest = kept.manifest
            if manifest.finished is None:
                found, fix = (
                    "scenarios and invariants that were not asked to the end",
                    "make the run again, or complete it with rankgate run --resume",
                )
                raise InputError(Code.UNFINISHED_RUN(str(kept.folder), found, "a whole run", fix))
            same = manifest.questions == probes_fingerprint(suite)
            if not same and (manifest.questions or manifest.suite != suite.fingerprint):
                kept = None
        if (run.folder / TRANSCRIPT).is_file():
            transcript = read_transcript(run.folder / TRANSCRIPT)
            if transcript.suite not in (fingerprint(suite.scenarios), suite.fingerprint):
                transcript = None
    wanted = bool(_questions(suite)), _walks(suite)
    if (wanted[0] and kept is None) or (wanted[1] and transcript is None):
        counts = (len(suite.scenarios), "scenario"), (len(suite.invariants), "invariant")
        named = " and ".join(many(number, what) for number, what in counts if number)
        notes.append(
            f"{named} of this suite were not asked when the run was made, and there is no system to ask"
        )
    return Probed(kept, transcript, tuple(notes))


def _cut(transcript: Transcript | None) -> tuple[str, ...]:
    steps = [one for one in transcript.observations if one.cut] if transcript is not None else []
    texts = sum(one.text is not None for one in steps)
    trees = len(steps) - texts
    said = (texts, "text"), (trees, "tree")
    return tuple(f"{many(number, what)} of scenarios kept in part" for number, what in said if number)
