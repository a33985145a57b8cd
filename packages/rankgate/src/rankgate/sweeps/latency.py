"""How long each variant takes: a pass of its own, in which all of them are asked in turn, query by query.

Runs are asked one after another, in hours and on machines that differ, so that their times say nothing of the
variants. A pass is kept apart from them, whole or not at all; a table shows times only of one pass that has
all its variants.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import numpy as np

from rankgate.errors import Code, InputError, RankgateError
from rankgate.io.atomic import replacing
from rankgate.io.text import made_inside
from rankgate.model import Answer, fingerprint
from rankgate.project.suite_run import questions_of
from rankgate.runs.asking.execute import ask_interleaved
from rankgate.scoring.metric import aggregate
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from rankgate.model import System
    from rankgate.runs.store.tables import Run
    from rankgate.sweeps.asking import AskedVariant, Asking

_FOLDER = "latency"


@dataclass(frozen=True, slots=True)
class LatencyPass:
    """The times of variants that were asked in turn."""

    made: str
    """When, in UTC."""
    times: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    """The milliseconds of every answer, by the names of the folders of the variants' runs."""

    def quantile(self, run: str, statistic: str) -> float | None:
        """Return a statistic of the times of a run, such as ``p95``; None where there are none."""
        times = np.asarray(self.times.get(run, ()), dtype=np.float64)
        return aggregate(times, np.ones(len(times)), statistic)

    @property
    def words(self) -> str:
        """What a reader must know of the times."""
        return f"latency: {many(len(self.times), 'variant')} asked in turn, query by query, on {self.made}"


def measure_latency(asking: Asking, asked: Sequence[AskedVariant], seed: int) -> list[str]:
    """Ask variants everything once more, in turn, and keep their times; return which could not be measured.

    The order is drawn for every query, with the seed. Variants that are one system are asked once.
    """
    notes: list[str] = []
    distinct = {one.run.folder.name: one for one in reversed(asked)}
    with ExitStack() as stack:
        systems: list[tuple[str, System, None]] = []
        for name, one in sorted(distinct.items()):
            try:
                _check_own_index(asking, one, distinct.values())
                systems.append((name, stack.enter_context(asking.opened_with_index(one.variant)), None))
            except RankgateError as error:
                notes.append(f"the latency of {one.variant.name} was not measured: {error}")
        questions = questions_of(asking.suite.cases, asking.k)
        runs = ask_interleaved(questions, systems, asking.progress, seed=seed)
    made = datetime.now(UTC).strftime("%Y-%m-%d %H:%M:%S")
    times = {run.name: _times(run) for run in runs}
    folder = made_inside(asking.folder.path / _FOLDER, asking.configuration.root)
    with replacing(folder / f"{made.replace(' ', '-').replace(':', '')}.json") as aside:
        aside.write_text(
            json.dumps({"made": made, "seed": seed, "times": times}), encoding="utf-8", newline="\n"
        )
    return notes


def _check_own_index(asking: Asking, one: AskedVariant, every: Iterable[AskedVariant]) -> None:
    """Refuse a variant whose index another variant would write over while both are open."""
    if not one.variant.table.get("prepare") or asking.prepared(one.variant) is not None:
        return
    made = [
        fingerprint([other.variant.table.get(key) for key in ("prepare", "env", "depends")])
        for other in every
        if other.variant.system == one.variant.system
    ]
    if len(set(made)) > 1:
        fix = "have prepare write to {index}"
        raise InputError(
            Code.OTHER_ANSWERS("prepare", "an index in the place of another variant's", "its own", fix)
        )


def _times(run: Run) -> tuple[float, ...]:
    """Return the times of the answers of a run; a time-out counts with what was waited, an error does not."""
    counted = [Answer.OK.value, Answer.TIMEOUT.value]
    return tuple(
        float(time)
        for shard in run.shards()
        for status, time in shard.queries.select("status", "latency_ms").iter_rows()
        if status in counted and time is not None
    )


def latest_pass(folder: Path, runs: Iterable[str]) -> LatencyPass | None:
    """Return the newest pass of a sweep's folder that has all of some runs; None where none has.

    Args:
        folder: The folder of the sweep over a suite.
        runs: The names of the folders of the runs.
    """
    wanted = set(runs)
    for file in sorted((folder / _FOLDER).glob("*.json"), reverse=True):
        try:
            found = json.loads(file.read_bytes())
            times = {str(run): tuple(map(float, every)) for run, every in found["times"].items()}
            made = str(found["made"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            continue
        if wanted <= times.keys():
            return LatencyPass(made, times)
    return None
