"""Workers on a Ray cluster: the only place that imports Ray, whose types say little.

The cluster is the one that ``RAY_ADDRESS`` names; where it is not set, Ray is started on this machine and
ended afterwards. Tokens and certificates are those that Ray itself reads (``RAY_AUTH_MODE`` and so on).
"""

from __future__ import annotations

import os
import signal
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.evaluation.executors.calls import done_calls
from rankgate.evaluation.executors.cluster import WorkerLostError
from rankgate.evaluation.executors.cluster_worker import ClusterWorker, Work, WorkerOrder, WorkerReply
from rankgate.evaluation.executors.throttle import Throttle

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Self

    from rankgate.evaluation.executors.throttle import Grant, SlotRequest

_ADDRESS = "RAY_ADDRESS"
_STORE = 200 * 2**20
_REST_AFTER_A_CRASH = 1.0


def _ray() -> Any:
    """Import Ray.

    Raises:
        InputError: where it is not installed.
    """
    # Nobody is told of what is evaluated unless the user says so.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    try:
        return import_module("ray")
    except ImportError as error:
        fix = "pip install 'rankgate[ray]'"
        said = "--executor ray needs an extra"
        raise InputError(Code.MISSING_EXTRA("--executor", str(error), "ray", fix, said)) from error


@contextmanager
def ray_connection() -> Iterator[Any]:
    """Connect to the cluster, or start Ray here, and let go of it at the end.

    Raises:
        InputError: where Ray is not installed, and where the cluster cannot be reached or refuses the token.
    """
    ray = _ray()
    if ray.is_initialized():
        yield ray
        return
    address = os.environ.get(_ADDRESS) or "local"
    options: dict[str, Any] = {"logging_level": "ERROR", "log_to_driver": False}
    if address == "local":
        options |= {"include_dashboard": False, "object_store_memory": _STORE}
        # Ray would start workers with a niceness of 15; what asks a system is as urgent as this process.
        os.environ.setdefault("RAY_worker_niceness", "0")
    before = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(address, **options)
    except Exception as error:
        found = f"no Ray cluster that takes us ({str(error).splitlines()[0] if str(error) else error!r})"
        fix = "check the address, and the token where the cluster wants one (RAY_AUTH_TOKEN)"
        problem = Code.NO_CONNECTION(f"{_ADDRESS}={address}", found, "a cluster that is up", fix)
        raise InputError(problem) from error
    finally:
        # Ray handles this signal itself, and what ends a run is for the command line to say.
        with suppress(ValueError):
            signal.signal(signal.SIGTERM, before)
    try:
        yield ray
    finally:
        ray.shutdown()


class RayWorker(ClusterWorker):
    """A worker whose throttle is an actor."""

    def __init__(self, order: WorkerOrder, throttle: Any) -> None:
        ray = _ray()

        def fetch(request: SlotRequest) -> Grant:
            grant: Grant = ray.get(throttle.grant.remote(request))
            return grant

        super().__init__(order, fetch)


class RayThrottle(Throttle):
    """The throttle as an actor."""

    def __init__(self, rate: float | None, burst: int) -> None:
        again = _ray().get_runtime_context().was_current_actor_reconstructed
        super().__init__(rate, burst, rest=_REST_AFTER_A_CRASH if again else 0.0)


class RayEdge:
    """Starts workers as actors, one for a core each, spread over the machines; and one throttle beside us."""

    def __init__(self, ray: Any, order: WorkerOrder) -> None:
        self._ray, self._order = ray, order
        self._throttle: Any = None
        self._kind = ray.remote(RayWorker).options(
            num_cpus=1, max_restarts=0, max_task_retries=0, scheduling_strategy="SPREAD"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        if self._throttle is not None:
            self._ray.kill(self._throttle)

    def start(self, threads: int) -> Any:
        """Start a worker, now or as soon as there is room; with the first the throttle."""
        if self._throttle is None:
            here = self._ray.get_runtime_context().get_node_id()
            beside = self._ray.util.scheduling_strategies.NodeAffinitySchedulingStrategy(here, soft=True)
            self._throttle = (
                self._ray.remote(RayThrottle)
                .options(num_cpus=0, max_restarts=-1, max_task_retries=0, scheduling_strategy=beside)
                .remote(self._order.pace.rate, self._order.pace.burst)
            )
        return self._kind.remote(replace(self._order, threads=threads), self._throttle)

    def send(self, worker: Any, work: Work) -> Any:
        """Send a message, and return the call."""
        return worker.exchange.remote(work)

    def wait(self, calls: Sequence[Any], seconds: float) -> Sequence[Any]:
        """Wait until one of the calls is done, and return those that are."""
        return done_calls(self._ray, calls, seconds)

    def reply(self, call: Any) -> WorkerReply:
        """Return what came of a call that is done.

        Raises:
            WorkerLostError: where the worker is gone.
        """
        try:
            reply: WorkerReply = self._ray.get(call, timeout=60)
        except self._ray.exceptions.RayError as error:
            raise WorkerLostError(str(error).strip().splitlines()[-1]) from error
        return reply

    def end(self, worker: Any) -> None:
        """End a worker, whether it still is there or not."""
        with suppress(self._ray.exceptions.RayError, ValueError):
            self._ray.kill(worker)


def cluster_cpus(ray: Any) -> int:
    """Return how many cores the cluster has now; 1 where it has none yet."""
    return max(1, int(ray.cluster_resources().get("CPU", 1)))
