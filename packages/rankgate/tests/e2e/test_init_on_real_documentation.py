"""`rankgate init` on six documentation trees: lint finds nothing, and the gate holds and can fail."""

from __future__ import annotations

import os
import re
import shutil
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.suites.formats import load_suite
from rankgate.truth.lint import Severity
from support.commands import rankgate
from support.sdists import unpacked

if TYPE_CHECKING:
    from rankgate.model.suite import Suite

SDISTS = {
    "starlette": "starlette-1.0.0",
    "flask": "flask-3.1.3",
    "pytest": "pytest-9.2.0",
    "click": "click-8.5.1",
    "hatch": "hatch-1.18.2",
}
LONG = ("rust-book", "flask", "pytest", "click", "hatch")
TREES = ["starlette", *(pytest.param(name, marks=pytest.mark.long) for name in LONG)]
ASIDE = re.compile(r"release|changelog|changes|announce|history|licen[cs]e|adr/|decisions/|tests?/|blog/")


@pytest.fixture(params=TREES)
def tree(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    if request.param in SDISTS:
        shutil.copytree(unpacked(SDISTS[request.param]), folder)
    else:
        archive = Path(os.environ.get("RANKGATE_SHARED_DATA", "")) / "docs" / "rust-book.tar.gz"
        if "RANKGATE_SHARED_DATA" not in os.environ or not archive.is_file():
            pytest.skip("RANKGATE_SHARED_DATA is not set, or has no Rust book")
        with tarfile.open(archive) as tar:
            tar.extractall(folder, filter="data")
    monkeypatch.chdir(folder)
    rankgate("init").printed()
    return folder


def test_proposals_are_clean_and_once_reviewed_the_gate_holds_and_can_fail(tree: Path) -> None:
    suite = load_suite(tree / "search.yaml")
    paths = [_path(suite, number) for number in range(len(suite.cases))]
    assert 7 <= len(paths) <= 10
    assert max(paths.count(path) for path in paths) <= 2
    assert not [path for path in paths if ASIDE.search(path.lower())]
    linted = rankgate("suite", "lint", "--strict")
    assert linted.code == 0, linted.out
    assert f" {Severity.WARNING.value} " not in linted.out
    not_yet = rankgate("test").printed()
    assert f"0 of {len(paths)} reviewed" in not_yet
    text = (tree / "search.yaml").read_text()
    (tree / "search.yaml").write_text(text.replace("    reviewed: false\n", ""))
    passed = rankgate("test").printed()
    assert passed.startswith("✅ passed")
    pages = list(dict.fromkeys(paths))
    for gone in (pages[:3], pages[-3:]):
        starter = (tree / "starter_search.py").read_text()
        cut = f"SECTIONS = [each for each in sections() if each[0] not in {gone!r}]"
        (tree / "starter_search.py").write_text(starter.replace("SECTIONS = sections()", cut))
        failed = rankgate("test")
        assert failed.code == 1, (gone, failed.out)
        (tree / "starter_search.py").write_text(starter)


def _path(suite: Suite, number: int) -> str:
    (target,) = suite.cases[number].targets
    assert target.location.path is not None
    return target.location.path
