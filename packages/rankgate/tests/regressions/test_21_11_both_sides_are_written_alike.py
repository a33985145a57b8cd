"""Issue 21, found 11: what is expected and what came are written alike, and a hit says what it is worth."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.truth.locations.outline_below import OutlineTitles
from support.commands import rankgate
from support.memory_corpus import MemoryCorpus

if TYPE_CHECKING:
    from pathlib import Path

LEASE = "import time\n\n\nclass Manager:\n    limit = 1\n\n    def renew(self):\n        return time.time()\n"
KEYS = "# Keys\n\n## Rotation\n\nEvery 90 days.\n\n## Revocation\n\nEnd it.\nTell the team.\n"
SUITE = """\
corpus: docs
gates: [rr >= 0.9]
cases:
  - query: who holds a lease
    at: {"lease.py::Manager": 3, keys.md#Rotation: 1}
"""
APP = """\
def search(query, k):
    return ["keys.md:9-9", "lease.py:7-8", "lease.py:5-5", "keys.md:5-5"]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    files = {"docs/lease.py": LEASE, "docs/keys.md": KEYS, "search.yaml": SUITE, "app.py": APP}
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_both_sides_have_path_lines_and_title_and_hits_their_worth(project: Path) -> None:
    rankgate("test", "search.yaml", "-s", "./app.py:search", "--report", "json=report.json")
    (failure,) = json.loads((project / "report.json").read_text(encoding="utf-8"))["failures"]
    assert [(one["location"], one["rank"]) for one in failure["expected"]] == [
        ("lease.py:4-8 › Manager (grade 3)", 2),
        ("keys.md:3-6 › Rotation (grade 1)", 4),
    ]
    assert [(hit["location"], hit["mark"], hit["note"]) for hit in failure["hits"]] == [
        ("keys.md:9 › Revocation", "", ""),
        ("lease.py:7-8 › Manager.renew", "✅", "grade 3"),
        ("lease.py:5 › Manager", "✅", "again"),
        ("keys.md:5 › Rotation", "✅", "grade 1"),
    ]


def test_titles_end_where_outlining_more_files_would_take_long() -> None:
    corpus = MemoryCorpus({"a.md": "# A\n\ntext\n", "b.md": "# B\n\ntext\n"})
    titles = OutlineTitles(corpus, most_files=1)
    assert [titles("a.md", 3, 3), titles("b.md", 3, 3), titles("a.md", 1, 3)] == ["A", "", "A"]
    assert titles("none.md", 1, 1) == titles("a.md", None, None) == ""
