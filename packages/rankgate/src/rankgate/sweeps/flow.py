"""A sweep from its file to its report: variants listed, asked, compared."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.errors import Code, ExitCode, InputError, RankgateError, did_you_mean
from rankgate.project.budgets import budget_notes, check_budget
from rankgate.project.find import configuration_for
from rankgate.project.indexing import usual_chunks
from rankgate.project.preparation import is_prepared
from rankgate.runs.store.run_folder import StoredRun, has_run
from rankgate.suites.asked_suite import asked_suite
from rankgate.suites.formats import load_suite
from rankgate.suites.suite_part import CaseSelection
from rankgate.sweeps.asking import AskedVariant, Asking, prepared_by
from rankgate.sweeps.held_out import held_out_report, split
from rankgate.sweeps.latency import latest_pass, measure_latency
from rankgate.sweeps.reporting import sweep_report
from rankgate.sweeps.table import sweep_table
from rankgate.sweeps.variants import Variant, variants_of
from rankgate.truth.resolve import resolve
from rankgate.wording import many, shortest

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from rankgate.model import Suite
    from rankgate.project.configuration import Configuration
    from rankgate.reports.sweep import SweepReport
    from rankgate.runs.asking.progress import Progress
    from rankgate.runs.parts import Part
    from rankgate.sweeps.sweep_file import Sweep
    from rankgate.sweeps.variants import Variants


@dataclass(frozen=True, slots=True)
class SweepOptions:
    """How a sweep is run."""

    only: str = ""
    """Ask and show only variants whose names contain this; the baseline always."""
    limit: int | None = None
    """Try so many queries and keep nothing."""
    part: Part | None = None
    """Which part of the variants is asked; None for all."""
    progress: Progress | None = None
    """Told of every answer."""
    latency: bool = False
    """Ask all variants once more, in turn, to measure how long they take."""


@dataclass(frozen=True, slots=True)
class SweepResult:
    """What came of a sweep."""

    reports: tuple[SweepReport, ...] = ()
    """A report a suite."""
    code: ExitCode = ExitCode.PASSED
    """What a command exits with."""


@dataclass(frozen=True, slots=True)
class OpenedSweep:
    """A sweep with what its file names."""

    sweep: Sweep
    """What the file says."""
    configuration: Configuration
    """The project of the file."""
    variants: Variants
    """All variants."""
    suites: tuple[Path, ...]
    """The files of its suites."""

    @classmethod
    def of(cls, sweep: Sweep) -> OpenedSweep:
        """Find what a sweep names.

        Raises:
            InputError: for a baseline that is no variant, or needs what is not there, and for no suite.
        """
        configuration = configuration_for(sweep.path)
        variants = variants_of(sweep, configuration)
        base = variants.named(sweep.baseline) if sweep.baseline else next(iter(variants.asked), None)
        if base is None or base.missing:
            found = "no variant that can be asked" if base is None else f"{base.name!r}, which needs "
            lacking = "" if base is None else ", ".join(base.missing)
            raise InputError(
                Code.UNKNOWN_VARIANT(f"{sweep.path}: baseline", found + lacking, "a variant that is in use")
            )
        named = tuple(sweep.path.parent / suite for suite in sweep.suites)
        suites = tuple(configuration.chosen_suites(named))
        return cls(replace(sweep, baseline=base.name), configuration, variants, suites)

    def chosen(self, options: SweepOptions) -> list[Variant]:
        """Return the variants to ask: the baseline, and those that are wanted.

        Raises:
            InputError: where none is wanted.
        """
        every = [
            one for one in self.variants.asked if options.only in one.name or one.name == self.sweep.baseline
        ]
        if options.only and not any(options.only in one.name for one in every):
            raise InputError(
                Code.UNKNOWN_VARIANT("--only", repr(options.only), "a part of the name of a variant")
            )
        return every if options.part is None else options.part.of(every)

    def notes(self) -> Iterator[str]:
        """Say what was left out."""
        if self.sweep.categories:
            yield f"only queries of these categories were asked: {', '.join(self.sweep.categories)}"
        if self.variants.excluded:
            yield f"{many(self.variants.excluded, 'combination')} left out by exclude"
        for one in self.variants.every:
            if one.missing:
                yield f"{one.name} was not asked: it needs {', '.join(one.missing)}"

    def asking(self, path: Path, options: SweepOptions) -> Asking:
        """Read a suite, and return how variants are asked of it."""
        suite = _of_categories(asked_suite(load_suite(path)), self.sweep)
        if options.limit:
            suite = CaseSelection(options.limit).of(suite)
        metrics = self.sweep.metrics or tuple(suite.metrics)
        asking = Asking(self.sweep, suite, self.configuration, metrics, options.progress)
        tables = [one.table for one in self.variants.asked]
        where = f"{self.sweep.path}: metrics"
        check_budget(tables, metrics, where, lambda: usual_chunks(suite, asking.corpus))
        return asking


def _of_categories(suite: Suite, sweep: Sweep) -> Suite:
    """Return a suite with the queries of the categories that a sweep names.

    Raises:
        InputError: for a category that no query has.
    """
    known = {case.category for case in suite.cases if case.category is not None}
    for name in sweep.categories:
        if name not in known:
            where, expected = f"{sweep.path}: categories", f"a category of {suite.name}"
            raise InputError(Code.UNKNOWN_VARIANT(where, repr(name), expected, did_you_mean(name, known)))
    kept = tuple(case for case in suite.cases if case.category in sweep.categories)
    return replace(suite, cases=kept) if sweep.categories else suite


def run_sweep(sweep: Sweep, options: SweepOptions) -> SweepResult:
    """Ask the variants of a sweep what they were not asked before, and compare all.

    A variant that cannot be asked is told of, and the others are.

    Raises:
        InputError: for a file that names what is not there.
    """
    opened = OpenedSweep.of(sweep)
    reports, codes = [], [ExitCode.PASSED]
    for path in opened.suites:
        asking, chosen = opened.asking(path, options), opened.chosen(options)
        asked: list[AskedVariant] = []
        notes = list(opened.notes())
        for variant in sorted(chosen, key=prepared_by):
            try:
                asked.append(asking.one(variant))
            except RankgateError as error:
                codes.append(error.exit_code)
                notes.append(f"{variant.name} was not asked: {error}")
        if options.latency:
            notes += measure_latency(asking, asked, sweep.seed)
        reports += _reported(opened, asking, asked, options, notes)
    return SweepResult(tuple(reports), ExitCode.worst(codes))


def _reported(
    opened: OpenedSweep,
    asking: Asking,
    asked: Sequence[AskedVariant],
    options: SweepOptions,
    notes: list[str],
) -> list[SweepReport]:
    """Compare what was asked; nothing where the part that was asked is without the baseline."""
    baseline = opened.sweep.baseline
    if all(one.variant.name != baseline for one in asked):
        if options.part is None:
            raise InputError(
                Code.NO_ANSWERS(baseline, "no answers", "those of the variant in use", "\n".join(notes))
            )
        return []
    sweep, corpus, metrics = opened.sweep, asking.corpus, asking.metrics
    notes += budget_notes([(one.variant.name, one.run) for one in asked], metrics, asking.k)
    parts = split(asking.suite, sweep.held_out, sweep.seed)
    judgments = resolve(parts.seen, corpus).judgments
    table = sweep_table(parts.seen, judgments, asked, list(_earlier(asking, asked)), baseline, metrics)
    held_out = held_out_report(parts, table, corpus, metrics, asking.folder.path, sweep.seed)
    latency = latest_pass(asking.folder.path, [one.run.folder.name for one in asked])
    return [sweep_report(sweep, table, notes, held_out, latency)]


def _earlier(asking: Asking, asked: Sequence[AskedVariant]) -> Iterator[AskedVariant]:
    """Go through the variants that were asked before the same questions, and are not among those."""
    today = asked[0].identity
    here = {one.run.folder.name for one in asked}
    names = asking.folder.names()
    for folder in sorted((asking.folder.path / "runs").iterdir()):
        if folder.name in here or folder.name not in names or not has_run(folder):
            continue
        run = StoredRun.open(folder)
        if run.manifest.finished and not run.manifest.identity.asking_differences(today):
            run.verify()
            # Another variant may have its name today.
            yield AskedVariant(Variant(f"{names[folder.name][-1]} ({folder.name[:6]})"), run)


def dry_run_words(sweep: Sweep, options: SweepOptions) -> str:
    """Say what a sweep would ask."""
    opened = OpenedSweep.of(sweep)
    chosen = opened.chosen(options)
    lines = [f"{many(len(chosen), 'variant')} of {shortest(sweep.path)}, in use: {opened.sweep.baseline}"]
    lines += [f"  {one.name}" for one in chosen]
    for path in opened.suites:
        asking = opened.asking(path, options)
        cases = len(asking.suite.cases)
        total = f"{cases * len(chosen):,} questions at most"
        builds = _builds(asking, chosen)
        lines.append(f"{shortest(path)}: {many(cases, 'query', 'queries')}, {total}{builds}")
    return "\n".join([*lines, *opened.notes()])


def _builds(asking: Asking, chosen: Sequence[Variant]) -> str:
    """Say how many indexes `prepare` of some variants makes, and how many of them are not there yet."""
    found = (asking.prepared(variant) for variant in chosen)
    indexes = {index.name: index for index in found if index is not None}
    if not indexes:
        return ""
    left = sum(not is_prepared(index) for index in indexes.values())
    return f", {many(len(indexes), 'index', 'indexes')} by prepare, {left} of them to build"


def tried_words(sweep: Sweep, options: SweepOptions) -> str:
    """Ask the first queries of every variant, keep nothing, and say how that went."""
    import time

    from rankgate.runs.store.hits import errored_queries

    opened = OpenedSweep.of(sweep)
    lines = []
    for path in opened.suites:
        asking = opened.asking(path, options)
        for variant in opened.chosen(options):
            began = time.monotonic()
            try:
                run = asking.tried(variant)
            except RankgateError as error:
                lines.append(f"{variant.name}: {error}")
                continue
            errors, seconds = errored_queries(run), time.monotonic() - began
            said = f"{many(len(asking.suite.cases), 'query', 'queries')} in {seconds:.1f} s"
            lines.append(f"{variant.name}: {said}" + (f", {many(errors, 'error')}" if errors else ""))
    return "\n".join([*lines, "a try: nothing was kept, and nothing is compared"])
