"""A bare loop and rankgate on the same queries, taking turns."""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - a field of a dataclass
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

from rankgate.model.search import Query
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.asking.pace import Pace
from rankgate.runs.asking.workers import open_instances
from rankgate.runs.store.manifest import Manifest
from rankgate.truth.locations.placing import Placer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankgate.corpora.folder import FolderCorpus
    from rankgate.model.search import System
    from rankgate.runs.store.tables import Run

Answer: TypeAlias = list[Any]
Contenders: TypeAlias = "Mapping[str, Callable[[], list[Answer] | Run]]"


@dataclass(frozen=True, slots=True)
class BareLoop:
    """Asks one question after another, or by as many threads as rankgate has, and keeps the answers."""

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


def seconds(run: Callable[[], list[Answer] | Run]) -> tuple[float, int]:
    """Measure one call, and count the hits it gave after the clock was stopped."""
    gc.collect()
    start = time.perf_counter()
    found = run()
    taken = time.perf_counter() - start
    if isinstance(found, list):
        return taken, sum(map(len, found))
    return taken, sum(int(shard.queries["hits"].sum()) for shard in found.shards())


def taking_turns(contenders: Contenders, rounds: int) -> dict[str, list[float]]:
    """Let contenders take turns, and give the seconds that each took in each round.

    Raises:
        SystemExit: where they found different numbers of hits.
    """
    times: dict[str, list[float]] = {name: [] for name in contenders}
    counts = set()
    for number in range(rounds):
        # Every other round the other way round, so that none is always warmed up by the same one.
        for name, run in list(contenders.items())[:: -1 if number % 2 else 1]:
            taken, hits = seconds(run)
            times[name].append(taken)
            counts.add(hits)
    if len(counts) != 1:
        sys.exit(f"the contenders found different hits: {counts}")
    return times


def ratios(contenders: Contenders, rounds: int) -> dict[str, float]:
    """Let contenders take turns, print them, and give the least time of each over that of the first."""
    times = taking_turns(contenders, rounds)
    first = next(iter(times.values()))
    found = {
        name: [one / bare for one, bare in zip(taken, first, strict=True)] for name, taken in times.items()
    }
    least = {name: min(taken) / min(first) for name, taken in times.items()}
    for name, each in found.items():
        print(
            f"  {name:36} {min(times[name]) * 1000:9.1f} ms  {least[name]:5.3f} x bare; "
            f"median {median(times[name]) * 1000:9.1f} ms  {median(each):5.3f} "
            f"({min(each):.3f} to {max(each):.3f})",
            flush=True,
        )
    return least
