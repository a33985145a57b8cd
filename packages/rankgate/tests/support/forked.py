"""Running a module or a script in a process of its own that need not import everything first.

A server that has imported what is heavy, and done nothing else, forks the processes. Each has its own folder,
environment, arguments and output, and what it does to itself ends with it. What imports cost is
tested with `fresh`.
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import runpy
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn, Self

from _pytest.config import default_plugins

from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from multiprocessing.context import ForkServerProcess
    from types import TracebackType

# Not the plugins of others: pytest changes their assertions while it imports them.
_IMPORTED = [
    *(f"_pytest.{name}" for name in default_plugins),
    "asyncio",
    "execnet",
    "numpy.ma",
    "pdb",
    "polars",
    "rankgate.assertions",
    "rankgate.cli.stages.run",
    "rankgate.cli.stages.score",
    "rankgate.cli.test",
    "rankgate.flow",
    "rankgate.project.suite_run",
    "rankgate.runs.formats.load",
    "rankgate.scoring.metrics.ndcg",
    "rankgate.scoring.metrics.recall",
    "rankgate.scoring.metrics.rr",
    "rankgate.scoring.paired.compare",
    "rankgate.suites.formats",
    "rankgate.suites.native",
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

    Fresh starts Python, where what is imported matters, and where a library does not survive a fork: then
    RANKGATE_TESTS_FRESH=1 in the environment of the tests asks for it.

    Raises:
        TimeoutError: where it does not end; it is killed.
    """
    if fresh or os.environ.get("RANKGATE_TESTS_FRESH"):
        call = [sys.executable, "-m", name, *args]
        done = subprocess.run(
            call, cwd=folder, env=dict(env), capture_output=True, timeout=timeout, check=False
        )
        return Ended(done.returncode, done.stdout, done.stderr)
    with start(name, args, folder=folder, env=env) as process:
        code = process.wait(timeout)
        return Ended(code, process.out(), process.err())


class Forked:
    """A process that was started; used with ``with``, at whose end it is killed if it is still there."""

    def __init__(self, process: ForkServerProcess, outputs: Path) -> None:
        self._process = process
        self._outputs = outputs

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()
        shutil.rmtree(self._outputs, ignore_errors=True)

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Return its exit code, or None while it runs; a signal that ended it is negative."""
        return self._process.exitcode

    def wait(self, timeout: float) -> int:
        """Wait for its end, and return its exit code.

        Raises:
            TimeoutError: where it does not end.
        """
        self._process.join(timeout)
        code = self._process.exitcode
        if code is None:
            raise TimeoutError(f"process {self.pid} did not end in {timeout:g} s")
        return code

    def kill(self) -> None:
        """Kill it with SIGKILL, and wait for its end."""
        self._process.kill()
        self._process.join()

    def out(self) -> bytes:
        """Return what it wrote by now."""
        return (self._outputs / "stdout").read_bytes()

    def err(self) -> bytes:
        """Return the errors that it wrote by now."""
        return (self._outputs / "stderr").read_bytes()


def start(name: str, args: Sequence[str], *, folder: Path, env: Mapping[str, str]) -> Forked:
    """Start a module, or a file that ends in .py, in a folder, with these arguments and this environment."""
    forking = multiprocessing.get_context("forkserver")
    forking.set_forkserver_preload(_IMPORTED)
    outputs = Path(tempfile.mkdtemp(prefix="rankgate-forked-"))
    written = [outputs / "stdout", outputs / "stderr"]
    for path in written:
        path.touch()
    process = forking.Process(target=_run, args=(name, list(args), folder, dict(env), written))
    process.start()
    return Forked(process, outputs)


def _run(name: str, args: list[str], folder: Path, env: dict[str, str], written: list[Path]) -> NoReturn:
    for number, path in enumerate(written, start=1):
        os.dup2(os.open(path, os.O_WRONLY), number)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(env)
    more = env.get("PYTHONPATH", "").split(os.pathsep)
    installed = [place for place in sys.path if not _of_the_tests(place)]
    script = name.endswith(".py")
    sys.path[:] = [str(Path(name).parent if script else folder), *filter(None, more), *installed]
    sys.argv[:] = [name, *args]
    code: object = 0
    try:
        if script:
            runpy.run_path(name, run_name="__main__")
        else:
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
