"""`just tune`: the strongest engines and the reference system, each with the same number of variants.

    python benchmarks/tune.py                  sweep all, print the winners, and keep them
    python benchmarks/tune.py sqlite tantivy   sweep these, and keep their winners beside the others
    python benchmarks/tune.py --kept           score the answers of the last sweeps again, after new judgments

Each file of benchmarks/tuned is one sweep, of the development halves of code and docs alone; `rankgate sweep
FILE` does the same. The winner has the highest mean of the two suites' nDCG@10; of equal ones it is the first
in the file. winners.json has them, and suite_systems.py the rows of suites/RESULTS.md.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import tomllib
from contextlib import ExitStack
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from rankgate.runs.asking.progress import TerminalProgress
from rankgate.runs.store.run_folder import StoredRun
from rankgate.scoring.evaluate import score
from rankgate.scoring.metric import aggregate
from rankgate.sweeps.flow import OpenedSweep, SweepOptions, run_sweep
from rankgate.sweeps.sweep_file import read_sweep
from rankgate.truth.locations.resolve import resolve
from support.engine_servers import placed
from tuned_winners import FOLDER, Winner, read_winners, winners_table, write_winners

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.sweeps.variants import Variant

SWEPT = ("sqlite", "tantivy", "opensearch", "reference-hybrid")
"""The engines with the highest mean of code and docs by their defaults, and the reference system."""
BUDGET = 24
"""How many variants each has."""
SERVER = "RANKGATE_TUNED_OPENSEARCH"
"""The variable that says where OpenSearch is."""


Scored: TypeAlias = "Mapping[str, Mapping[str, tuple[float | None, float | None]]]"
"""nDCG@10 and judged@10 of each variant, by suite."""


def winner_of(scored: Scored, variants: Sequence[Variant], base: Mapping[str, Any], default: str) -> Winner:
    """Find the variant with the highest mean over suites; of equal ones the first.

    Args:
        scored: What each variant has on each suite.
        variants: The variants, in the order of the file.
        base: The table of the system that they are made of.
        default: The variant that sets nothing else than the default.
    """
    missing = (None, None)
    lacking = [
        one.name
        for one in variants
        if any(each.get(one.name, missing)[0] is None for each in scored.values())
    ]
    if lacking:
        sys.exit(f"without a mean: {', '.join(lacking)}")
    found = {
        one.name: {suite: round(float(each[one.name][0] or 0.0), 4) for suite, each in scored.items()}
        for one in variants
    }
    best = max(variants, key=lambda one: fmean(found[one.name].values()))
    options = {key: value for key, value in best.table.items() if base.get(key) != value}
    shares = {suite: [each[one.name][1] for one in variants] for suite, each in scored.items()}
    return Winner(
        variant=best.name,
        options={} if best.name == default else options,
        variants=len(variants),
        means=found[best.name],
        default=found[default],
        judged={
            suite: round(min(1.0 if one is None else one for one in each), 3)
            for suite, each in shares.items()
        },
    )


def tuned(name: str, *, kept: bool = False) -> Winner:
    """Run the sweep of a system, and return its winner.

    What was asked before is asked again: answers are kept by a system's options, and the code of this
    project, which may have changed since, is no part of them.

    Args:
        name: The system.
        kept: Ask nothing: the answers of the last sweep are scored again.
    """
    sweep = read_sweep(FOLDER / f"{name}.toml")
    opened = OpenedSweep.of(sweep)
    variants = opened.variants.asked
    if len(variants) != BUDGET:
        sys.exit(f"{sweep.path} has {len(variants)} variants; every system has {BUDGET}")
    if kept:
        scored: Scored = {path.stem: _scored_again(opened, path) for path in opened.suites}
    else:
        shutil.rmtree(FOLDER / ".rankgate" / "sweeps" / name, ignore_errors=True)
        reports = run_sweep(sweep, SweepOptions(progress=TerminalProgress())).reports
        for report in reports:
            print(f"{name}: {report.headline}", *report.notes, sep="\n  ")
        scored = {
            path.stem: {row.name: (row.numbers.means[0], row.numbers.judged) for row in report.rows}
            for path, report in zip(opened.suites, reports, strict=True)
        }
    base = tomllib.loads((FOLDER / "rankgate.toml").read_text(encoding="utf-8"))["systems"][name]
    return winner_of(scored, variants, base, opened.sweep.baseline)


def _scored_again(opened: OpenedSweep, path: Path) -> dict[str, tuple[float | None, float | None]]:
    """Score the answers that a sweep has kept of a suite, by today's judgments."""
    asking = opened.asking(path, SweepOptions())
    judgments = resolve(asking.suite, asking.corpus).judgments
    found: dict[str, tuple[float | None, float | None]] = {}
    for run, names in asking.folder.names().items():
        answers = StoredRun.open(asking.folder.path / "runs" / run)
        scores = score(judgments, answers, ["ndcg@10", "judged@10"])
        # Of no hits none is unjudged, as a sweep has it.
        queries = pl.concat([shard.queries.select("query", "hits") for shard in answers.shards()])
        some = scores.queries.is_in(queries.filter(pl.col("hits") > 0)["query"].implode()).to_numpy()
        quality, judged = (scores.columns[label] for label in ("ndcg@10", "judged@10"))
        rows = quality.defined
        values = quality.values, np.where(some, judged.values, 1.0)
        means = [aggregate(one[rows], scores.weights[rows], "mean") for one in values]
        found |= dict.fromkeys(names, (means[0], means[1]))
    return found


def main() -> None:
    """Tune, print and write."""
    kept_answers = "--kept" in sys.argv[1:]
    names = [one for one in sys.argv[1:] if one != "--kept"] or list(SWEPT)
    if unknown := {*names} - {*SWEPT}:
        sys.exit(f"unknown: {', '.join(sorted(unknown))}; there are {', '.join(SWEPT)}")
    with ExitStack() as stack:
        if kept_answers:
            os.environ.setdefault(SERVER, "http://localhost:9200")
        elif "opensearch" in names:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="rankgate-tuned-")))
            hosts = stack.enter_context(placed("opensearch", folder))["hosts"]
            os.environ[SERVER] = str(hosts[0] if isinstance(hosts, list | tuple) else hosts)
        for name in names:
            found = tuned(name, kept=kept_answers)
            # Another process may have tuned another system meanwhile.
            kept = {**read_winners(), name: found}
            write_winners({one: kept[one] for one in SWEPT if one in kept})
    print(winners_table(read_winners()))


if __name__ == "__main__":
    main()
