"""A bare loop and rankgate on the same queries, taking turns."""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from rankgate.model import Query
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.asking.pace import Pace
from rankgate.runs.asking.workers import open_instances
from rankgate.runs.store.manifest import Manifest
from rankgate.truth.locate import Placer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankgate.corpora.folder import FolderCorpus
    from rankgate.model import System
    from rankgate.runs.store.tables import Run

Answer: TypeAlias = list[Any]
Contenders: TypeAlias = "Mapping[str, Callable[[], list[Answer] | Run]]"


@dataclass(frozen=True, slots=True)
class BareLoop:
    """Asks one question after another, or by as many threads as rankgate has, and keeps a list of answers."""

    ask: Callable[[str], Answer]
    texts: Sequence[str]
    threads: int = 1

    def __call__(self) -> list[Answer]:
        """Ask everything."""
        if self.threads == 1:
            return [self.ask(text) for text in self.texts]
        with ThreadPoolExecutor(self.threads) as pool:
            return list(pool.map(self.ask, self.texts))


@dataclass(frozen=True, slots=True)
class CarefulLoop:
    """Asks as `BareLoop` does and keeps what a careful person would: one Parquet file of every hit.

    Query, rank, what the hit says, and the latency, by columns, which measured fastest: rows of tuples took
    1.3 times and dicts 1.5 times the processor's time of this. Nothing is checked, retried or synced.
    """

    ask: Callable[[str], Answer]
    texts: Sequence[str]
    folder: Path
    """Where the file is kept."""
    threads: int = 1

    def __call__(self) -> list[Answer]:
        """Ask everything, and write the file."""
        if self.threads == 1:
            timed = [self._timed(text) for text in self.texts]
        else:
            with ThreadPoolExecutor(self.threads) as pool:
                timed = list(pool.map(self._timed, self.texts))
        first: Any = next((hits[0] for hits, _ in timed if hits), {})
        names = tuple(first) if isinstance(first, dict) else ()
        said: list[list[Any]] = [[] for _ in names or ("id",)]
        queries: list[str] = []
        ranks: list[int] = []
        latencies: list[float] = []
        for number, (hits, latency) in enumerate(timed):
            query = f"q{number}"
            for rank, hit in enumerate(hits, 1):
                queries.append(query)
                ranks.append(rank)
                latencies.append(latency)
                if names:
                    for column, name in zip(said, names, strict=True):
                        column.append(hit[name])
                else:
                    said[0].append(hit)
        kept = dict(zip(names or ("id",), said, strict=True))
        table = pl.DataFrame({"query": queries, "rank": ranks, **kept, "latency_ms": latencies})
        table.write_parquet(Path(tempfile.mkdtemp(dir=self.folder)) / "hits.parquet")
        return [hits for hits, _ in timed]

    def _timed(self, text: str) -> tuple[Answer, float]:
        start = time.perf_counter()
        hits = self.ask(text)
        return hits, (time.perf_counter() - start) * 1000


@dataclass(frozen=True, slots=True)
class Rankgate:
    """Asks the same through rankgate, which keeps the run in a folder."""

    system: System
    questions: Sequence[CaseQuery]
    folder: Path
    """Where runs are kept."""
    corpus: FolderCorpus | None = None
    threads: int = 1

    def __call__(self) -> Run:
        """Ask everything."""
        with open_instances(self.system, self.threads) as systems:
            return execute(
                self.questions,
                systems,
                keep=KeepOptions(folder=tempfile.mkdtemp(dir=self.folder)),
                manifest=Manifest("benchmark"),
                pace=Pace(concurrency=self.threads),
                place=Placer(self.corpus).place,
            )


def asked(texts: Sequence[str], k: int) -> list[CaseQuery]:
    """Return the queries their names."""
    return [CaseQuery(f"q{number}", Query(text, k)) for number, text in enumerate(texts)]


def seconds(run: Callable[[], list[Answer] | Run]) -> tuple[float, float, int]:
    """Measure one call, by the clock and by the processor, and count the hits after both were stopped."""
    gc.collect()
    start, worked = time.perf_counter(), time.process_time()
    found = run()
    taken, work = time.perf_counter() - start, time.process_time() - worked
    if isinstance(found, list):
        return taken, work, sum(map(len, found))
    return taken, work, sum(int(shard.queries["hits"].sum()) for shard in found.shards())


def taking_turns(
    contenders: Contenders, rounds: int, work: dict[str, list[float]] | None = None
) -> dict[str, list[float]]:
    """Let contenders take turns, and give the seconds that each took in each round.

    Args:
        contenders: By name.
        rounds: How often each has its turn.
        work: Filled with the seconds that the processor worked, in all threads.

    Raises:
        SystemExit: where they found different numbers of hits.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    counts = set()
    for number in range(rounds):
        # Every other round the other way round, so that none is always warmed up by the same one.
        for name, run in list(contenders.items())[:: -1 if number % 2 else 1]:
            taken, worked, hits = seconds(run)
            times[name].append(taken)
            if work is not None:
                work.setdefault(name, []).append(worked)
            counts.add(hits)
    if len(counts) != 1:
        sys.exit(f"the contenders found different hits: {counts}")
    return times


def ratios(contenders: Contenders, rounds: int) -> dict[str, float]:
    """Let contenders take turns, print them, and give the least time of each over that of the first.

    The processor's time is printed beside it: on a machine that others use, it is the steadier one.
    """
    work: dict[str, list[float]] = {}
    times = taking_turns(contenders, rounds, work)
    least = {name: min(taken) / min(next(iter(times.values()))) for name, taken in times.items()}
    for name in contenders:
        print(f"  {name:36} {_shown(times, name)}\n  {'  processor':36} {_shown(work, name)}", flush=True)
    return least


def _shown(times: Mapping[str, Sequence[float]], name: str) -> str:
    first, taken = next(iter(times.values())), times[name]
    each = [one / bare for one, bare in zip(taken, first, strict=True)]
    return (
        f"{min(taken) * 1000:9.1f} ms  {min(taken) / min(first):5.3f} x bare; "
        f"median {median(taken) * 1000:9.1f} ms  {median(each):5.3f} ({min(each):.3f} to {max(each):.3f})"
    )
