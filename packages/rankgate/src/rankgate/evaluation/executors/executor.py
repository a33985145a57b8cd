"""``--executor``: where work is done that can be divided. What this process does needs none of this.

One connection serves a whole command: `asking` has the questions of a system asked by workers, `each` has a
function called with many items, such as the parts of a run that are scored.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from rankgate.errors import Code, InputError
from rankgate.evaluation.executors.calls import called_each
from rankgate.evaluation.executors.cluster import ClusterAnswers
from rankgate.evaluation.executors.cluster_worker import WorkerOrder, made_of
from rankgate.evaluation.executors.ray_cluster import RayEdge, cluster_cpus, ray_connection
from rankgate.model.search import Indexer
from rankgate.runs.elsewhere import SentShards
from rankgate.systems.preparation import CORPUS, Preparation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from typing import Any

    from rankgate.evaluation.configuration import Configuration, SystemEntry
    from rankgate.model.search import System
    from rankgate.model.suite import Suite
    from rankgate.runs.asking.deadline import RunDeadline
    from rankgate.runs.asking.pace import Pace
    from rankgate.runs.store.tables import RunShard
    from rankgate.scoring.evaluate import OpenShards


Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class RayExecutor:
    """Work that is done on a Ray cluster."""

    ray: Any
    """Ray, connected."""

    @property
    def cores(self) -> int:
        """How many cores the cluster has now."""
        return cluster_cpus(self.ray)

    def sent(self, shards: Sequence[RunShard]) -> OpenShards:
        """Return what opens shards of one run on a worker."""
        return SentShards.of(shards).opened

    def asking(self, entry: SystemEntry, configuration: Configuration, suite: Suite) -> AskingExecutor:
        """Return who asks a system of a project the questions of a suite."""
        if suite.path:
            # Workers open its corpus alone, which is looked for beside the suite or in the project.
            suite = replace(suite, path=str(Path(suite.path)))
        return AskingExecutor(self.ray, entry, configuration, suite)

    def each(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Call a function with every item, and yield what each call returns, in any order."""
        return called_each(self.ray, function, items, self.cores)


@dataclass(frozen=True, slots=True)
class AskingExecutor:
    """Asks a system by workers on a Ray cluster."""

    ray: Any
    """Ray, connected."""
    entry: SystemEntry
    """The system."""
    configuration: Configuration
    """What the project says."""
    suite: Suite
    """What is asked."""

    @contextmanager
    def answering(self, system: System, pace: Pace, deadline: RunDeadline | None) -> Iterator[ClusterAnswers]:
        """Start workers, and end them when the last question is answered.

        Args:
            system: The system as it is open here: what workers open must be made of the same.
            pace: How hard all of them ask together.
            deadline: When the run ends.

        Raises:
            InputError: for a system that rankgate would prepare, start or index itself.
        """
        _check(self.entry, system)
        root = self.configuration.root
        order = WorkerOrder(
            replace(self.entry, gates=None, chunks=None),
            root,
            Path.cwd(),
            replace(self.suite, cases=(), whole=None, scenarios=(), invariants=(), gates=()),
            self.configuration.corpus_root,
            pace,
            made_of(self.entry, system, root),
            deadline=None if deadline is None else deadline.text,
        )
        threads = shares(pace.concurrency, cluster_cpus(self.ray))
        with (
            RayEdge(self.ray, order) as edge,
            ClusterAnswers(edge, threads, warmup=pace.warmup, deadline=deadline) as answers,
        ):
            yield answers


@contextmanager
def ray_executor() -> Iterator[RayExecutor]:
    """Connect to a Ray cluster for a while.

    Raises:
        InputError: where Ray is not installed, or the cluster cannot be reached.
    """
    with ray_connection() as ray:
        yield RayExecutor(ray)


def shares(concurrency: int, cores: int) -> list[int]:
    """Divide threads among as many workers as there are cores, if there are so many threads.

    >>> shares(16, 3), shares(2, 8)
    ([6, 5, 5], [1, 1])
    """
    workers = min(concurrency, cores)
    return [concurrency // workers + (number < concurrency % workers) for number in range(workers)]


def _check(entry: SystemEntry, system: System) -> None:
    """Check that every machine can open the system by itself."""
    found, fix = "", ""
    if entry.preparation != Preparation():
        found = "prepare or start in its configuration"
        fix = "run both before, where all machines reach what they make, and take them out"
    elif isinstance(system, Indexer) and system.wants_documents:
        found = "an index that is built from the corpus"
        fix = "build it before, where all machines reach it, and name it in the configuration"
    elif CORPUS in repr((entry.target, dict(entry.options))):
        found = f"{CORPUS} in its command"
        fix = "name a folder that all machines have"
    if found:
        expected = "a system that every machine can open by itself"
        raise InputError(Code.NOT_SUPPORTED(f"{entry.name} with --executor ray", found, expected, fix))
