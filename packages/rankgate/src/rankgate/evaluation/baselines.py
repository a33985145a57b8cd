"""Where a project keeps its baselines, and how a run is held against one, or answers against others.

``baselines/SUITE.SYSTEM.jsonl`` beside the suite, to be committed: it is the answer to "better than what?".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import InputError, Problem
from rankgate.evaluation.configuration import shortest
from rankgate.evaluation.results import is_former, suite_key
from rankgate.gates.language import written
from rankgate.gates.scored import Against, GatedScores
from rankgate.model.file_names import file_name, former_file_name
from rankgate.model.suite import map_fingerprint
from rankgate.reports.comparison.report import comparison_report
from rankgate.runs.baseline import About, Baseline, BaselineQuery, read_baseline, read_head, write_baseline
from rankgate.runs.store.run_folder import StoredRun
from rankgate.scoring.comparison import compare
from rankgate.scoring.evaluate import score
from rankgate.scoring.paired.compare import holm

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.gates.language import Gate
    from rankgate.gates.scored import Scored
    from rankgate.model import Case, Suite
    from rankgate.reports.comparison.report import ComparisonReport
    from rankgate.runs.store.tables import Run
    from rankgate.truth.judgments.table import Judgments

FOLDER = "baselines"
NO_BASELINE = "no baseline yet"
LATENCY = "latency"
"""What is compared as well, of systems that were asked in turn."""


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baselines of a suite."""

    suite: Suite
    """The suite."""
    system: str
    """The system under test, whose own baseline is meant where none is named."""

    def path(self, name: str | None = None) -> Path:
        """Return the file of a system's baseline: of the one under test, where none is named.

        It need not be there. One that 0.1.0 called otherwise is taken where its head says whose it is.
        """
        system = name or self.system
        path = (
            self._folder
            / FOLDER
            / f"{file_name(suite_key(self.suite, self._folder))}.{file_name(system)}.jsonl"
        )
        called = former_file_name(self.suite.name)
        former = path.with_name(f"{called}.{former_file_name(system)}.jsonl")
        if path.is_file() or not former.is_file() or not is_former(called, self.suite, self._folder):
            return path
        about = read_head(former)
        return former if (about.suite, about.system) == (self.suite.name, system) else path

    @property
    def _folder(self) -> Path:
        return Path(self.suite.path).parent if self.suite.path else Path.cwd()

    def command(self, name: str | None = None) -> str:
        """Return the command that makes a baseline."""
        suite = shortest(Path(self.suite.path).resolve()) if self.suite.path else "SUITE"
        return f"rankgate baseline set {suite} --system {name or self.system}"


def held_against(
    scored: Scored,
    gates: Iterable[Gate],
    baselines: Baselines | None,
    k: int,
    noise: Mapping[str, float] | None = None,
) -> dict[str | None, Against]:
    """Compare a run with its system's own baseline, and with every other that a gate names.

    Args:
        scored: The run, what should be found today, and what it scored.
        gates: What names baselines.
        baselines: Where they are; None where there can be none.
        k: How many hits were asked for.
        noise: How far each metric lay apart when the same was asked again.
    """
    if baselines is None:
        return {}
    names = {None, *(gate.against for gate in gates)}
    return {name: _held(scored, baselines, name, k, noise or {}) for name in names}


def _held(
    scored: Scored, baselines: Baselines, name: str | None, k: int, noise: Mapping[str, float]
) -> Against:
    path, called = baselines.path(name), f"the baseline of {name or baselines.system}"
    command = baselines.command(name)
    if not path.is_file():
        return Against(called, why=NO_BASELINE, absent=True, command=command)
    baseline, judgments = read_baseline(path), scored.judgments
    if different := differences(baseline.about, baselines.suite, judgments, k):
        why = f"the baseline has another {', '.join(different)}; to make it anew: {command}"
        return Against(called, why=why, command=command)
    before = score(judgments, baseline.run, [written(metric) for metric in scored.scores.metrics])
    asked = shared_queries(baselines.suite, [baseline])
    both = (baseline.run, before), (scored.run, scored.scores)
    shown, now = compare(judgments, *both, asked, noise), scored.gated
    reviewed = None
    if now.run is not scored.run:
        then = GatedScores.of(judgments, baseline.run, before)
        reviewed = compare(now.judgments, (then.run, then.scores), (now.run, now.scores), asked, noise)
    return Against(called, shown, baseline.run, command=command, reviewed=reviewed)


