"""Measuring systems on a suite: indexes built, every question asked of all in turn, answers scored."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self
from unittest.mock import patch

import numpy as np
import polars as pl

from rankgate.corpora.cache import cache_folder
from rankgate.errors import RankgateError
from rankgate.project.suite_run import questions_of
from rankgate.runs.asking.execute import ask_interleaved
from rankgate.runs.asking.progress import TerminalProgress
from rankgate.runs.store.hits import answer_digests
from rankgate.scoring.evaluate import score
from rankgate.scoring.placements import reaches
from rankgate.truth.locate import Placer
from suite_ground import K
from suite_systems import opened
from support.engine_servers import NotHereError, opensearch_options

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.model import System
    from rankgate.runs.store.tables import MemoryRun
    from rankgate.scoring.matches import Bools, Floats
    from rankgate.scoring.scores import Scores
    from suite_ground import Ground
    from suite_systems import Contender

ROUNDS = 5
"""How often every question is asked for its latency, after once that warms up and is scored."""
BUILDS = 3
"""How often an index is built; the least time counts."""
JUDGED = "judged@10"


def version_of(system: object) -> str:
    """Return the engine's own version, without its name; empty where it does not tell one."""
    found = re.search(r"\d+(\.\d+)+", str(getattr(system, "version", None)))
    return found[0] if found else ""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What a system answered to a suite."""

    run: MemoryRun
    """The answers that are scored."""
    scores: Scores
    """What they are worth."""
    times: Floats
    """Milliseconds of each query, the median of all rounds; no number where it failed."""
    changed: int
    """How many queries had another answer in a later round."""

    def hits(self, marked: Bools) -> Floats:
        """Return how many hits each of some queries had; no number where it failed."""
        shards = [shard.queries.select("query", "status", "hits") for shard in self.run.shards()]
        rows = self.scores.queries.to_frame("query").join(pl.concat(shards), on="query", how="left")
        counts = rows.select(pl.when(pl.col("status") == "ok").then(pl.col("hits").cast(pl.Float64)))
        return counts.to_series().to_numpy()[marked]


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """What came of a system."""

    contender: Contender
    """Who."""
    version: str = ""
    """The engine's own."""
    seconds: float | None = None
    """How long its index took; None where it has none."""
    answers: Answers | None = None
    """None where there is a reason."""
    reason: str = ""
    """Why it was not measured."""


@dataclass(slots=True)
class Desk:
    """Folders and servers for the while; used with ``with``. A server is started once.

    Vectors stay in the user's cache, where the next run finds them; indexes go.
    """

    servers: dict[str, dict[str, object]] = field(default_factory=dict)
    ready: dict[tuple[str, str], System] = field(default_factory=dict)
    """Systems that were opened, by name and by the fingerprint of what they search."""
    _open: ExitStack = field(default_factory=ExitStack)
    _folders: int = 0
    _root: Path = Path()
    _user: Path = Path()

    def __enter__(self) -> Self:
        self._user = cache_folder().absolute()
        self._root = Path(self._open.enter_context(tempfile.TemporaryDirectory(prefix="rankgate-results-")))
        cache = self._root / "cache"
        cache.mkdir()
        self._open.enter_context(patch.dict(os.environ, {"RANKGATE_CACHE": str(cache)}))
        return self

    def use_vectors(self, *, kept: bool) -> None:
        """Use the vectors that were made before, or none: then all are made again."""
        place = self._root / "cache" / "vectors"
        if place.is_symlink():
            place.unlink()
        elif place.exists():
            shutil.rmtree(place)
        if kept:
            (self._user / "vectors").mkdir(parents=True, exist_ok=True)
            place.symlink_to(self._user / "vectors")

    def __exit__(self, *error: object) -> None:
        self._open.close()

    def server(self, kind: str) -> Mapping[str, object]:
        """Return where a server is; nothing for engines without one.

        Raises:
            NotHereError: where it cannot be started.
        """
        if kind == "opensearch" and kind not in self.servers:
            tell(f"{kind}: starting")
            self.servers[kind] = self._open.enter_context(opensearch_options())
        return self.servers.get(kind, {})

    def folder(self) -> Path:
        """Make an empty folder."""
        self._folders += 1
        place = self._root / f"rankgate-{self._folders}"
        place.mkdir()
        return place

    def nodes(self, ground: Ground) -> int | None:
        """Return how many nodes the reference system has of a suite; None where it was not asked."""
        for (_, searched), system in self.ready.items():
            library = getattr(system, "library", None)
            if library is not None and searched == ground.corpus.fingerprint:
                return len(library.lexical)
        return None

    def keep(self, system: System) -> None:
        """Close a system in the end."""
        self._open.callback(getattr(system, "close", int))


def tell(words: str) -> None:
    """Write what is being done, for whoever waits."""
    sys.stderr.write(f"{words}\n")
    sys.stderr.flush()


