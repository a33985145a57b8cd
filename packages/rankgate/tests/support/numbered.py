"""A project of numbered queries, each of which one document answers: what runs are made and kept of."""

from __future__ import annotations

from pathlib import Path

APP = 'def search(query, k):\n    return ["d" + query.split()[1]]\n'
SYSTEM = '[systems.app]\nfunction = "./app.py:search"\n'
STORED = '[systems.stored]\nrun = "out"\n'


def numbered_suite(size: int, head: str = "metrics: [rr]\n") -> str:
    """Write a suite: `number 3` is answered by `d3`."""
    return f"{head}cases:\n" + "".join(f"  - query: number {n}\n    id: d{n}\n" for n in range(size))


def write_here(suite: str, app: str = APP, configuration: str = SYSTEM + STORED) -> None:
    """Write a project into the current folder; its runs are kept in `out`, where `stored` reads them."""
    for name, text in {"search.yaml": suite, "app.py": app, "rankgate.toml": configuration}.items():
        Path(name).write_text(text)
