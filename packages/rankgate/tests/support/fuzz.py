"""Every loader on many damaged files: each must give a result or a typed error, soon and in little memory.

    python -m support.fuzz 100000            # this many inputs for every loader
    python -m support.fuzz 2000 csv tar      # only these loaders
    python -m support.fuzz 25000:7 csv       # of another seed

Inputs are small valid files, damaged at random: bytes, slices, and whole values of JSON. A failure
is printed with its seed and the input, which makes it a test. Every loader has a process of its own, so
that its end is a failure like any other, after which the other inputs are tried. Not collected by pytest:
`just full` runs it.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import resource
import signal
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from rankgate.errors import RankgateError
from support.fuzz_damage import damaged_bytes, damaged_json
from support.fuzz_samples import LOADERS, Sampled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.connection import Connection

SECONDS = 10
"""How much processor time one input may take: that a machine stood still is not the loader's fault."""

STUCK = 300
"""How many seconds by the clock one input may take, for a loader that waits for something."""

MEMORY = 2 << 30
"""How many bytes the whole process may come to hold."""

MOST = 5
"""How many failures of a loader are enough."""


@dataclass(slots=True)
class Outcome:
    """What came of the inputs of one loader."""

    name: str
    accepted: int = 0
    refused: int = 0
    slowest: float = 0.0
    failures: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        said = f"{self.accepted:>7} accepted, {self.refused:>7} refused, {len(self.failures)} failures"
        shown = "".join(f"\n    {failure}" for failure in self.failures)
        return f"{self.name:24} {said}, slowest {self.slowest:.2f} s{shown}"


class SampledFiles:
    """A loader, called on damaged samples."""

    def __init__(self, name: str) -> None:
        self._sampled = LOADERS[name]

    def prepare(self, folder: Path, draw: random.Random) -> tuple[str, Callable[[], bool]]:
        """Damage a sample; it is written where it is loaded."""
        data = damaged(self._sampled, draw)

        def load() -> bool:
            self._sampled.load(folder, data)
            return True

        return repr(data[:2000]), load


@dataclass(frozen=True, slots=True)
class Work:
    """Some inputs of one loader."""

    name: str
    """The loader."""
    seed: int
    """What the inputs are drawn from, beside their numbers."""
    numbers: range
    """Which inputs."""


class Told:
    """What a process tells of its work: counts in memory that outlives it, and failures as they come."""

    def __init__(self, context: Any) -> None:
        self.counts = context.Array("q", 4, lock=False)
        """The number of the input under way, how many were accepted and refused, the slowest in µs."""
        self.failures: tuple[Connection, Connection] = context.Pipe(duplex=False)


def fuzz(name: str, count: int, seed: int) -> Outcome:
    """Put damaged files through one loader, in a process that is started again where it is ended."""
    outcome, start = Outcome(name), 0
    context = multiprocessing.get_context("spawn")
    while start < count and len(outcome.failures) < MOST:
        told, work = Told(context), Work(name, seed, range(start, count))
        process = context.Process(
            target=_work, args=(work, told.counts, told.failures[1], MOST - len(outcome.failures))
        )
        process.start()
        told.failures[1].close()
        outcome.failures += _failures(told, process)
        process.join()
        number, accepted, refused, slowest = told.counts
        outcome.accepted += accepted
        outcome.refused += refused
        outcome.slowest = max(outcome.slowest, slowest / 1e6)
        if process.exitcode == 0:
            break
        outcome.failures.append(f"{name} {seed} {number}: the process was ended ({process.exitcode})")
        start = number + 1
    return outcome


def _failures(told: Told, process: Any) -> Iterator[str]:
    """Read failures until the process ends; one that native code keeps from its signals is ended."""
    seen, since = -1, time.monotonic()
    while True:
        if told.counts[0] != seen:
            seen, since = told.counts[0], time.monotonic()
        if time.monotonic() - since > 2 * STUCK:
            process.kill()
        try:
            if told.failures[0].poll(5):
                yield told.failures[0].recv()
        except EOFError:
            return


def _work(work: Work, counts: Any, failures: Connection, most: int) -> None:
    """Go through the inputs of one loader in this process."""
    signal.signal(signal.SIGPROF, _late)
    signal.signal(signal.SIGALRM, _stuck)
    # The panics of a Parquet reader are caught; what it writes of them is not for this report.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        loader = SampledFiles(work.name)
        for number in work.numbers:
            counts[0] = number
            seed = f"{work.name} {work.seed} {number}"
            said, read = loader.prepare(Path(folder), random.Random(seed))
            start = time.process_time()
            failure = _try(read, counts)
            counts[3] = max(counts[3], int(1e6 * (time.process_time() - start)))
            if failure is not None:
                failures.send(f"{seed}: {failure}: {said}")
                most -= 1
            if not most:
                break
    if _held() > MEMORY:
        failures.send(f"{work.name}: the process came to hold {_held() >> 20} MiB")


def _held() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def damaged(sampled: Sampled, draw: random.Random) -> bytes:
    """Take a valid file and damage it, in its bytes or, where it is JSON, in its values."""
    data: bytes = draw.choice(sampled.samples)
    if sampled.lines_of_json and draw.random() < 0.5:
        lines = [line for line in data.split(b"\n") if line]
        at = draw.randrange(len(lines))
        lines[at] = damaged_json(lines[at], draw)
        return b"\n".join(lines)
    if sampled.json and draw.random() < 0.6:
        return damaged_json(data, draw)
    for _ in range(draw.choice((1, 1, 1, 2, 4, 16))):
        data = damaged_bytes(data, draw.choice(sampled.samples), draw)
    return data


def _try(read: Callable[[], bool], counts: Any) -> str | None:
    """Read one input; return what is wrong with how that ended."""
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, STUCK)
    try:
        counts[1 if read() else 2] += 1
    except RankgateError as error:
        counts[2] += 1
        return None if str(error).strip() else "an error without a word"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return None


def _late(_number: int, _frame: object) -> NoReturn:
    raise SystemExit("too much processor time")


def _stuck(_number: int, _frame: object) -> NoReturn:
    raise SystemExit("stuck")


def main(arguments: Sequence[str]) -> int:
    """Fuzz the loaders named, or all, two at a time."""
    first, _, seed = (arguments[0] if arguments else "1000").partition(":")
    count, names = int(float(first)), [*arguments[1:]] or [*LOADERS]
    if unknown := {*names} - {*LOADERS}:
        raise SystemExit(f"no loader {', '.join(sorted(unknown))}; there are {', '.join(LOADERS)}")
    failed = 0
    with ThreadPoolExecutor(2) as pool:
        for outcome in pool.map(fuzz, names, [count] * len(names), [int(seed or 1)] * len(names)):
            failed += len(outcome.failures)
            print(outcome, flush=True)  # noqa: T201 - a script
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
