"""Where a project keeps its baselines, and how a run is held against one.

``baselines/SUITE.SYSTEM.jsonl`` beside the suite, to be committed: it is the answer to "better than what?".
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from rankgate.errors import InputError, Problem
from rankgate.evaluation.configuration import shortest
from rankgate.evaluation.repeats import spreads
from rankgate.evaluation.results import slug
from rankgate.gates.language import written
from rankgate.gates.scored import Against
from rankgate.model.fingerprints import fingerprint
from rankgate.runs.baseline import About, Baseline, BaselineQuery, read_baseline, write_baseline
from rankgate.scoring.comparison import compare
from rankgate.scoring.evaluate import score

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.gates.language import Gate
    from rankgate.gates.scored import Scored
    from rankgate.model import Case, Suite, Verdict
    from rankgate.runs.store.run_folder import StoredRun
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments

FOLDER = "baselines"
NO_BASELINE = "no baseline yet"


@dataclass(frozen=True, slots=True)
class Baselines:
    """The baselines of a suite."""

    suite: Suite
    """The suite."""
    system: str
    """The system under test, whose own baseline is meant where none is named."""

    def path(self, name: str | None = None) -> Path:
        """Name the file of a system's baseline: of the one under test, where none is named."""
        here = Path(self.suite.path).parent if self.suite.path else Path.cwd()
        return here / FOLDER / f"{slug(self.suite.name)}.{slug(name or self.system)}.jsonl"

    def command(self, name: str | None = None) -> str:
        """Return the command that makes a baseline."""
        suite = shortest(Path(self.suite.path).resolve()) if self.suite.path else "SUITE"
        return f"rankgate baseline set {suite} --system {name or self.system}"


def held_against(
    scored: Scored, gates: Iterable[Gate], baselines: Baselines | None, k: int, repeats: Sequence[Scores] = ()
) -> dict[str | None, Against]:
    """Compare a run with its system's own baseline, and with every other that a gate names.

    Args:
        scored: The run, what should be found today, and what it scored.
        gates: What names baselines.
        baselines: Where they are; None where there can be none.
        k: How many hits were asked for.
        repeats: What the same scored when it was asked again.
    """
    if baselines is None:
        return {}
    noise = spreads([scored.scores, *repeats]) if repeats else {}
    names = {None, *(gate.against for gate in gates)}
    return {name: _held(scored, baselines, name, k, noise) for name in names}


def _held(
    scored: Scored, baselines: Baselines, name: str | None, k: int, noise: Mapping[str, float]
) -> Against:
    path, called = baselines.path(name), f"the baseline of {name or baselines.system}"
    if not path.is_file():
        return Against(called, why=NO_BASELINE, absent=True)
    baseline, judgments = read_baseline(path), scored.judgments
    if different := differences(baseline.about, baselines.suite, judgments, k):
        again = f"to make it anew: {baselines.command(name)}"
        return Against(called, why=f"the baseline has another {', '.join(different)}; {again}")
    before = score(judgments, baseline.run, [written(metric) for metric in scored.scores.metrics])
    asked = shared_queries(baselines.suite, [baseline])
    both = (baseline.run, before), (scored.run, scored.scores)
    return Against(called, compare(judgments, *both, asked, noise), baseline.run)


def differences(about: About, suite: Suite, judgments: Judgments, k: int | None = None) -> list[str]:
    """Name what keeps a baseline's hits from being scored with today's judgments."""
    different = []
    if about.corpus != judgments.corpus:
        different.append("corpus, so that its lines may be others")
    if about.rules != _rules(suite):
        different.append("map")
    if k is not None and about.k is not None and about.k < k:
        different.append(f"depth ({about.k} hits, {k} are asked for now)")
    return different


def shared_queries(suite: Suite, baselines: Iterable[Baseline]) -> list[str]:
    """List the cases that every baseline was asked as they are today."""
    kept = list(baselines)
    return [case.id for case in suite.cases if all(one.asked.get(case.id) == _asked(case) for one in kept)]


def baseline_notes(
    verdicts: Iterable[Verdict], baselines: Baselines | None, own: Against | None
) -> tuple[str, ...]:
    """Return the command that makes a baseline: where gates wait for one, or the system's own is out of date.

    What a verdict says already is not said again.
    """
    reasons, notes = [verdict.reason for verdict in verdicts], []
    if baselines is not None and NO_BASELINE in reasons:
        notes.append(f"to make the baseline that gates compare with: {baselines.command()}")
    if own and own.why and not own.absent and not any(own.why in reason for reason in reasons):
        notes.append(f"nothing was compared with {own.name}: {own.why}")
    return tuple(notes)


def make_baseline(baselines: Baselines, run: StoredRun) -> Path:
    """Keep the rankings of a run as the baseline of its system.

    Raises:
        InputError: for a run of another suite, or in which the system failed to answer.
    """
    suite, manifest = baselines.suite, run.manifest
    if manifest.suite is not None and manifest.suite != suite.fingerprint:
        fix = f"test it again: rankgate test {suite.path or suite.name} --system {baselines.system}"
        found = "a run that was asked before the suite was changed"
        raise InputError(Problem(str(run.folder), found, "the answers to today's suite", fix))
    about = About(
        suite=suite.name,
        system=baselines.system,
        version=manifest.version,
        corpus=manifest.corpus,
        rules=_rules(suite),
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


def _rules(suite: Suite) -> str | None:
    return fingerprint(suite.map_rules) if suite.map_rules else None