def measured(
    ground: Ground,
    contenders: Sequence[Contender],
    desk: Desk,
    *,
    rounds: int = ROUNDS,
    builds: int = BUILDS,
) -> list[Measured]:
    """Measure systems on a suite, all of them in the same minutes.

    With one build no index time is wanted: vectors that were made before are used, and so is an index of the
    same documents.
    """
    ready, times, failed = _prepared(ground, contenders, desk, builds)
    answers = dict(zip(ready, _asked(ground, list(ready.items()), rounds), strict=True))
    return [
        Measured(one, reason=failed[one.name])
        if one.name in failed
        else Measured(
            one,
            version_of(ready[one.name]),
            min(times[one.name]) if one.indexes else None,
            answers[one.name],
        )
        for one in contenders
    ]


def answered(
    ground: Ground, contenders: Sequence[Contender], desk: Desk
) -> tuple[dict[str, MemoryRun], dict[str, str]]:
    """Ask systems every question once, and score nothing.

    Returns:
        What each answered, and why those that are not there were not asked, by name.
    """
    ready, _, failed = _prepared(ground, contenders, desk, 1)
    questions = questions_of(ground.suite.cases, K)
    place = Placer(ground.corpus, ground.suite.map_rules).place
    tell(f"{ground.plan.name}: {len(questions)} questions to {len(ready)} systems")
    runs = ask_interleaved(
        questions, [(name, system, place) for name, system in ready.items()], TerminalProgress()
    )
    return dict(zip(ready, runs, strict=True)), failed


def _prepared(
    ground: Ground, contenders: Sequence[Contender], desk: Desk, builds: int
) -> tuple[dict[str, System], dict[str, list[float]], dict[str, str]]:
    """Build every index; give the systems, the seconds of each build, and why some are not there."""
    ready: dict[str, System] = {}
    times: dict[str, list[float]] = {}
    failed: dict[str, str] = {}
    for number in range(builds):
        # In turn, as what else the machine does would else fall on one of them.
        for one in contenders:
            if one.name in failed or (number and not one.indexes):
                continue
            tell(f"{ground.plan.name}: {one.name}, index {number + 1} of {builds}")
            try:
                system, seconds = _built(one, ground, desk, timed=builds > 1)
            except (NotHereError, RankgateError) as error:
                failed[one.name] = " ".join(str(error).split())
                continue
            ready[one.name] = system
            times.setdefault(one.name, []).append(seconds)
    return ready, times, failed


def _built(contender: Contender, ground: Ground, desk: Desk, *, timed: bool) -> tuple[System, float]:
    key = (contender.name, ground.corpus.fingerprint)
    if not timed and key in desk.ready:
        return desk.ready[key], 0.0
    server, folder = desk.server(contender.kind), desk.folder()
    desk.use_vectors(kept=not timed)
    start = time.perf_counter()
    system = opened(contender, ground, folder, server)
    seconds = time.perf_counter() - start
    desk.keep(system)
    desk.ready[key] = system
    return system, seconds


def _asked(ground: Ground, systems: Sequence[tuple[str, System]], rounds: int) -> list[Answers]:
    metrics = [*ground.plan.metrics.values(), JUDGED, "latency"]
    questions = questions_of(ground.suite.cases, K)
    place = Placer(ground.corpus, ground.suite.map_rules).place
    placed_systems = [(name, system, place) for name, system in systems]
    runs = []
    name = ground.plan.name
    for number in range(rounds + 1):
        doing = f"round {number} of {rounds}" if number else "warming up"
        tell(f"{name}: {len(questions)} questions to {len(systems)} systems, {doing}")
        runs.append(ask_interleaved(questions, placed_systems, TerminalProgress()))
    found = []
    for at, (who, _) in enumerate(systems):
        first, *later = [score(ground.judgments, turn[at], metrics) for turn in runs]
        columns = [one.columns["latency.mean"] for one in later or [first]]
        times = np.median([np.where(one.defined, one.values, np.nan) for one in columns], axis=0)
        changed = _changed([turn[at] for turn in runs])
        if changed:
            tell(f"{name}: {who} answered {changed} queries otherwise in a later round")
        found.append(Answers(runs[0][at], first, times, changed))
    return found


def _changed(runs: Sequence[MemoryRun]) -> int:
    """Count the queries whose answers are not the same in all runs."""
    all_of_them = pl.concat([answer_digests(run) for run in runs])
    return all_of_them.group_by("query").agg(pl.col("answer").n_unique()).filter(pl.col("answer") > 1).height


def judged_share(ground: Ground, answers: Answers, marked: Bools) -> float | None:
    """Return which part of the hits that some queries returned reaches anything that is judged."""
    queries = answers.scores.queries.filter(pl.Series(marked))
    found = reaches(ground.judgments, answers.run).filter(pl.col("query").is_in(queries.implode()))
    judged = found.filter(pl.col("rank") <= K).select("query", "rank").unique().height
    returned = np.nansum(answers.hits(marked))
    return judged / float(returned) if returned else None
