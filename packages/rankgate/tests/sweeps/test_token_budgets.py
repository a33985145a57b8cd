"""Chunkers in a sweep: an axis like any other, compared at the same token budget and never at the same k."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.project.budgets import unspent
from rankgate.runs.store.run_folder import StoredRun
from support.commands import rankgate
from support.memory_engine import MEMORY

if TYPE_CHECKING:
    from pathlib import Path

TOPICS = 24
FILLER = "The gateway keeps what it was told until somebody tells it otherwise, and says so in its log.\n" * 3
SWEEP = """\
system = "words"
metrics = ["r@{small}tokens", "r@{large}tokens", "line_p@{small}tokens", "line_p@{large}tokens", "r@3"]
baseline = "chunks=file"
k = {k}

[axes]
chunks = ["file", "section", {{ by = "window", lines = 5 }}]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(TOPICS):
        parts = [f"## Part {part}\n\n{FILLER}\n" for part in range(6)]
        parts.insert(number % 6, f"## Rotation\n\nHow topic{number:02} is rotated.\n\n")
        (docs / f"page{number:02}.md").write_text("# Page\n\n" + "".join(parts))
    cases = [f"- {{query: topic{one:02}, at: 'page{one:02}.md#Page/Rotation'}}" for one in range(TOPICS)]
    (tmp_path / "search.yaml").write_text("\n".join(["corpus: docs/", "cases:", *cases, ""]))
    settings = f'suites = ["search.yaml"]\n\n[systems.words]\nkind = "{MEMORY}"\n'
    (tmp_path / "rankgate.toml").write_text(settings)
    return tmp_path


def write(folder: Path, small: int = 60, large: int = 2000, k: int = 50) -> None:
    (folder / "sweep.toml").write_text(SWEEP.format(small=small, large=large, k=k))


def swept() -> dict[str, Any]:
    found: list[dict[str, Any]] = json.loads(rankgate("sweep", "--format", "json").out)["sweeps"]
    assert len(found) == 1
    return found[0]


def test_smaller_pieces_are_better_within_a_small_budget_and_no_worse_at_the_same_k(project: Path) -> None:
    write(project)
    found = swept()
    rows = {row["axes"]["chunks"]: row for row in found["rows"]}
    assert len(rows) == 3
    file = next(row for row in found["rows"] if row["baseline"])["means"]
    section = next(row for name, row in rows.items() if name == "section")
    # A whole page costs more than 60 tokens, its section does not; at k = 3 nobody could tell.
    assert file[:2] == [0.0, 1.0]
    assert section["means"][:2] == [1.0, 1.0]
    assert file[4] == section["means"][4] == 1.0
    assert section["compared"]["finding"] == "better"
    assert section["tokens_estimated"] is True
    # By hand: the section is 4 lines, all wanted; the page has 4 wanted lines of its 38.
    assert section["means"][2] == 1.0
    lines = (project / "docs" / "page00.md").read_text().count("\n")
    assert file[3] == pytest.approx(4 / lines)


def test_a_first_metric_at_k_is_refused_where_documents_are_cut_in_several_ways(project: Path) -> None:
    write(project)
    text = (project / "sweep.toml").read_text()
    (project / "sweep.toml").write_text(re.sub(r"metrics = .*", 'metrics = ["ndcg@10", "r@60tokens"]', text))
    said = rankgate("sweep").refused()
    assert "ndcg@10 first, for variants that cut documents in 3 ways" in said
    assert "a first metric at a token budget, such as r@4000tokens" in said
    # The usual way and the one that it is are one.
    usual = re.sub(
        r"chunks = .*", 'cut = {a = {}, b = {chunks = "section"}}', (project / "sweep.toml").read_text()
    )
    (project / "sweep.toml").write_text(usual.replace("chunks=file", "cut=a"))
    assert rankgate("sweep").code == 0
    (project / "sweep.toml").write_text(usual.replace("chunks=file", "cut=a").replace("section", "file"))
    assert "cut documents in 2 ways" in rankgate("sweep").refused()
    write(project)
    text = (project / "sweep.toml").read_text()
    (project / "sweep.toml").write_text(re.sub(r"metrics = .*", 'metrics = ["ndcg@10", "r@60tokens"]', text))
    one_way = re.sub(r"chunks = .*", "words = ['whole', 'stemmed']", (project / "sweep.toml").read_text())
    (project / "sweep.toml").write_text(one_way.replace("chunks=file", "words=whole"))
    assert rankgate("sweep").code == 0


def test_answers_that_end_at_k_before_the_budget_are_told(project: Path) -> None:
    write(project, k=3)
    (project / "sweep.toml").write_text((project / "sweep.toml").read_text().replace("r@3", "r@1"))
    docs = project / "docs"
    for number in range(TOPICS):
        # Every page knows every topic, so that every answer is as long as it may be.
        path = docs / f"page{number:02}.md"
        path.write_text(
            path.read_text() + "## Others\n\n" + " ".join(f"topic{one:02}" for one in range(TOPICS)) + "\n"
        )
    notes = "\n".join(swept()["notes"])
    assert (
        "chunks=section: 24 answers of 3 hits cost less than 2,000 tokens; a larger k may find more" in notes
    )
    runs = [StoredRun.open(path) for path in (project / ".rankgate/sweeps/sweep").glob("*/runs/*")]
    assert max(unspent(run, 2000, 3) for run in runs) == TOPICS
    assert [unspent(run, 1, 3) for run in runs] == [0, 0, 0]
    assert [unspent(run, 2000, 4) for run in runs] == [0, 0, 0]
