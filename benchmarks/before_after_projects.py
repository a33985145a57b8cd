"""The projects of `just before-after`, and what two versions of rankgate print in them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = "100"
REMOVED = ("auth/api-keys.md", "api/rate-limits.md")
_TOPICS = range(48)
_APP = """
MODE = "base"

def search(query, k, filters=None, mode=None):
    mode, number = mode or MODE, int(query.split()[-1])
    if mode == "down" or (mode == "errors" and number < 14):
        raise ConnectionRefusedError("[Errno 111] Connection refused")
    right, *others = (f"topic{at % 48:02}.md#Topic {at % 48}" for at in range(number, number + 10))
    if mode == "lost" and number < 3:
        return others[:k]
    second = {"base": (30, 31), "errors": (20, 21)}.get(mode, ())
    return ([others[0], right, *others[1:]] if number in second else [right, *others])[:k]

def base(query, k, filters=None):
    return search(query, k, filters, "base")

def errors(query, k, filters=None):
    return search(query, k, filters, "errors")

def better(query, k, filters=None):
    return search(query, k, filters, "better")
"""


_MIXED = """
MODE = "base"

def search(query, k, filters=None):
    number = int(query.split()[-1])
    right, *others = (f"topic{at % 48:02}.md#Topic {at % 48}" for at in range(number, number + 10))
    if number == 10 or (number == 40 and MODE == "mixed"):
        return others[:k]
    at = 3 if number == 3 and MODE == "mixed" else 0
    return [*others[:at], right, *others[at:]][:k]