def differences(about: About, suite: Suite, judgments: Judgments, k: int | None = None) -> list[str]:
    """Name what keeps a baseline's hits from being scored with today's judgments."""
    different = []
    if about.corpus != judgments.corpus:
        different.append("corpus, so that its lines may be others")
    if about.rules != map_fingerprint(suite):
        different.append("map")
    if k is not None and about.k is not None and about.k < k:
        different.append(f"depth ({about.k} hits, {k} are asked for now)")
    return different


def shared_queries(suite: Suite, baselines: Iterable[Baseline]) -> list[str]:
    """List the cases that every baseline was asked as they are today."""
    kept = list(baselines)
    return [case.id for case in suite.cases if all(one.asked.get(case.id) == _asked(case) for one in kept)]


@dataclass(frozen=True, slots=True)
class NamedAnswers:
    """Answers that somebody named."""

    name: str
    """What people call them."""
    run: Run
    """The answers."""
    baseline: Baseline | None = None
    """The baseline that they are, where they are one."""
    in_turn: bool = False
    """True where all that are compared were asked in turn, so that their latencies can be compared."""


def compare_answers(
    suite: Suite,
    judgments: Judgments,
    base: NamedAnswers,
    others: Sequence[NamedAnswers],
    metrics: Sequence[str],
) -> list[ComparisonReport]:
    """Compare each of some answers with a base.

    That one is better is a claim on the first metric, and of several claims each is made by Holm's rule; all
    other metrics are exploratory.

    Raises:
        InputError: where answers are to another suite or another corpus, with what differs.
    """
    problems = [
        Problem(named.name, f"another {what}", "answers to the same questions", "test both again, today")
        for named in (base, *others)
        for what in _different(suite, judgments, named)
    ]
    if problems:
        raise InputError(problems)
    if all(one.in_turn for one in (base, *others)):
        metrics = [*metrics, LATENCY]
    before = score(judgments, base.run, metrics)
    compared = []
    for named in others:
        asked = shared_queries(suite, [one.baseline for one in (base, named) if one.baseline])
        after = score(judgments, named.run, metrics)
        compared.append(compare(judgments, (base.run, before), (named.run, after), asked))
    primary = before.metrics[0].label
    adjusted = holm([one.paired(primary, one.shared).p for one in compared])
    return [
        comparison_report(
            (base.name, named.name),
            comparison,
            (base.run, named.run),
            suite.cases,
            adjusted=float(p),
            claims=len(others),
            notes=_notes(base, named),
        )
        for named, comparison, p in zip(others, compared, adjusted, strict=True)
    ]


def _different(suite: Suite, judgments: Judgments, named: NamedAnswers) -> list[str]:
    if named.baseline is not None:
        return differences(named.baseline.about, suite, judgments)
    if not isinstance(named.run, StoredRun):
        return []
    return [] if named.run.manifest.corpus == judgments.corpus else ["corpus"]


def _notes(*both: NamedAnswers) -> list[str]:
    if all(one.in_turn for one in both):
        return []
    kept = [one for one in both if one.baseline is not None or isinstance(one.run, StoredRun)]
    unknown = [f"{one.name}: {note}" for one in kept for note in getattr(one.run, "notes", ())]
    files = [one.name for one in both if one.baseline is None and not isinstance(one.run, StoredRun)]
    said = [f"{name} does not say which suite and corpus it answers: taken at its word" for name in files]
    return [*unknown, *said, "latency is not compared, as the two were not asked in turn: say --ask"]


def make_baseline(baselines: Baselines, run: StoredRun) -> Path:
    """Keep the rankings of a run, which answers the suite as it is today, as the baseline of its system.

    Raises:
        InputError: for a run in which the system failed to answer.
    """
    suite, manifest = baselines.suite, run.manifest
    about = About(
        suite=suite.name,
        system=baselines.system,
        version=manifest.version,
        corpus=manifest.corpus,
        rules=map_fingerprint(suite),
        k=manifest.k,
    )
    there = pl.concat([shard.queries["query"] for shard in run.shards()]).to_list()
    asked = {case.id: _asked(case) for case in suite.cases}
    if missing := asked.keys() - set(there):
        fix = "ask the whole suite; a part is no baseline"
        raise InputError(Problem(str(run.folder), f"{len(missing)} queries missing", "every query", fix))
    path = baselines.path()
    write_baseline(path, Baseline(about, asked, run))
    return path


def _asked(case: Case) -> BaselineQuery:
    return BaselineQuery(case.query, dict(case.filters))
