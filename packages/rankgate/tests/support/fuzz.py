"""Every loader on many damaged files: each must give a result or a typed error, soon and in little memory.

    python -m support.fuzz 100000            # this many inputs for every loader
    python -m support.fuzz 2000 csv tar      # only these loaders

Inputs are small valid files, damaged at random: bytes, slices, and whole values of JSON. A failure is printed
with its seed and the input, which makes it a test. Not collected by pytest: `just full` runs it.
"""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from rankgate.errors import RankgateError
from support.fuzz_samples import LOADERS, Sampled

if TYPE_CHECKING:
    from collections.abc import Sequence

SECONDS = 10
"""How much processor time one input may take: that a machine stood still is not the loader's fault."""

STUCK = 300
"""How many seconds by the clock one input may take, for a loader that waits for something."""

MEMORY = 2 << 30
"""How many bytes the whole process may come to hold."""

_WORDS = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xed\xa0\x80", b"\\ud800", b"\r\n", b"\n", b"\t", b"  "),
    *(b",", b";", b":", b"::", b"#", b"-", b"- ", b"'", b'"', b"\\", b"{", b"}", b"[", b"]", b"|\n"),
    *(b"&a ", b"*a", b"!!python/object:x ", b"<<: *a", b"null", b"true", b"NaN", b"1e999", b"-1", b"0"),
    *(b"99999999999999999999", b"0x10", b"1.5", b"../", b"/", b"%23", b"C:\\"),
)
_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 10**30, 0.5, -0.0, 1e308, "", " ", "a", "\0", "\u2028", "x" * 300),
    *("a.md:1-2", "a.md:9-1", "../a", [], {}, [[]], [None], {"": None}, {"query": 1}, [1, "a", {}]),
)


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


def fuzz(name: str, count: int, seed: int) -> Outcome:
    """Put damaged files through one loader."""
    sampled = LOADERS[name]
    outcome = Outcome(name)
    signal.signal(signal.SIGPROF, _late)
    signal.signal(signal.SIGALRM, _stuck)
    # The panics of a Parquet reader are caught; what it writes of them is not for this report.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as folder:
        for number in range(count):
            draw = random.Random(f"{name} {seed} {number}")
            data = damaged(sampled, draw)
            _try(sampled, Path(folder), data, outcome, f"{name} {seed} {number}")
            if len(outcome.failures) >= 5:
                break
    if (peak := resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024) > MEMORY:
        outcome.failures.append(f"{name}: the process came to hold {peak >> 20} MiB")
    return outcome


def damaged(sampled: Sampled, draw: random.Random) -> bytes:
    """Take a valid file and damage it, in its bytes or, where it is JSON, in its values."""
    data: bytes = draw.choice(sampled.samples)
    if sampled.lines_of_json and draw.random() < 0.5:
        lines = [line for line in data.split(b"\n") if line]
        at = draw.randrange(len(lines))
        lines[at] = _damaged_json(lines[at], draw)
        return b"\n".join(lines)
    if sampled.json and draw.random() < 0.6:
        return _damaged_json(data, draw)
    for _ in range(draw.choice((1, 1, 1, 2, 4, 16))):
        data = _damaged_bytes(data, draw.choice(sampled.samples), draw)
    return data


def _damaged_bytes(data: bytes, other: bytes, draw: random.Random) -> bytes:
    start, end = sorted((draw.randint(0, len(data)), draw.randint(0, len(data))))
    end = min(end, start + draw.choice((1, 4, 40, 4000)))
    kind = draw.randrange(7)
    middle = (
        b"",
        draw.choice(_WORDS),
        draw.randbytes(draw.choice((1, 2, 8))),
        data[start:end] * draw.choice((2, 3, 50)),
        other[draw.randint(0, len(other)) :][: end - start],
        bytes(255 - byte for byte in data[start:end]),
        data[start:end][::-1],
    )[kind]
    if kind == 0 and draw.random() < 0.2:
        return data[:start]
    return data[:start] + middle + data[end:]


def _damaged_json(data: bytes, draw: random.Random) -> bytes:
    value = json.loads(data)
    for _ in range(draw.choice((1, 1, 2, 5))):
        value = _other_value(value, draw)
    text = json.dumps(value, ensure_ascii=draw.random() < 0.5, indent=draw.choice((None, None, 1)))
    return text.encode(errors="surrogatepass")


def _other_value(value: Any, draw: random.Random) -> Any:
    """Change one value, at any depth: replace, drop, repeat or rename it."""
    if not isinstance(value, (dict, list)) or not value or draw.random() < 0.1:
        return draw.choice(_VALUES)
    keys: list[Any] = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw.choice(keys)
    copy: Any = dict(value) if isinstance(value, dict) else list(value)
    kind = draw.randrange(8)
    if kind == 0:
        del copy[key]
    elif kind == 1 and isinstance(copy, list):
        copy.append(copy[key])
    elif kind == 1:
        copy[str(draw.choice(("query", "id", "x", "", key)))] = copy[key]
    else:
        copy[key] = _other_value(copy[key], draw)
    return copy


def _try(sampled: Sampled, folder: Path, data: bytes, outcome: Outcome, seed: str) -> None:
    start = time.process_time()
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    signal.setitimer(signal.ITIMER_REAL, STUCK)
    try:
        sampled.load(folder, data)
        outcome.accepted += 1
    except RankgateError as error:
        outcome.refused += 1
        if not str(error).strip():
            outcome.failures.append(f"{seed}: an error without a word: {data[:2000]!r}")
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        outcome.failures.append(f"{seed}: {type(error).__name__}: {error}: {data[:2000]!r}")
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    outcome.slowest = max(outcome.slowest, time.process_time() - start)


def _late(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(f"more than {SECONDS} s of processor time")


def _stuck(_number: int, _frame: object) -> NoReturn:
    raise SystemExit(f"more than {STUCK} s")


def main(arguments: Sequence[str]) -> int:
    """Fuzz the loaders named, or all, two at a time."""
    count = int(float(arguments[0])) if arguments else 1000
    names = list(arguments[1:]) or list(LOADERS)
    failed = 0
    with ProcessPoolExecutor(2, max_tasks_per_child=1) as pool:
        for outcome in pool.map(fuzz, names, [count] * len(names), [1] * len(names)):
            failed += len(outcome.failures)
            print(outcome, flush=True)  # noqa: T201 - a script
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