"""


@dataclass(frozen=True, slots=True)
class Tree:
    """One version of the source."""

    name: str
    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """The variables by which this version is the one that runs."""
        packages = (self.folder / "packages" / name / "src" for name in ("rankgate", "rankgate-reference"))
        return {
            **{name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ},
            "PYTHONPATH": os.pathsep.join(map(str, packages)),
            "COLUMNS": COLUMNS,
            "NO_COLOR": "1",
        }

    def run(self, project: Path, *arguments: str) -> str:
        """Run a command of this version in a project, and return what it prints."""
        done = subprocess.run(
            [sys.executable, "-m", "rankgate", *arguments],
            cwd=project,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        return f"{done.stdout}{done.stderr}(exit {done.returncode})"


def excerpt(text: str, most: int = 8, first: str = "") -> str:
    """Return the first lines, from one that holds a text on, and say how many there are more."""
    lines = [line.rstrip() for line in text.splitlines() if line.strip()]
    start = next((at for at, line in enumerate(lines) if first in line), 0)
    shown, left = lines[start : start + most], len(lines) - start - most
    head = [f"… ({start} lines before)"] if start else []
    return "\n".join([*head, *shown, *([f"… ({left} lines more)"] if left > 0 else [])])


def edit(path: Path, old: str, new: str) -> None:
    """Replace a text of a file; it must be there."""
    text = path.read_text(encoding="utf-8")
    assert old in text, f"{path}: no {old}"
    path.write_text(text.replace(old, new), encoding="utf-8")


def topics(folder: Path) -> Path:
    """Write a project of 48 queries with a filter each, whose search can fail in several ways."""
    (folder / "docs").mkdir(parents=True)
    for at in _TOPICS:
        (folder / "docs" / f"topic{at:02}.md").write_text(f"# Topic {at}\n\nAll about topic {at}.\n")
    cases = "".join(
        f"  - {{query: 'how does billing handle topic {at}', at: 'topic{at:02}.md#Topic {at}', "
        f"category: c{at % 4}, filters: {{lang: en}}}}\n"
        for at in _TOPICS
    )
    gates = "gates: [ndcg@10 >= 0.97, hit@3 >= 0.5, 'lost(1 -> absent@10) = 0']"
    (folder / "search.yaml").write_text(f"corpus: docs/\nmetrics: [ndcg@10, rr]\n{gates}\ncases:\n{cases}")
    (folder / "app.py").write_text(_APP)
    systems = "".join(
        f'[systems.{name}]\nfunction = "./app.py:{name}"\n' for name in ("errors", "better", "base")
    )
    (folder / "rankgate.toml").write_text(
        f'suites = ["search.yaml"]\nsystem = "app"\n[systems.app]\nfunction = "./app.py:search"\n{systems}'
    )
    return folder


def mixed(folder: Path) -> Path:
    """Write the same project with a search that misses one query, and later loses one and ranks one lower."""
    project = topics(folder)
    (project / "app.py").write_text(_MIXED)
    (project / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    edit(project / "search.yaml", "ndcg@10 >= 0.97", "ndcg@10 >= 0.95")
    return project


def moved(folder: Path) -> Path:
    """Write a project whose targets are lines of one document."""
    (folder / "docs").mkdir(parents=True)
    page = "".join(f"Line {one} says what topic {one} is about, and nothing else.\n" for one in range(1, 9))
    (folder / "docs" / "page.md").write_text(page)
    (folder / "app.py").write_text(
        "import pathlib\ndef search(query, k):\n"
        "    lines = pathlib.Path('docs/page.md').read_text().splitlines()\n"
        "    found = [at for at, line in enumerate(lines, 1) if f'topic {query.split()[-1]} ' in line]\n"
        "    return [{'path': 'page.md', 'lines': f'{at}-{at}'} for at in found]\n"
    )
    cases = "".join(f"  - {{query: topic {one}, at: 'page.md:{one}-{one}'}}\n" for one in range(1, 7))
    (folder / "s.yaml").write_text(f"corpus: docs/\ngates: [rr >= 0.9]\ncases:\n{cases}")
    (folder / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    return folder


def handbook(tree: Tree, folder: Path) -> tuple[Path, str]:
    """Test the handbook as it is, then take two pages out of its index; return the project and the pass."""
    project = shutil.copytree(
        tree.folder / "suites" / "handbook", folder, ignore=shutil.ignore_patterns(".rankgate")
    )
    tree.run(project, "test")
    tree.run(project, "baseline", "set")
    passed = tree.run(project, "test", "-o", "github-comment=passed.md")
    shutil.copytree(project / "corpus", project / "indexed")
    for page in REMOVED:
        (project / "indexed" / page).unlink()
    edit(project / "rankgate.toml", 'root = "corpus"', 'root = "indexed"')
    return project, passed


def told(tree: Tree, folder: Path) -> dict[int, str]:
    """Return the texts of one version, by the number of what was found."""
    texts = {}
    lines = moved(folder / "moved")
    tree.run(lines, "suite", "mend", "s.yaml", "--yes")
    tree.run(lines, "test")
    edit(lines / "docs" / "page.md", "Line 1 says", "A new first line.\n\nLine 1 says")
    texts[1] = excerpt(tree.run(lines, "test"), 6)

    project = topics(folder / "topics")
    for system in ("base", "errors", "better"):
        tree.run(project, "test", "--system", system)
    compared = tree.run(project, "compare", "base", "errors")
    texts[2] = excerpt(compared, 8)
    texts[16] = excerpt(compared, 10, "changed most" if "changed most" in compared else "moved")
    tree.run(project, "test")
    tree.run(project, "baseline", "set")
    edit(project / "app.py", 'MODE = "base"', 'MODE = "down"')
    down = tree.run(project, "test", "-o", "github-comment=comment.md")
    comment = (project / "comment.md").read_text(encoding="utf-8")
    texts[3] = f"{excerpt(down, 6)}\n\n{_where('terminal', down)}\n{_where('comment', comment)}"
    edit(project / "app.py", 'MODE = "down"', 'MODE = "lost"')
    lost = tree.run(project, "test", "-o", "github-comment=comment.md", "-o", "html=page.html")
    texts[8] = excerpt(lost, 5)
    texts[6] = _failures(tree, folder / "mixed")
    texts[12] = _signs(tree, topics(folder / "signs"))
    texts[9] = excerpt((project / "comment.md").read_text(encoding="utf-8"), 26)
    texts[19] = _upkeep(tree, folder / "upkeep")

    book, passed = handbook(tree, folder / "handbook")
    shown, _, folded = (book / "passed.md").read_text(encoding="utf-8").partition("<details>")
    marks = f"comment: {len(shown.split())} words and {len(shown.strip().splitlines())} lines"
    marks += f", {len(folded.splitlines())} lines folded"
    texts[7] = f"{excerpt(passed, 12)}\n\nterminal: {len(passed.splitlines())} lines; {marks}"
    failed = tree.run(book, "test", "-o", "html=page.html")
    texts[11] = _both_sides(failed)
    return texts


def _where(name: str, text: str) -> str:
    lines = [at for at, line in enumerate(text.splitlines(), 1) if "refused" in line.lower()]
    return f"{name}: the cause is first in line {lines[0] if lines else '–'}, and in {len(lines)} lines of it"


def _failures(tree: Tree, folder: Path) -> str:
    """Return how the queries that failed are listed: one lost, one never found, one at a lower rank."""
    project = mixed(folder)
    tree.run(project, "test", "search.yaml")
    tree.run(project, "baseline", "set", "search.yaml")
    edit(project / "app.py", 'MODE = "base"', 'MODE = "mixed"')
    lines = tree.run(project, "test", "search.yaml").splitlines()
    starts = [
        at for at, line in enumerate(lines) if re.match(r"\W+how does billing handle topic \d+(  .*)?$", line)
    ]
    stories = ["\n".join(lines[at : at + 4]) for at in starts if not lines[at + 1].startswith(lines[at][0])]
    return "\n".join(stories[-3:])


def _signs(tree: Tree, project: Path) -> str:
    """Return the first line of five states; a category of two queries is too few to judge."""
    cases = (project / "search.yaml").read_text(encoding="utf-8").partition("cases:\n")[2]
    rare = cases.replace("category: c0", "category: rare", 2)
    heads = {
        "passed": "gates: [hit@10 >= 0.1]",
        "failed": "gates: [ndcg@10 >= 0.999]",
        "inconclusive": "gates: [hit@10 >= 0.1 where category = rare]",
        "no gates": "",
    }
    lines = []
    for name, gates in heads.items():
        (project / "state.yaml").write_text(f"corpus: docs/\n{gates}\ncases:\n{rare}", encoding="utf-8")
        said = tree.run(project, "test", "state.yaml", "--system", "app")
        lines.append(f"{name:<14}{said.splitlines()[0]}")
    configuration = project / "rankgate.toml"
    edit(configuration, "[systems.app]\n", "[systems.app]\ngate = false\n")
    (project / "state.yaml").write_text(
        f"corpus: docs/\n{heads['failed']}\ncases:\n{cases}", encoding="utf-8"
    )
    said = tree.run(project, "test", "state.yaml", "--system", "app")
    edit(configuration, "gate = false\n", "")
    return "\n".join([*lines, f"{'not enforced':<14}{said.splitlines()[0]}"])


def _both_sides(text: str) -> str:
    """Return the first query that failed, from what it expects to what came first."""
    lines = [line for line in text.splitlines() if line.strip()]
    start = next((at for at, line in enumerate(lines) if re.match(r"\s+expect(s|ed)\b", line)), 0)
    return "\n".join(lines[start : start + 7])


def _upkeep(tree: Tree, folder: Path) -> str:
    """Lint a suite with a Hindi query, and one with a mapping where a place belongs."""
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n\nEvery 90 days.\n", encoding="utf-8")
    head = "corpus: docs/\ncases:\n"
    (folder / "good.yaml").write_text(
        f"{head}  - {{query: 'कुंजी कैसे बदलें', at: keys.md#Rotation}}\n", encoding="utf-8"
    )
    wrong = "".join(f"  - query: number {at}\n    at: {{path: keys.md, lines: 1-2}}\n" for at in range(96))
    (folder / "wrong.yaml").write_text(f"{head}{wrong}", encoding="utf-8")
    (folder / "app.py").write_text("def search(query, k):\n    return []\n")
    tested = tree.run(folder, "test", "good.yaml", "--system", "./app.py:search", "-o", "json=report.json")
    report = folder / "report.json"
    text = report.read_text(encoding="utf-8") if report.exists() else tested
    name = re.search(r'"(?:case|id)": "([^"]*)"', text)
    said = [f"id of the query: {name[1] if name else '–'}"]
    for suite in ("good.yaml", "wrong.yaml"):
        linted = excerpt(tree.run(folder, "suite", "lint", suite), 4)
        said.append(f"$ rankgate suite lint {suite}\n{linted}")
    return "\n\n".join(said)
