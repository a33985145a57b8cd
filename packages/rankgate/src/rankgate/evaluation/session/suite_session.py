"""One suite and one system, kept open: asked case by case or all at once, and nothing twice.

A test runner has an item for each case and for each gate, and runs some of them, in parts.
`SuiteSession.ask` asks for the cases that are wanted next; `SuiteSession.whole` asks for what is left and
judges the gates.
"""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import InputError, RankgateError
from rankgate.evaluation.flow import Stopwatch, run_evaluation
from rankgate.evaluation.session.findings import Findings
from rankgate.evaluation.session.items import (
    ItemResult,
    ItemStatus,
    as_part,
    case_result,
    gate_result,
    probe_result,
)
from rankgate.gates.against import unwritten_lost
from rankgate.model import SuiteVerdict, System
from rankgate.model.systems import system_name
from rankgate.project.configuration import configuration_for
from rankgate.project.opening import load_here, open_corpus, opened
from rankgate.project.probes import Probed, probe
from rankgate.project.settings import RunOptions, Settings, judging_rules, settings_of
from rankgate.project.suite_run import SuiteRun, SuiteRunner
from rankgate.runs.store.tables import MemoryRun
from rankgate.truth.locations.probe_plan import plan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.language import Gate
    from rankgate.model import Case, Suite
    from rankgate.project.evaluation import Evaluation
    from rankgate.reports.evaluation.probes import ProbeRow
    from rankgate.reports.evaluation.report import CaseRow, EvaluationReport
    from rankgate.runs.store.tables import Run, Shard


