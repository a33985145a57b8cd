"""A project of many small pages, and a search that finds each but for those it is told to lose."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

APP = """
from pathlib import Path

LOST = Path("lost.txt")

def search(query, k):
    wanted, topics = query.split()[-1] + ".md", sorted(path.name for path in Path("docs").iterdir())
    rest = [name for name in topics if name != wanted]
    lost = LOST.read_text().split() if LOST.exists() else []
    return (rest if wanted in lost else [wanted, *rest])[:k]
"""
SYSTEM = '[systems.{name}]\nfunction = "./app.py:search"\n'


def topics_project(
    folder: Path, many: int = 48, gates: str = "drop(ndcg@10) < 0.1", more: str = ""
) -> list[str]:
    """Write the project, and give the names of its pages."""
    names = [f"topic{number:03}.md" for number in range(many)]
    (folder / "docs").mkdir()
    for name in names:
        (folder / "docs" / name).write_text(f"# {name}\n\nAll about it.\n")
    cases = "".join(f"  - {{query: about {name[:-3]}, at: {name}}}\n" for name in names)
    head = f"corpus: docs/\nmetrics: [ndcg@10]\ngates: [{gates}]\n{more}"
    (folder / "search.yaml").write_text(f"{head}cases:\n{cases}")
    (folder / "app.py").write_text(APP)
    (folder / "rankgate.toml").write_text(f'suites = ["search.yaml"]\n{SYSTEM.format(name="app")}')
    return names


def lose(folder: Path, *names: str) -> None:
    """Let the search lose pages; without any, none."""
    (folder / "lost.txt").write_text(" ".join(names))
