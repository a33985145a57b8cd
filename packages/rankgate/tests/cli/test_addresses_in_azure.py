"""The same commands with ``az://``, on Azurite: runs, parts, what goes on after a stop, baselines."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.azure_server import azurite_server
from support.commands import rankgate
from support.projects import write_project

if TYPE_CHECKING:
    from collections.abc import Iterator

    from support.azure_server import AzureServer

pytestmark = [pytest.mark.once, pytest.mark.long]
_QRELS = ["--format", "csv", "--per-query", "-m", "rr", "-q", "qrels"]


@pytest.fixture(scope="module")
def server() -> Iterator[AzureServer]:
    with azurite_server() as running:
        yield running


@pytest.fixture
def place(address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Write a project, go there, and name a place in the store."""
    monkeypatch.chdir(write_project(tmp_path / "project"))
    assert address.startswith("az://")
    return address


def test_a_run_in_parts_scores_the_same_bytes_as_a_folder(place: str) -> None:
    for part in (1, 2):
        rankgate("run", "search.yaml", "-o", f"{place}/{part}", "--shard", f"{part}/2").printed()
    rankgate("runs", "merge", f"{place}/1", f"{place}/2", "-o", f"{place}/whole").printed()
    rankgate("run", "search.yaml", "-o", "local").printed()
    Path("qrels").write_text("rotate-a-key 0 keys.md#Rotation 1\n")
    remote = rankgate("score", *_QRELS, "-r", f"{place}/whole")
    assert (remote.code, remote.out) == (0, rankgate("score", *_QRELS, "-r", "local").out)


def test_a_run_is_resumed_and_not_written_over(place: str) -> None:
    call = ("run", "search.yaml", "-o", f"{place}/app")
    rankgate(*call, "--repeat", "2").printed()
    assert f"{place}/app: found a run" in rankgate(*call).refused()
    assert "asked again" in rankgate(*call, "--resume").printed()
    rankgate(*call, "--replace").printed()


def test_a_baseline_is_held_against_as_one_in_a_file(server: AzureServer, place: str) -> None:
    assert rankgate("test", "-s", "good").code == 0
    rankgate("baseline", "set", "-s", "good", "--store", f"{place}/kept").printed()
    app = Path("app.py")
    app.write_text(app.read_text().replace("return [place", "return [][:0] or [place[:0] or 'x'"))
    lost = rankgate("test", "-s", "good")
    assert (lost.code, "lost" in lost.out) == (1, True)
    written = [path.read_bytes() for path in Path().rglob("*") if path.is_file()]
    assert not any(server.secret.encode() in data for data in written)
