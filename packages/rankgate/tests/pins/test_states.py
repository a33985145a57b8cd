"""What people and machines read in each state of a verdict, to the byte, and the files that a test leaves.

Pinned so that moving code cannot change it unnoticed. Only what differs between two runs is replaced: time,
Python and version.
"""

from __future__ import annotations

import json
import re
import shutil
from contextlib import chdir
from hashlib import sha256
from typing import TYPE_CHECKING

import polars as pl
import pytest

from support.commands import rankgate
from support.repository import ROOT, WRITTEN_BEFORE
from support.topics import without_places

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

STATES: dict[str, tuple[int, tuple[str, ...]]] = {
    "passed": (0, ("search.yaml",)),
    "failed": (1, ("search.yaml", "--system", "poor")),
    "suite_error": (2, ("wrong.yaml",)),
    "system_error": (3, ("search.yaml", "--system", "broken")),
    "inconclusive": (4, ("undecided.yaml",)),
    "not_enforced": (0, ("search.yaml", "--system", "reported")),
    "no_gates": (0, ("measured.yaml",)),
}
VARYING = [
    (r"(?m)^(rankgate|Python|time)( +).*$", r"\1\2…"),
    (r"(?m) · rankgate \S+ ·\s\S+$", " · rankgate … · …"),
    (r"(?m)^- (rankgate|Python|time): .*$", r"- \1: …"),
]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project of the fixture, with its baseline and without its results."""
    folder = shutil.copytree(WRITTEN_BEFORE, tmp_path / "project", ignore=shutil.ignore_patterns("results"))
    settings = folder / "rankgate.toml"
    reported = '\n[systems.reported]\nfunction = "./app.py:poor"\ngate = false\n'
    settings.write_text(settings.read_text(encoding="utf-8") + reported, encoding="utf-8")
    case = "cases:\n  - {query: revoke once, at: keys.md#Revocation}\n"
    (folder / "measured.yaml").write_text(f"corpus: docs/\n{case}", encoding="utf-8")
    return folder


def settled(text: str) -> str:
    """Replace what differs between two runs."""
    for pattern, constant in VARYING:
        text = re.sub(pattern, constant, text)
    return text


@pytest.mark.parametrize("state", STATES)
def test_a_state_is_told_as_before(
    state: str, project: Path, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RANKGATE_DETAILS")
    code, arguments = STATES[state]
    with chdir(project):
        done = rankgate("test", *arguments, "-o", "markdown=told.md", "-o", "github-comment=comment.md")
    assert done.code == code
    golden(f"pins/{state}_terminal", settled(done.out + done.err))
    page = project / "told.md"
    golden(f"pins/{state}_markdown", settled(page.read_text(encoding="utf-8")) if page.exists() else "none\n")
    golden(f"pins/{state}_comment", settled((project / "comment.md").read_text(encoding="utf-8")))


def test_a_crash_is_told_in_the_comment(
    project: Path, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankgate.gates.scored.run_checks", None)
    with chdir(project):
        done = rankgate("test", "search.yaml", "-o", "markdown=told.md", "-o", "github-comment=comment.md")
    assert done.code == 70
    golden("pins/internal_error_markdown", settled((project / "told.md").read_text(encoding="utf-8")))
    golden("pins/internal_error_comment", settled((project / "comment.md").read_text(encoding="utf-8")))


def test_a_test_leaves_these_files(project: Path, golden: Callable[[str, str], None]) -> None:
    with chdir(project):
        rankgate("test", "search.yaml")
    folder = project / ".rankgate"
    lines = []
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            lines.append(path.relative_to(folder).as_posix())
            if path.suffix == ".parquet":
                lines += [f"    {name}: {kind}" for name, kind in pl.read_parquet_schema(path).items()]
            elif path.suffix == ".json":
                lines.append("    " + " ".join(json.loads(path.read_text(encoding="utf-8"))))
            elif path.suffix == ".jsonl":
                lines.append("    " + " ".join(json.loads(path.read_text(encoding="utf-8").splitlines()[0])))
    golden("pins/files_of_a_test", "\n".join(lines) + "\n")


def test_the_rankings_of_a_baseline_are_written_as_before(project: Path) -> None:
    file = project / "baselines" / "search.good.jsonl"
    before = file.read_text()
    file.unlink()
    with chdir(project):
        rankgate("test", "search.yaml")
        assert rankgate("baseline", "set").code == 0
    assert json.loads(file.read_text().splitlines()[0])["baseline"] == 2
    without_places(file)
    assert [json.loads(line) for line in file.read_text().splitlines()] == [
        json.loads(line) for line in before.splitlines()
    ]


def test_the_anchors_are_written_as_before(project: Path) -> None:
    before = (project / "search.anchors.json").read_bytes()
    (project / "search.anchors.json").unlink()
    with chdir(project):
        assert rankgate("suite", "anchor").code == 0
    assert (project / "search.anchors.json").read_bytes() == before


@pytest.mark.parametrize(
    ("path", "digest"),
    [
        (
            "docs/schemas/report.schema.json",
            "10df39f64707013c2061751053739902cb6d5005304c3e22cc5c0cbca259af8a",
        ),
        (
            "packages/rankgate/src/rankgate/suites/suite.schema.json",
            "ddfd6dd62d86bca85bc271b6c0d50932f8b553bd2d9fd6a886295f1301c930b2",
        ),
    ],
)
def test_a_schema_is_the_one_that_was_published(path: str, digest: str) -> None:
    found = next(ROOT.glob(path), None) or next((ROOT / "packages").rglob(path.rpartition("/")[2]))
    assert sha256(found.read_bytes()).hexdigest() == digest
