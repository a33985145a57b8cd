"""What an evaluation is told by: one order of causes, of which the first that applies makes the headline."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from rankgate.gates.context import errored_cases
from rankgate.gates.language import COMPARED, Measure
from rankgate.model import Cause, Status
from rankgate.model.wording import many
from rankgate.reports.evaluation.summary.commands import RESUME
from rankgate.reports.evaluation.summary.queries import MISPLACED, QueryKind
from rankgate.reports.text.marks import BAD
from rankgate.reports.text.printable import printable, split_where
from rankgate.runs.store.hits import read_hits

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rankgate.gates.scored import Scored
    from rankgate.reports.comparison.report import ComparisonReport
    from rankgate.reports.evaluation.rows import GoneReport, VerdictRow
    from rankgate.reports.evaluation.summary.commands import SummaryCommands
    from rankgate.reports.evaluation.summary.queries import QueryLine, QueryLines
    from rankgate.truth.facts.checked import CheckedFact
    from rankgate.truth.gone import GoneLocation

MOST_STEPS = 3
"""How many commands are offered."""
_NAMED = 3
_NEAR = "did you mean "
_MOST = 300
_UNREACHED = re.compile(r"(?i)refused|(?:could not|cannot) connect|failed to resolve|unreachable|no route")
"""What a message says where nobody answered at an address."""
_PAGES = frozenset({".md", ".mdx", ".markdown", ".rst", ".html", ".htm", ".txt", ".adoc", ".pdf"})


class CauseKind(StrEnum):
    """Why an evaluation ended as it did, in the order in which it is told."""

    INTERNAL = "internal"
    """A fault of rankgate itself."""
    SUITE = "suite"
    """The suite, the call or a gate is wrong."""
    OUTAGE = "outage"
    """The system failed on more queries than may fail."""
    MAPPING = "mapping"
    """Hits are not where they say."""
    TARGETS = "targets"
    """Targets moved, changed, or are gone from the documents."""
    FAILED = "failed gates"
    """A gate or a check failed."""
    INCONCLUSIVE = "inconclusive gates"
    """A gate could not be decided."""
    COMPARISON = "comparison"
    """It is worse than the baseline, and no gate says so; never a headline."""


@dataclass(frozen=True, slots=True)
class CauseLine:
    """One more thing that is so, in a line."""

    kind: CauseKind
    """What it is about."""
    words: str
    """What is so, in one sentence without a full stop."""
    command: str = ""
    """The command that helps; empty where there is none."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """A command to run next."""

    label: str
    """When to run it, or what for, in a few words."""
    command: str
    """The command."""


class ToldCause(NamedTuple):
    """A cause that applies."""

    kind: CauseKind
    """Which."""
    headline: str
    """The event, in one sentence without a full stop."""
    reason: str
    """Why, in one sentence."""
    steps: tuple[NextStep, ...] = ()
    """What to do."""
    decides: bool = True
    """False where it is said and the evaluation did not end by it: it makes no headline."""

    @property
    def line(self) -> CauseLine:
        """The same as one line among others."""
        return CauseLine(self.kind, self.headline, self.steps[0].command if self.steps else "")


class Known(NamedTuple):
    """All that causes are told from."""

    scored: Scored
    """What was tested, judged."""
    rows: Sequence[VerdictRow]
    """A row a gate."""
    lines: QueryLines
    """The queries that broke."""
    facts: Sequence[CheckedFact]
    """What was checked."""
    gone: GoneReport
    """The targets that are gone."""
    comparison: ComparisonReport | None
    """How it compares with its baseline."""
    max_errors: int
    """How many queries may fail."""
    commands: SummaryCommands
    """What names the commands."""

    @property
    def outage(self) -> bool:
        """True where the system failed on more than may fail."""
        errored = int(errored_cases(self.scored.scores).sum()) + self.scored.checks.probes_errored
        return errored > self.max_errors

    def gates(self, status: Status) -> list[VerdictRow]:
        """Return the gates that ended in one way."""
        return [row for row in self.rows if row.status is status]


def causes(known: Known) -> tuple[ToldCause, ...]:
    """Return what applies, in the order of causes."""
    found = (_suite, _outage, _mapping, _targets, _failed, _inconclusive, _comparison)
    return tuple(cause for one in found for cause in one(known))


def _suite(known: Known) -> Iterator[ToldCause]:
    refused = known.gates(Status.REFUSED)
    if refused:
        own = known.scored.own_baseline
        steps = [NextStep("check the suite", known.commands.lint())]
        if own is not None and own.absent and own.command:
            steps = [NextStep("make the baseline", printable(own.command))]
        words = f"{many(len(refused), 'gate')} cannot be judged: {refused[0].gate}"
        yield ToldCause(CauseKind.SUITE, words, sentence(refused[0].reason), tuple(steps))


def _outage(known: Known) -> Iterator[ToldCause]:
    scored = known.scored
    errored, probes = int(errored_cases(scored.scores).sum()), scored.checks.probes_errored
    if not errored + probes:
        return
    groups = known.lines.of(QueryKind.ERROR)
    failed = [f"{errored:,} of {many(len(scored.scores.queries), 'query', 'queries')}"] if errored else []
    failed += [f"{probes:,} of {many(scored.checks.probes, 'probe')}"] if probes else []
    headline = f"System error on {' and '.join(failed)}"
    if groups:
        headline += f": {printable(groups[0].reason, _MOST)}"
    other = many(len(groups) - 1, "other message") if len(groups) > 1 else ""
    reason = f"{many(errored + probes, 'error')}, counted as 0; {known.max_errors} allowed"
    reason += f"; {other} below" if other else ""
    if not known.outage:
        headline = f"{reason}: {groups[0].reason}" if groups else reason
    reason += "; nothing is compared with a baseline"
    away = bool(groups) and _UNREACHED.search(groups[0].reason) is not None
    again = "start it or correct its address, then" if away else "fixed? ask those again"
    # Nobody would answer a single question either.
    steps = [NextStep("see one", groups[0].command)] if groups and not away else []
    # Of a part of a suite nothing is kept.
    options = () if scored.suite.whole is not None else (RESUME,)
    steps.append(NextStep(again, known.commands.test(*options)))
    yield ToldCause(CauseKind.OUTAGE, headline, sentence(reason), tuple(steps), known.outage)


def _mapping(known: Known) -> Iterator[ToldCause]:
    scored = known.scored
    nothing = scored.verdict.cause is Cause.MAPPING
    if not scored.faults and not nothing:
        return
    hits = many(sum(scored.located.classes.values()), "hit")
    fault = scored.faults[0] if scored.faults else None
    headline = f"None of {hits} has a location in the corpus" if nothing or fault is None else fault.said
    told = "The hits name other files than the corpus of the suite has."
    if fault is not None:
        told = sentence(f"{fault.said}: {fault.fix}" if nothing else fault.fix)
    steps = (
        [NextStep("see one answer", known.commands.ask(scored.suite.cases[0].id))]
        if scored.suite.cases
        else []
    )
    yield ToldCause(CauseKind.MAPPING, printable(headline), printable(told), tuple(steps))


def _targets(known: Known) -> Iterator[ToldCause]:
    facts = [fact for fact in known.facts if fact.kind in MISPLACED]
    blocked = {line.case for line in known.lines.of(QueryKind.TARGET)}
    gone = [one for one in known.gone.targets if one.counts]
    named = {detail: None for fact in facts for detail in fact.details}
    for one in gone:
        if not any(name.partition(" → ")[0] == one.target for name in named):
            named[printable(one.target)] = None
    if not named:
        return
    moved = [name for name in named if " → " in name]
    absent = {printable(one.target) for one in gone} - {name.partition(" → ")[0] for name in moved}
    changed = len(named) - len(moved) - len(absent)
    counts = ((len(moved), "moved"), (changed, "changed"), (len(absent), "gone"))
    words = " and ".join(f"{number} {word}" for number, word in counts[:2] if number)
    words = ", ".join(filter(None, (words, f"{len(absent)} gone" if absent else "")))
    headline = f"{many(len(named), 'target')} {_how(counts, words)}"
    near = {one.target: one for one in gone if one.target in absent and one.likely.startswith(_NEAR)}
    first = [*near, *(name for name in named if name not in near)]
    shown = ", ".join(f"{name}: {near[name].likely}" if name in near else name for name in first[:_NAMED])
    more = f" and {len(named) - _NAMED} more" if len(named) > _NAMED else ""
    most = f"{known.gone.allowed}" if known.gone.allowed else "none"
    allowed = f" (max_gone allows {most})" if absent and not near else ""
    yield ToldCause(
        CauseKind.TARGETS,
        headline,
        sentence(printable(f"{shown}{more}{allowed}", _MOST)),
        (*_corrections(known, near.values()), NextStep("update the targets", known.commands.mend())),
        bool(blocked) or known.gone.blocks,
    )


def _corrections(known: Known, near: Iterable[GoneLocation]) -> Iterator[NextStep]:
    """Return what to do about a name that is like one of the documents: most often it was typed wrong."""
    lines = [str(line) for one in near if (line := split_where(one.where)[1]) is not None]
    if lines:
        which = f"line {lines[0]}" if len(lines) == 1 else f"lines {', '.join(lines[:_NAMED])}"
        yield NextStep(f"typed wrong? correct the case at {which}, then", known.commands.test())


def _how(counts: Sequence[tuple[int, str]], words: str) -> str:
    """Return the one word where all targets ended alike, or else each with its number."""
    alike = [word for number, word in counts if number]
    if len(alike) > 1:
        return f"differ: {words}"
    number = next(number for number, _ in counts if number)
    if alike == ["gone"]:
        return f"{'is' if number == 1 else 'are'} not in the documents"
    return f"{alike[0]} in the documents"


def _failed(known: Known) -> Iterator[ToldCause]:
    rows, outage = known.rows, known.outage
    if outage:
        # The gate on errors, which is there without being written, says the same as the outage.
        errors = {one.gate for one in known.scored.verdicts if one.rule.measure is Measure.ERRORS}
        rows = [row for row in rows if row.gate not in errors]
    failed = [row for row in rows if row.status is Status.FAILED]
    if not failed:
        return
    of = f"{len(failed)} of {many(len(rows), 'gate')} failed" if len(rows) > 1 else "1 gate failed"
    reason = f"{of}: {'; '.join(_gate(row) for row in failed[:2])}"
    reason += f"; and {len(failed) - 2} more" if len(failed) > 2 else ""
    steps = []
    own, broken = known.scored.own_baseline, known.lines.broken
    lost = known.lines.counts[QueryKind.LOST]
    if lost and own is not None and own.moved:
        # Texts that are as they were have moved nowhere.
        steps.append(NextStep("text moved?", known.commands.mend()))
    if broken:
        steps.append(NextStep("see one", broken[0].command))
    if own is not None and own.command and not own.absent and _compares(known):
        # A baseline of a test that did not pass is taken only where that is said.
        steps.append(NextStep("intended?", printable(f"{own.command} --failed")))
    event = _event(known, failed)
    if outage:
        # What an outage does to the gates says nothing about the search, and nothing is to be done about it.
        event, steps = f"{of}, with errors counted as 0, which says nothing about the search", []
    yield ToldCause(CauseKind.FAILED, event, printable(sentence(reason), 2 * _MOST), tuple(steps))


def _compares(known: Known) -> bool:
    """Check whether a gate on the baseline failed, so that a new baseline would let it pass."""
    return any(one.status is Status.FAILED and one.rule.measure in COMPARED for one in known.scored.verdicts)


def _gate(row: VerdictRow) -> str:
    return f"{row.gate} is {row.value}"


def _event(known: Known, failed: Sequence[VerdictRow]) -> str:
    """Return what happened, in the words of who reads it: what queries no longer do, before any figure."""
    lines, number = known.lines, known.lines.counts
    if lines.unfound:
        lost = [line for line in lines.of(QueryKind.LOST) if line.now is None]
        find = _find(known, lost, one=lines.unfound == 1)
        return f"{many(lines.unfound, 'query', 'queries')} no longer {find}"
    if dropped := number[QueryKind.LOST]:
        their = "its" if dropped == 1 else "their"
        return f"{many(dropped, 'query', 'queries')} lost {their} rank among the first hits"
    if nothing := number[QueryKind.NOTHING]:
        find = _find(known, lines.of(QueryKind.NOTHING), one=nothing == 1, several=True)
        return f"{many(nothing, 'query', 'queries')} {'does' if nothing == 1 else 'do'} not {find}"
    said = []
    if checks := number[QueryKind.CHECK]:
        verb = "fails" if checks == 1 else "fail"
        said.append(f"{many(checks, 'query', 'queries')} {verb} a check")
    measured = [row for row in failed if not checks or not row.gate.startswith(Measure.CHECKS)]
    said += [f"{row.gate} fails with {row.value}" for row in measured[:1]]
    more = f" (and {many(len(measured) - 1, 'more gate')})" if len(measured) > 1 else ""
    return f"{', and '.join(said)}{more}"


def _find(known: Known, lines: Sequence[QueryLine], *, one: bool, several: bool = False) -> str:
    verb = "finds" if one and not several else "find"
    return f"{verb} {'its' if one else 'their'} {_noun(known, lines)}"


def _noun(known: Known, lines: Sequence[QueryLine]) -> str:
    """Return what the lines expect: pages, sections of pages that did come, or else targets."""
    paths = [line.expected.partition("#")[0].partition(":")[0].partition(" ")[0] for line in lines]
    if not lines or not all(PurePosixPath(path).suffix.lower() in _PAGES for path in paths):
        return "target"
    if any(line.expected == path for line, path in zip(lines, paths, strict=True)):
        return "page"
    hits = read_hits(known.scored.run, [line.case for line in lines])
    came = ({hit.path for hit in hits.get(line.case, ())} for line in lines)
    return "section" if all(path in those for path, those in zip(paths, came, strict=True)) else "page"


def _inconclusive(known: Known) -> Iterator[ToldCause]:
    left = known.gates(Status.INCONCLUSIVE)
    if not left:
        return
    headline = f"{many(len(left), 'gate')} inconclusive: {left[0].gate}"
    own = known.scored.own_baseline
    steps: list[NextStep] = []
    if own is not None and own.command and own.why and own.why in left[0].reason:
        steps = [NextStep("make the baseline again", printable(own.command))]
    if known.outage:
        headline, steps = f"{many(len(left), 'gate')} inconclusive", []
    yield ToldCause(CauseKind.INCONCLUSIVE, headline, sentence(left[0].reason), tuple(steps))


def _comparison(known: Known) -> Iterator[ToldCause]:
    found = known.comparison
    worse = [] if found is None else [row for row in found.rows if row.mark == BAD]
    if found is not None and worse:
        row = worse[0]
        words = f"Worse than {found.before}: {row.metric} {row.before} → {row.after}"
        yield ToldCause(CauseKind.COMPARISON, words, sentence(row.finding), (), decides=False)


def sentence(words: str) -> str:
    """Write words as a sentence; a path, a gate or a name at its begin stays as it is written.

    >>> sentence("no baseline yet"), sentence("ndcg@10 0.2 < 0.5"), sentence("Done.")
    ('No baseline yet.', 'ndcg@10 0.2 < 0.5.', 'Done.')
    """
    said = printable(words).strip()
    if not said:
        return ""
    start = said[0].upper() if said.partition(" ")[0].isalpha() else said[0]
    return start + said[1:] + ("" if said.endswith((".", "…", "!", "?")) else ".")