class SuiteSession:
    """Asks one system the cases of one suite, those that are wanted and each of them once.

    A case that fails by itself is one that errored, that broke a hard check, or in which nothing relevant was
    found. Where the whole suite is tested, its verdict is the one that ``rankgate test`` gives, and what fell
    short and is no part of why the suite failed is excused.
    """

    def __init__(
        self,
        suite: Suite,
        settings: Settings,
        opening: Callable[[], AbstractContextManager[System | Run]],
        implied: Sequence[Gate] = (),
    ) -> None:
        self.suite = suite
        self.settings = replace(settings, list_all=True)
        self._rules = judging_rules(suite, settings)
        self.gates = (*self._rules.gates, *implied)
        """Those that are written, then those that hold without it and are known beforehand."""
        self._opening = opening
        self._open = ExitStack()
        self._corpus: Corpus | None = None
        self._system: System | Run | None = None
        self._runner: SuiteRunner | None = None
        self._cases: Mapping[str, Case] = {case.id: case for case in suite.cases}
        self._shards: list[Shard] = []
        self._asked: set[str] = set()
        self._ends: dict[str, ItemResult | BaseException] = {}
        self._probed: Probed | None = None
        self._whole: Evaluation | None = None
        self._refused: RankgateError | None = None

    @classmethod
    def of(cls, path: Path, system: str | None) -> SuiteSession:
        """Read a suite, and choose the system as ``rankgate test`` does; neither is asked or opened yet.

        Raises:
            InputError: for a suite that is wrong, a system that is unknown, gates that cannot be read.
        """
        suite = load_here(path)
        configuration = configuration_for(path)
        entry = configuration.entry(system)
        asking = RunOptions(pace=entry.pace, chunks=entry.chunks, locate=entry.locate)
        settings = settings_of(entry, suite, asking, configuration.corpus_root)
        implied: tuple[Gate, ...] = ()
        if settings.baselines and settings.baselines.expected:
            # It holds without being written, and an item must be there to fail.
            rules = judging_rules(suite, settings)
            implied = unwritten_lost(rules.gates, rules.depth)
        return cls(
            suite,
            settings,
            lambda: opened(entry, configuration.root, suite, configuration.corpus_root),
            implied,
        )

    def ask(self, names: Iterable[str]) -> None:
        """Ask for these cases, but for those that were asked before.

        Raises:
            InputError: where the system or the corpus cannot be opened.
        """
        wanted = set(names) - self._asked
        cases = [case for name, case in self._cases.items() if name in wanted]
        if cases:
            self._open_once()
            run = self._answers(cases)
            self._asked.update(wanted)
            try:
                self._judge(cases, run)
            except BaseException as error:
                # They were asked, and are not asked again: each of them ends by what happened.
                self._ends |= dict.fromkeys(wanted - self._ends.keys(), error)
                raise

    def case(self, name: str, *, whole: bool = False) -> ItemResult:
        """Return how a case ended, by itself or as part of the whole; it is asked now if it was not before.

        Raises:
            InputError: for a case that cannot be judged, as where its target is not in the corpus.
        """
        self.ask([name])
        end = self._ends[name]
        if isinstance(end, BaseException):
            raise end
        if not whole:
            return end
        at = list(self._cases).index(name)
        return self._as_part(end, lambda report: report.cases[at])

    def _as_part(
        self, end: ItemResult, row_of: Callable[[EvaluationReport], CaseRow | ProbeRow]
    ) -> ItemResult:
        """Look at what fell short as part of the whole suite; where that is refused, it stays as it is."""
        if end.ended is not ItemStatus.FAILED:
            return end
        try:
            evaluation = self.whole()
        except RankgateError:
            return end
        return as_part(end, row_of(evaluation.report), evaluation.verdict.state)

    def gate(self, number: int) -> ItemResult:
        """Return how a gate of `gates` ended; all that was not asked yet is asked now.

        Raises:
            InputError: as `whole` does.
        """
        gate, scored = self.gates[number], self.whole().scored
        if (written := len(self._rules.gates)) <= number:
            implied = enumerate(scored.verdicts[written:], written)
            number = next((at for at, one in implied if one.rule.measure is gate.measure), -1)
        if number < 0:
            own = scored.own_baseline
            why = "no baseline" if own is None else own.why or "another gate on lost queries decides"
            return ItemResult(ItemStatus.OPEN, (f"not judged: {why}",))
        findings = Findings(self.whole(), self.settings.root or Path.cwd(), self._rules.depth)
        return gate_result(findings, number, gate)

    def scenario(self, number: int, *, whole: bool = False) -> ItemResult:
        """Return how a scenario ended; all scenarios and invariants are asked together."""
        end = probe_result(self._probe().checks.scenarios[number], enforce=self.settings.enforce)
        return self._as_part(end, lambda report: report.probes.scenarios[number]) if whole else end

    def invariant(self, number: int, *, whole: bool = False) -> ItemResult:
        """Return how an invariant ended; all scenarios and invariants are asked together."""
        end = probe_result(self._probe().checks.invariants[number], enforce=self.settings.enforce)
        return self._as_part(end, lambda report: report.probes.invariants[number]) if whole else end

    def verdict(self) -> SuiteVerdict:
        """Return the verdict on the whole suite: the one that ``rankgate test`` gives for the same state."""
        try:
            return self.whole().verdict
        except RankgateError as error:
            return SuiteVerdict.refused(error)

    def whole(self) -> Evaluation:
        """Ask for all that was not asked yet, and judge the gates.

        Raises:
            InputError: as `rankgate.evaluation.flow.run_evaluation` does.
        """
        if self._whole is None:
            self.ask(self._cases)
            self._open_once()
            probed, settings = self._probe(), replace(self.settings, corpus=self._corpus)
            self._whole = run_evaluation(self.suite, self._all(probed), settings, Stopwatch())
        return self._whole

    def close(self) -> None:
        """Close the system."""
        self._open.close()

    def _open_once(self) -> None:
        """Open the corpus and the system, once; what cannot be opened is not tried again."""
        if self._refused is not None:
            raise self._refused
        if self._system is not None:
            return
        try:
            self._corpus = open_corpus(self.suite, self.settings.root)
            system = self._open.enter_context(self._opening())
            if isinstance(system, System):
                asking, deep = self.settings.asking, self._rules.depth
                runner = SuiteRunner(self.suite, system, self._corpus, asking, deep)
                self._runner = self._open.enter_context(runner)
            self._system = system
        except RankgateError as error:
            self._refused = error
            raise

    def _answers(self, cases: Sequence[Case]) -> Run:
        if self._runner is None:
            return self._system  # type: ignore[return-value]  # a run that was made before
        run = self._runner.ask_cases(cases)
        self._shards += run.shards()  # type: ignore[arg-type]  # kept in memory, where shards are
        return run

    def _all(self, probed: Probed) -> Run:
        """Put all answers together, as if they had been asked for at once."""
        if self._runner is None:
            return self._system  # type: ignore[return-value]  # a run that was made before
        run = MemoryRun(system_name(self._system), self._shards)
        notes = (*self._runner.notes(run), *probed.notes)
        return SuiteRun(run, probed, notes=notes)

    def _probe(self) -> Probed:
        if self._probed is None:
            self._open_once()
            probe_plan = plan(self.suite, self._corpus)
            system = self._system
            assert system is not None  # noqa: S101 - it was opened in the line above
            ask = None if self._runner is None else self._runner.ask
            self._probed = probe(self.suite, system, probe_plan, ask=ask)
        return self._probed

    def _judge(self, cases: Sequence[Case], run: Run) -> None:
        """Judge cases by themselves: without gates, scenarios and invariants."""
        suite = replace(self.suite, cases=tuple(cases), gates=(), scenarios=(), invariants=())
        asking = replace(self.settings.asking, k=self._rules.depth)
        settings = replace(
            self.settings,
            metrics=self._rules.metrics,
            gates=(),
            enforce=True,
            corpus=self._corpus,
            asking=asking,
        )
        try:
            evaluation = run_evaluation(suite, run, settings, Stopwatch())
        except InputError as error:
            if len(cases) == 1:
                self._ends[cases[0].id] = error
                return
            # One case that is wrong says nothing about the others.
            for case in cases:
                self._judge([case], run)
            return
        for case, row in zip(cases, evaluation.report.cases, strict=True):
            self._ends[case.id] = case_result(
                case, row, evaluation, self.gates, enforce=self.settings.enforce
            )
