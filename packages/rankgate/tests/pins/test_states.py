"""The files that a test leaves, those that people commit, and the schemas that are published."""

from __future__ import annotations

import json
from contextlib import chdir
from hashlib import sha256
from typing import TYPE_CHECKING

import polars as pl
import pytest

from support.commands import rankgate
from support.repository import ROOT
from support.states import states_project
from support.topics import without_places

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The project of the fixture, with its baseline and without its results."""
    return states_project(tmp_path / "project")


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
            "2da6553c9d145dd70e0c2d93b9bb7a6ca92ec77014f386c6076fc8f9c62352d5",
        ),
        (
            "packages/rankgate/src/rankgate/suites/suite.schema.json",
            "35f1450d81d8d31e180f9f309d264d87347508842f2171a515f960f17b653a3d",
        ),
    ],
)
def test_a_schema_is_the_one_that_was_published(path: str, digest: str) -> None:
    found = next(ROOT.glob(path), None) or next((ROOT / "packages").rglob(path.rpartition("/")[2]))
    assert sha256(found.read_bytes()).hexdigest() == digest
