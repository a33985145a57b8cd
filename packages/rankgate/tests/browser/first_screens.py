"""Stage each state of a verdict on the handbook, and keep what its readers see first.

A writer sees 25 lines of the terminal, a reviewer 25 lines of the comment, an engineer 1,280 × 800 pixels of
the page. What they are asked is in benchmarks/first_screens/QUESTIONS.md.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import chdir
from pathlib import Path
from typing import TYPE_CHECKING

from screenshots import take

from support.chromium import browser_or_skip
from support.commands import rankgate
from support.http_servers import free_port
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

SUITE = ROOT / "suites" / "handbook"
LINES, COLUMNS = 25, "100"
SCREEN = {"width": 1280, "height": 800}
REMOVED = ("auth/api-keys.md", "api/rate-limits.md")
CRASH = """
import sys
import rankgate.gates.scored as scored
scored.run_checks = None
from rankgate.cli.main import main
sys.exit(main())
"""


def edit(path: Path, pattern: str, words: str, count: int = 1) -> None:
    """Replace the first match in a file, or with a count of 0 all; there must be one."""
    text, found = re.subn(pattern, words, path.read_text(encoding="utf-8"), count=count, flags=re.DOTALL)
    assert found, f"{path}: no {pattern}"
    path.write_text(text, encoding="utf-8")


def passed(_: Path) -> None:
    """Change nothing."""


def failed(project: Path) -> None:
    """Take two pages out of the index."""
    shutil.copytree(project / "corpus", project / "indexed")
    for page in REMOVED:
        (project / "indexed" / page).unlink()
    edit(project / "rankgate.toml", 'root = "corpus"', 'root = "indexed"')


def inconclusive(project: Path) -> None:
    """Ask for more than so many queries can show, of a system that was built anew and answers the same."""
    shutil.copytree(project / "corpus", project / "indexed")
    edit(project / "rankgate.toml", 'root = "corpus"', 'root = "indexed"')
    gates = "gates:\n  - noninferior(ndcg@10) within 0.01\n  - checks >= 93%\ncases:"
    edit(project / "handbook.yaml", r"gates:.*?\ncases:", gates)


def not_enforced(project: Path) -> None:
    """Report the system with vectors, and hold it to nothing."""
    edit(project / "rankgate.toml", 'system = "lexical"', 'system = "hybrid"')


def no_gates(project: Path) -> None:
    """Demand nothing: no gates, and no checks, probes or baseline, which must hold without one."""
    shutil.rmtree(project / "baselines")
    edit(project / "rankgate.toml", "require_baseline = true", "require_baseline = false")
    edit(project / "handbook.yaml", r"gates:.*?\ncases:", "cases:")
    edit(project / "handbook.yaml", r"\n  # multi-term: .*", "\n")
    edit(project / "handbook.yaml", r"\n    top: [^\n]*", "", count=0)


def system_error(project: Path) -> None:
    """Ask a server that is not there."""
    settings = (
        f'[systems.lexical]\nkind = "http"\nurl = "http://127.0.0.1:{free_port()}/search"\n'
        'params = { q = "{query}", f = "{filters}" }\nhits = "hits"\n'
        'fields = { path = "path", start = "start", end = "end" }\n'
    )
    edit(project / "rankgate.toml", r'\[systems.lexical\]\nkind = "reference"\nroot = "corpus"\n', settings)


def suite_error(project: Path) -> None:
    """Misspell a key."""
    edit(project / "handbook.yaml", "  - query: circuit breaker", "  - querry: circuit breaker")


def internal_error(_: Path) -> None:
    """Change nothing: the command is broken instead."""


STATES: tuple[Callable[[Path], None], ...] = (
    passed, failed, inconclusive, not_enforced, no_gates, system_error, suite_error, internal_error
)  # fmt: skip


def main(folder: Path) -> None:
    """Write every first screen to a folder."""
    folder = folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as room, browser_or_skip() as browser:
        for stage in STATES:
            state = stage.__name__
            project = shutil.copytree(SUITE, Path(room) / state, ignore=shutil.ignore_patterns(".rankgate"))
            # The same answers as the baseline's, but of this machine.
            with chdir(project):
                rankgate("test").printed()
                rankgate("baseline", "set").printed()
            stage(project)
            start = ["-c", CRASH] if stage is internal_error else ["-m", "rankgate"]
            outputs = ("github-comment=comment.md", "html=page.html")
            done = subprocess.run(
                [sys.executable, *start, "test", *(word for one in outputs for word in ("-o", one))],
                cwd=project,
                capture_output=True,
                text=True,
                env={"COLUMNS": COLUMNS, "PATH": "/usr/bin:/bin", "NO_COLOR": "1"},
                check=False,
            )
            keep(folder / f"{state}.writer.txt", done.stdout + done.stderr)
            comment, page = project / "comment.md", project / "page.html"
            keep(
                folder / f"{state}.reviewer.md",
                comment.read_text(encoding="utf-8") if comment.exists() else "",
            )
            if page.exists():
                take(browser, page, folder / f"{state}.engineer.png", viewport=SCREEN)
            sys.stdout.write(f"{state}: exit {done.returncode}\n")


def keep(file: Path, text: str) -> None:
    """Write the lines of a text that a reader sees first."""
    file.write_text("\n".join(text.split("\n")[:LINES]) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
