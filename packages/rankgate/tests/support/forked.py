"""Running a module as ``python -m`` does, in a process of its own that need not import everything first.

A server that has imported what is heavy, and done nothing else, forks the processes. Each has its own folder,
environment, arguments and output, and what it does to itself ends with it. What imports cost is
tested with `fresh`.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import runpy
import subprocess
import sys
import tempfile
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from _pytest.config import default_plugins

from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

# Not the plugins of others: pytest changes their assertions while it imports them.
_IMPORTED = [
    *(f"_pytest.{name}" for name in default_plugins),
    "asyncio",
    "execnet",
    "numpy.ma",
    "pdb",
    "polars",
    "rankgate.cli.run",
    "rankgate.cli.score",
    "rankgate.cli.test",
    "rankgate.evaluation.flow",
    "rankgate.evaluation.session.assertions",
    "rankgate.evaluation.session.suite_session",
    "rankgate.evaluation.suite_run",
    "rankgate.runs.formats.load",
    "rankgate.scoring.metrics.ndcg",
    "rankgate.scoring.metrics.recall",
    "rankgate.scoring.metrics.rr",
    "rankgate.scoring.paired.compare",
    "rankgate.suites.formats",
    "rankgate.suites.native.yaml_suite",
    "rankgate.systems.function.system",
    "rich.console",
    "support.forked",
    "yaml",
]


@dataclass(frozen=True)
class Ended:
    """How a process ended, and what it wrote."""

    returncode: int
    stdout: bytes
    stderr: bytes


def run_module(
    name: str,
    args: Sequence[str],
    *,
    folder: Path,
    env: Mapping[str, str],
    timeout: float,
    fresh: bool = False,
) -> Ended:
    """Run a module in a folder, with these arguments and this environment, and wait for its end.

    Fresh starts Python, where what is imported matters.

    Raises:
        TimeoutError: where it does not end; it is killed.
    """
    if fresh:
        call = [sys.executable, "-m", name, *args]
        done = subprocess.run(
            call, cwd=folder, env=dict(env), capture_output=True, timeout=timeout, check=False
        )
        return Ended(done.returncode, done.stdout, done.stderr)
    forking = multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(_IMPORTED)
    with tempfile.TemporaryDirectory(prefix="rankgate-forked-") as outputs:
        written = [Path(outputs) / "stdout", Path(outputs) / "stderr"]
        process = forking.Process(target=_run, args=(name, list(args), folder, dict(env), written))
        process.start()
        process.join(timeout)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise TimeoutError(f"{name} {' '.join(args)} did not end in {timeout:g} s")
        return Ended(process.exitcode, *(path.read_bytes() for path in written))


def _run(name: str, args: list[str], folder: Path, env: dict[str, str], written: list[Path]) -> NoReturn:
    for number, path in enumerate(written, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    more = env.get("PYTHONPATH", "").split(os.pathsep)
    installed = [place for place in sys.path if not _of_the_tests(place)]
    sys.path[:] = [str(folder), *filter(None, more), *installed]
    sys.argv[:] = ["-m", *args]
    code: object = 0
    try:
        runpy.run_module(name, run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code
        if code is not None and not isinstance(code, int):
            print(code, file=sys.stderr)  # noqa: T201
            code = 1
    except BaseException:  # noqa: BLE001 - as Python itself does at the end of a program
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(int(code or 0))  # type: ignore[call-overload]


def _of_the_tests(place: str) -> bool:
    """Return whether a folder is one that only our own tests import from."""
    path = Path(place or ".").resolve()
    return path.is_relative_to(ROOT) and not path.is_relative_to(sys.prefix) and path.name != "src"
