"""Asking for a verdict by the command line, by pytest and by Python, here or in processes of their own."""

from __future__ import annotations

import contextlib
import gc
import importlib
import io
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from verdicts.project import Project

TESTS = Path(__file__).parents[1]
_CODE = re.compile(r"rankgate: exit code (\d+)")
_THREADS = "POLARS_MAX_THREADS"
_LEFT_OUT = (
    "assertion capture debugging doctest faulthandler junitxml legacypath logging monkeypatch pastebin "
    "python recwarn setuponly setupplan stepwise subtests threadexception tmpdir unittest "
    "unraisableexception warnings"
)
"""Parts of pytest that no suite needs; starting them again for every state costs more than the suite."""
_PYTEST = ("-q", "--no-header", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", ".")


@dataclass(frozen=True)
class Said:
    """How something ended, and what it says of each gate."""

    code: int | str
    """The exit code; words where something else happened."""
    gates: Mapping[str, str] | None = None
    out: str = ""
    """What it wrote, both streams."""


def settle(done: int) -> None:
    """Keep what is loaded by the first states out of the garbage collections, which pytest asks for often."""
    if done in (1, 10, 50):
        gc.collect()
        gc.freeze()


class InProcess:
    """Everything in this process."""

    def __init__(self) -> None:
        # Tables of ten rows gain nothing by threads. It is read when Polars is loaded.
        os.environ.setdefault(_THREADS, "1")

    def call(
        self, project: Project, args: Sequence[str], stop: int | None = None, *, killed: bool = False
    ) -> Said:
        """Call the command line; with `stop`, interrupt it after so many answers, or kill its process."""
        if killed:
            return Processes().call(project, args, stop, killed=True)
        from rankgate.cli.main import main

        out = io.StringIO()
        called = patch.object(sys, "argv", ["rankgate", *args])
        code: object = 0
        with _inside(project), _interrupted(stop), _streams(out), called:
            try:
                main()
            except SystemExit as ended:
                code = ended.code
            except BaseException as error:  # noqa: BLE001 - whatever comes through is what is looked for
                code = f"{type(error).__name__}: {error}"
        return Said(code if isinstance(code, int | str) else 0, out=out.getvalue())

    def pytest(self, project: Project, suite: str, system: str) -> Said:
        import pytest

        from rankgate import pytest_plugin as plugin

        out = io.StringIO()
        with _inside(project), _streams(out), patch.dict(os.environ, {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}):
            lean = [word for name in _LEFT_OUT.split() for word in ("-p", f"no:{name}")]
            # Without it, pytest formats a traceback of itself for each suite that is refused.
            lean.append("--continue-on-collection-errors")
            code = pytest.main([*_PYTEST, *lean, suite, "--rankgate-system", system], [plugin])
        return _of_pytest(int(code), out.getvalue())

    def python(self, project: Project, suite: str, system: str) -> Said:
        out = io.StringIO()
        with _inside(project), _streams(out):
            code, gates = evaluated(suite, system)
        return Said(code, gates, out.getvalue())

    def function(self, project: Project, suite: str, path: str) -> Said:
        """Evaluate by Python, with the function itself and not the name of a system."""
        out = io.StringIO()
        with _inside(project), _streams(out):
            code, gates = evaluated(suite, path)
        return Said(code, gates, out.getvalue())


class Processes:
    """Everything in a process of its own, as a user's shell starts it."""

    def call(
        self, project: Project, args: Sequence[str], stop: int | None = None, *, killed: bool = False
    ) -> Said:
        script = "verdicts.launched" if stop is not None else "rankgate"
        first = ("kill" if killed else "interrupt", str(stop)) if stop is not None else ()
        return self._run(project, ["-m", script, *first, *args])

    def pytest(self, project: Project, suite: str, system: str) -> Said:
        said = self._run(project, ["-m", "pytest", *_PYTEST, suite, "--rankgate-system", system])
        return _of_pytest(said.code, said.out)

    def python(self, project: Project, suite: str, system: str) -> Said:
        said = self._run(project, ["-m", "verdicts.launched", "evaluate", suite, system])
        if said.code != 0:
            return said
        found = json.loads(said.out.splitlines()[-1])
        return Said(found["code"], found["gates"], said.out)

    def function(self, project: Project, suite: str, path: str) -> Said:
        return self.python(project, suite, path)

    def _run(self, project: Project, args: Sequence[str]) -> Said:
        done = subprocess.run(
            [sys.executable, *args],
            cwd=project.folder,
            env={
                **_environment(),
                **project.variables,
                "PYTHONPATH": str(TESTS),
                "PYTHONDONTWRITEBYTECODE": "1",
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=600,
            check=False,
        )
        return Said(done.returncode, out=done.stdout.decode(errors="replace"))


def evaluated(suite: str, system: str) -> tuple[int | str, Mapping[str, str] | None]:
    """Evaluate by Python, as a program that has both names does, or the function of a file."""
    import rankgate as rg
    from rankgate.errors import RankgateError

    try:
        asked = _function_of(Path(system)) if system.endswith(".py") else system
        result = rg.evaluate(rg.load_suite(suite), asked)
    except RankgateError:
        return 2, None
    except BaseException as error:  # noqa: BLE001 - whatever comes through is what is looked for
        return f"{type(error).__name__}: {error}", None
    verdict: Any = getattr(result, "verdict", result)
    gates = getattr(verdict, "gates", result.verdicts)
    return int(verdict.exit_code), {one.gate: str(one.status) for one in gates}


def _function_of(path: Path) -> Any:
    """Import a module as a program in its folder does; return its function."""
    sys.path.insert(0, str(path.parent.resolve()))
    return importlib.import_module(path.stem).search


def report_gates(path: Path) -> Mapping[str, str] | None:
    """Read what a JSON report says of each gate; None where there is none."""
    if not path.exists():
        return None
    return {one["gate"]: one["status"] for one in json.loads(path.read_text(encoding="utf-8"))["verdicts"]}


def _of_pytest(code: int | str, out: str) -> Said:
    """Take the code that pytest prints; one of its own that does not fit is said in words."""
    found = _CODE.search(out)
    if found is None:
        return Said(f"pytest ended with {code} and printed no exit code", out=out)
    printed = int(found[1])
    if printed and not code:
        return Said(f"pytest ended with 0 and printed exit code {printed}", out=out)
    return Said(printed, out=out)


def _environment() -> dict[str, str]:
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("PYTEST", "GITHUB_"))
        and name not in ("COLUMNS", "CI", "FORCE_COLOR", _THREADS)
    }


