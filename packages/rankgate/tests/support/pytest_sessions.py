"""Running pytest in a process of its own, on a small project whose system counts its queries."""

from __future__ import annotations

import os
import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from support.forked import run_module
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

SOURCE = ROOT / "packages" / "rankgate" / "src"

PLUGINS = ("rankgate.pytest_plugin", "xdist.plugin")
"""What pytest runs with, and nothing else."""

SUITE = """\
metrics: [rr]
gates:
  - rr >= 0.5
  - hit@10 >= 0.9
cases:
  - {name: keys, query: rotate a key, id: keys}
  - {name: hooks, query: retry webhooks, id: hooks}
  - {name: login, query: sign in, id: login, top: {id: login, within: 1}}
  - {name: bills, query: see invoices, id: bills}
  - {name: nothing, query: blockchain, expect: empty}
"""

GOOD = {
    "rotate a key": ["keys", "login"],
    "retry webhooks": ["hooks"],
    "sign in": ["login"],
    "see invoices": ["keys", "bills"],
}

APP = """\
import os
from pathlib import Path

ANSWERS = {answers!r}


def search(query, k):
    with (Path(__file__).parent / "asked.txt").open("a", encoding="utf-8") as file:
        file.write(f"{{os.getpid()}} {{query}}\\n")
    answer = ANSWERS.get(query, [])
    if isinstance(answer, str):
        raise RuntimeError(answer)
    return answer[:k]
"""


@dataclass(frozen=True)
class Session:
    """How pytest ended, and what it printed."""

    code: int
    out: str
    err: str

    def outcomes(self) -> dict[str, str]:
        """Tell how each item ended, of a session that was run with -rA or -v."""
        found = re.findall(
            r"^(PASSED|FAILED|ERROR|XFAIL|XPASS|SKIPPED) (.*?)(?: - .*)?$", self.out, re.MULTILINE
        )
        return {name: status for status, name in found}

    def counts(self) -> dict[str, int]:
        """Read the last line: how many passed, failed and so on."""
        last = self.out.rstrip().splitlines()[-1]
        return {
            word: int(number) for number, word in re.findall(r"(\d+) ([a-z]+)", last.partition(" in ")[0])
        }


def run_pytest(
    folder: Path,
    *args: str,
    env: Mapping[str, str] | None = None,
    plugins: Sequence[str] = PLUGINS,
    fresh: bool = False,
) -> Session:
    """Run pytest in a folder, with this plugin and pytest-xdist alone; `fresh` imports nothing before."""
    quiet = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("PYTEST") and name not in ("CI", "BUILD_NUMBER", "FORCE_COLOR", "NO_COLOR")
    }
    named = [word for plugin in plugins for word in ("-p", plugin)]
    own = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": str(SOURCE), "COLUMNS": "100"}
    done = run_module(
        "pytest",
        ["--no-header", *named, *args],
        folder=folder,
        env={**quiet, **own, **(env or {})},
        timeout=300,
        fresh=fresh,
    )
    return Session(done.returncode, done.stdout.decode(), done.stderr.decode())


@dataclass(frozen=True)
class Project:
    """A folder with a suite, a system and its configuration."""

    folder: Path

    @classmethod
    def of(cls, folder: Path, suite: str = SUITE, answers: Mapping[str, list[str] | str] = GOOD) -> Project:
        """Write one."""
        (folder / "search.yaml").write_text(suite)
        (folder / "app.py").write_text(APP.format(answers=dict(answers)))
        (folder / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
        (folder / "pytest.ini").write_text("[pytest]\naddopts = --strict-markers --strict-config\n")
        return cls(folder)

    def run(self, *args: str, env: Mapping[str, str] | None = None) -> Session:
        """Run pytest in it."""
        return run_pytest(self.folder, *args, env=env)

    def asked(self) -> list[Counter[str]]:
        """Count the queries that the system was asked, for each process."""
        file = self.folder / "asked.txt"
        by_process: dict[str, Counter[str]] = {}
        for line in file.read_text(encoding="utf-8").splitlines() if file.exists() else ():
            process, _, query = line.partition(" ")
            by_process.setdefault(process, Counter())[query] += 1
        return list(by_process.values())

    def forget(self) -> None:
        """Start counting anew."""
        (self.folder / "asked.txt").unlink(missing_ok=True)
