"""Try each extra alone: an empty environment of the built wheels with it, and one real thing done by it.

    python tools/extras.py                       # every extra, on every Python of this machine
    python tools/extras.py --only engines,mcp    # these
    python tools/extras.py --runners             # uvx and pipx alone

Prints one table: a row an extra; a column for the lowest versions on the oldest Python, and one for the
newest on each Python. The last column is what the core alone, without the extra, says of the same call: it
must name the extra. The PostgreSQL server is that of the tests.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

from extra_trials import TRIALS, Trial, json_api
from wheels import PYTHONS, ROOT, Environment, Wheels, find_python

from support.postgres_server import postgres_server

LOWEST = f"{PYTHONS[0]} lowest"


class Servers:
    """Servers that run from when they are first needed to the end."""

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self._started: dict[str, tuple[str, dict[str, str]]] = {}

    def get(self, name: str) -> tuple[str, dict[str, str]]:
        """Return the address of a server and what its clients have in their environment."""
        if name and name not in self._started:
            self._started[name] = self._start(name)
        return self._started.get(name, ("", {}))

    def _start(self, name: str) -> tuple[str, dict[str, str]]:
        enter = self._stack.enter_context
        return enter(postgres_server() if name == "postgres" else json_api()), {}


def attempt(trial: Trial, environment: Environment, server: tuple[str, dict[str, str]]) -> str:
    """Run the commands of a trial in a folder of its own; returns what failed, or nothing."""
    url, more = server
    with tempfile.TemporaryDirectory(prefix="rankgate-extra-") as folder:
        room = Path(folder)
        for path, data in trial.files.items():
            (room / path).parent.mkdir(parents=True, exist_ok=True)
            (room / path).write_bytes(data)
        (room / "search.yaml").write_text(trial.suite, encoding="utf-8")
        table = trial.configuration.replace("{url}", url).replace("{{", "{").replace("}}", "}")
        (room / "rankgate.toml").write_text(f"[systems.tried]\n{table}", encoding="utf-8")
        for command in trial.commands:
            done = _rankgate(environment, room, [word.replace("{name}", room.name) for word in command], more)
            if done.returncode != 0:
                said = f"{done.stdout}{done.stderr}"[-3000:]
                return f"rankgate {' '.join(command)}: exit {done.returncode}\n{said}"
    return ""


def _rankgate(
    environment: Environment, room: Path, words: list[str], more: dict[str, str]
) -> subprocess.CompletedProcess[str]:
    """Call rankgate with nothing of this process' own paths; its Python is the first on the path."""
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}
    path = f"{environment.folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    env = {**kept, **more, "PATH": path, "XDG_CACHE_HOME": str(room / ".cache"), "CI": ""}
    call = [environment.program("rankgate"), *words]
    return subprocess.run(call, cwd=room, check=False, capture_output=True, text=True, env=env, timeout=300)


def without(extra: str, trial: Trial, core: Environment) -> str:
    """Call the core alone: it must end with 2, or say so in its report, and name the extra."""
    said = attempt(trial, core, ("http://127.0.0.1:9", {}))
    if f"rankgate[{extra}]" in said:
        return ""
    return f"without {extra}, it is not named:\n{said or 'the command ended with 0'}"


def columns() -> dict[str, str | None]:
    """Return a Python for each column; None where the machine has none."""
    found = {version: find_python(version) for version in PYTHONS}
    return {LOWEST: found[PYTHONS[0]], **found}


def row(extra: str, wheels: Wheels, servers: Servers, core: Environment, failures: list[str]) -> list[str]:
    """Try one extra in every environment, and return its cells."""
    trial, cells = TRIALS[extra], []
    for column, python in columns().items():
        if python is None:
            cells.append("not here")
            continue
        started = time.monotonic()
        try:
            environment = Environment.make("extra", python)
            if column == LOWEST:
                environment.install_lowest(wheels, [extra])
            else:
                environment.install_newest(wheels, [extra])
            failed = attempt(trial, environment, servers.get(trial.server))
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            failed = str(error)
        if failed:
            failures.append(f"{extra}, {column}: {failed}")
        cells.append("failed" if failed else f"{time.monotonic() - started:.0f} s")
    failed = without(extra, trial, core)
    if failed:
        failures.append(failed)
    return [*cells, "not named" if failed else "named"]


def runners(wheels: Wheels) -> list[str]:
    """Run the wheels by uvx and pipx, as a user types it and by the file; return what failed."""
    uvx, failures = ["uv", "tool", "run", "--isolated", "--quiet"], []
    found, core = f"{wheels.rankgate.parent}", str(wheels.rankgate)
    pipx = [*uvx, "pipx", "run", "--no-cache"]
    calls = {
        "uvx rankgate": [*uvx, "--find-links", found, "rankgate", "--version"],
        "uvx --from WHEEL rankgate": [*uvx, "--from", core, "rankgate", "--version"],
        "uvx --from 'rankgate[engines]' rankgate": [
            *uvx, "--find-links", found, "--from", "rankgate[engines]", "rankgate", "list", "systems",
        ],
        "pipx run rankgate": [*pipx, "rankgate", "--version"],
        "pipx run --spec WHEEL rankgate": [*pipx, "--spec", core, "rankgate", "--version"],
    }  # fmt: skip
    with tempfile.TemporaryDirectory(prefix="rankgate-runners-") as home:
        env = {
            **os.environ,
            "PIP_FIND_LINKS": found,
            "UV_FIND_LINKS": found,
            "PIPX_HOME": home,
            "PIPX_DEFAULT_PYTHON": sys.executable,
        }
        for name, call in calls.items():
            started = time.monotonic()
            done = subprocess.run(call, cwd=home, check=False, capture_output=True, text=True, env=env)
            right = done.returncode == 0 and ("rankgate" in done.stdout or "tantivy" in done.stdout)
            print(f"{name:42} {'ok' if right else 'failed'}, {time.monotonic() - started:.0f} s", flush=True)
            if not right:
                failures.append(f"{name}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return failures


def main() -> int:
    """Build, try, print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", default="", help="extras, parted by commas")
    parser.add_argument("--runners", action="store_true", help="uvx and pipx alone")
    arguments = parser.parse_args()
    wheels = Wheels.build(ROOT / ".benchmarks" / "wheels-extras")
    failures: list[str] = []
    if not arguments.runners:
        chosen = [name for name in arguments.only.split(",") if name] or wheels.extras()
        print(f"{'extra':16}" + "".join(f"{column:>12}" for column in (*columns(), "without")), flush=True)
        core = Environment.make("core", columns()[PYTHONS[0]] or sys.executable)
        core.install_newest(wheels, [])
        with ExitStack() as stack:
            servers = Servers(stack)
            for extra in chosen:
                cells = row(extra, wheels, servers, core, failures)
                print(f"{extra:16}" + "".join(f"{cell:>12}" for cell in cells), flush=True)
        shutil.rmtree(core.folder, ignore_errors=True)
    if not arguments.only:
        failures += runners(wheels)
    for failure in failures:
        print(f"\n{failure}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