@contextlib.contextmanager
def _inside(project: Project) -> Iterator[None]:
    """Stand in the project's folder; what is imported from there is forgotten afterwards."""
    here, path = Path.cwd(), list(sys.path)
    known = set(sys.modules)
    os.chdir(project.folder)
    importlib.invalidate_caches()
    try:
        with patch.dict(os.environ, {**_environment(), **project.variables}, clear=True):
            yield
    finally:
        os.chdir(here)
        sys.path[:] = path
        for name in set(sys.modules) - known:
            file = getattr(sys.modules[name], "__file__", None) or ""
            if file.startswith(str(project.folder)):
                del sys.modules[name]


@contextlib.contextmanager
def _streams(out: io.StringIO) -> Iterator[None]:
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        yield


@contextlib.contextmanager
def _interrupted(after: int | None, *, killed: bool = False) -> Iterator[None]:
    """Press Ctrl-C after so many answers, or end this process as nobody can prevent."""
    if after is None:
        yield
        return
    from rankgate.runs.asking.progress import TerminalProgress

    answers = 0

    def advance(*_: object) -> None:
        nonlocal answers
        answers += 1
        if answers >= after and killed:
            os.kill(os.getpid(), signal.SIGKILL)
        if answers >= after:
            raise KeyboardInterrupt

    with patch.object(TerminalProgress, "advance", advance):
        yield
