"""Commands that take ``s3://`` where they take a path: the same words, the same figures, and no secret."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.projects import write_project
from support.repository import ROOT
from support.s3_servers import SECRET

if TYPE_CHECKING:
    from support.s3_servers import S3Server

pytestmark = pytest.mark.once
DOCUMENT = ROOT / "docs" / "object-stores.md"
_QRELS = ["--format", "csv", "--per-query", "-m", "rr", "-q", "qrels"]


@pytest.fixture
def place(address: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> str:
    """Write a project, go there, and name a place in the store."""
    monkeypatch.chdir(write_project(tmp_path / "project"))
    return address


def test_a_run_in_a_store_scores_the_same_bytes(place: str) -> None:
    said = rankgate("run", "search.yaml", "-o", f"{place}/app").printed()
    assert f"stored in {place}/app" in said
    rankgate("run", "search.yaml", "-o", "local").printed()
    Path("qrels").write_text("rotate-a-key 0 keys.md#Rotation 1\n")
    remote = rankgate("score", *_QRELS, "-r", f"{place}/app")
    assert (remote.code, remote.out) == (0, rankgate("score", *_QRELS, "-r", "local").out)


def test_parts_are_joined_and_compared_in_a_store(place: str) -> None:
    for part in (1, 2):
        rankgate("run", "search.yaml", "-o", f"{place}/{part}", "--shard", f"{part}/2").printed()
    joined = rankgate("runs", "merge", f"{place}/1", f"{place}/2", "-o", f"{place}/whole").printed()
    assert f"stored in {place}/whole" in joined
    rankgate("run", "search.yaml", "-s", "good", "-o", "other").printed()
    compared = rankgate("compare", f"{place}/whole", "other").printed()
    assert f"{place}/whole → other" in compared
    refused = rankgate("runs", "merge", f"{place}/1", "-o", "half").refused()
    assert "no part 2/2" in refused


def test_a_run_is_resumed_from_a_store_and_not_written_over(place: str) -> None:
    call = ("run", "search.yaml", "-o", f"{place}/app")
    rankgate(*call, "--repeat", "2").printed()
    assert f"{place}/app: found a run" in rankgate(*call).refused()
    assert "asked again" in rankgate(*call, "--resume").printed()
    rankgate(*call, "--replace").printed()


def test_a_system_of_the_configuration_may_be_a_run_in_a_store(place: str) -> None:
    rankgate("run", "search.yaml", "-s", "good", "-o", f"{place}/good").printed()
    with Path("rankgate.toml").open("a") as file:
        file.write(f'[systems.kept]\nrun = "{place}/good"\n')
    assert rankgate("test", "-s", "kept").code == 0
    assert rankgate("baseline", "set", "-s", "good", "--run", f"{place}/good").code == 0
    assert f"{place}/none" in rankgate("compare", f"{place}/none", "good").refused()


def test_scenarios_and_invariants_are_kept_with_a_run_in_a_store(place: str) -> None:
    with Path("search.yaml").open("a") as file:
        file.write(
            "scenarios:\n"
            "  - name: rotation\n"
            "    steps:\n"
            "      - {search: rotate a key, finds: keys.md#Rotation}\n"
            "      - {tree: keys.md, has: [Rotation]}\n"
            "invariants:\n"
            "  - {stable: rotate}\n"
        )
    for folder in ("local", f"{place}/good"):
        rankgate("run", "search.yaml", "-s", "good", "-o", folder).printed()
    configuration = Path("rankgate.toml").read_text()
    told = []
    for folder in ("local", f"{place}/good"):
        Path("rankgate.toml").write_text(f'{configuration}[systems.kept]\nrun = "{folder}"\n')
        done = rankgate("test", "-s", "kept", "-o", "json=kept.json")
        probes = json.loads(Path("kept.json").read_text())["probes"]
        assert (len(probes["scenarios"]), len(probes["invariants"])) == (1, 1)
        told.append((done.code, probes))
    assert told[0] == told[1]


def test_a_run_in_a_folder_imports_nothing_of_stores(place: str) -> None:
    script = (
        "import sys; from rankgate.cli.main import main\n"
        "sys.argv = ['rankgate', 'run', 'search.yaml', '-o', 'local']\n"
        "try: main()\n"
        "except SystemExit as ended: assert ended.code == 0\n"
        "names = {name for name in sys.modules if 'obstore' in name or 'rankgate.files.stores.' in name}\n"
        "known = {'rankgate.files.stores.address', 'rankgate.files.stores.suite_copies'}\n"
        "assert names <= known, names\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True, capture_output=True)


def test_a_baseline_in_a_store_is_held_against_as_one_in_a_file(server: S3Server, place: str) -> None:
    assert rankgate("test", "-s", "good").code == 0
    rankgate("baseline", "set", "-s", "good").printed()
    file = Path("baselines/search.good.jsonl")
    rankings = file.read_bytes()
    rankgate("baseline", "set", "-s", "good", "--store", f"{place}/kept").printed()
    named = json.loads(file.read_text())
    assert (named["baseline"], named["system"]) == (3, "good")
    assert server.folder is not None
    (stored,) = (server.folder / place.rpartition("/")[2] / "kept").iterdir()
    assert named["at"] == f"{place}/kept/{stored.name}"
    assert stored.read_bytes() == rankings
    app = Path("app.py")
    app.write_text(app.read_text().replace("return [place", "return [][:0] or [place[:0] or 'x'"))
    lost = rankgate("test", "-s", "good")
    assert lost.code == 1
    assert "lost" in lost.out
    compared = rankgate("compare", named["at"], "good").printed()
    assert compared == rankgate("compare", "baseline", "good").printed()
    # Another one goes where the last one is, and leaves it alone.
    rankgate("baseline", "set", "-s", "good", "--failed").printed()
    again = json.loads(file.read_text())
    assert again["at"].startswith(f"{place}/kept/")
    assert again["at"] != named["at"]
    assert stored.read_bytes() == rankings


def test_another_baseline_than_the_file_names_is_refused(server: S3Server, place: str) -> None:
    assert rankgate("test", "-s", "good").code == 0
    rankgate("baseline", "set", "-s", "good", "--store", f"{place}/kept").printed()
    assert server.folder is not None
    (stored,) = (server.folder / place.rpartition("/")[2] / "kept").iterdir()
    stored.write_bytes(stored.read_bytes().replace(b"keys", b"KEYS"))
    assert rankgate("test", "-s", "good").code == 2
    assert "another object" in rankgate("baseline", "show", "-s", "good").refused()
    stored.unlink()
    assert "not there" in rankgate("baseline", "show", "-s", "good").refused()


def test_reports_are_written_to_a_store_and_read_from_there(server: S3Server, place: str) -> None:
    called = rankgate(
        *("test", "-s", "app", "-s", "good", "-o", f"json={place}/all.json"),
        *("-o", f"html={place}/{{suite}}-{{system}}.html"),
    )
    assert called.code == 1
    assert server.folder is not None
    folder = server.folder / place.rpartition("/")[2]
    assert sorted(path.name for path in folder.iterdir()) == [
        "all.json",
        "search-app.html",
        "search-good.html",
    ]
    laid_out = rankgate("report", f"{place}/all.json", "--format", "markdown", "-o", f"{place}/all.md")
    assert laid_out.code == 0
    assert (folder / "all.md").read_text() == rankgate(
        "report", f"{place}/all.json", "--format", "markdown"
    ).out


def test_a_report_is_in_the_store_when_nothing_could_be_judged(server: S3Server, place: str) -> None:
    Path("search.yaml").write_text("cases: [")
    assert rankgate("test", "-o", f"json={place}/report.json").code == 2
    assert server.folder is not None
    assert (server.folder / place.rpartition("/")[2] / "report.json").is_file()


def test_the_report_of_a_sweep_is_written_to_a_store(server: S3Server, place: str) -> None:
    Path("sweep.toml").write_text(
        'system = "app"\n[variants.app]\n[variants.good]\nset = { function = "./app.py:good" }\n'
    )
    printed = rankgate("sweep", "--format", "markdown").printed()
    rankgate("sweep", "--format", "markdown", "-o", f"{place}/sweep.md").printed()
    assert server.folder is not None
    assert (server.folder / place.rpartition("/")[2] / "sweep.md").read_text() == printed


def test_what_a_store_refuses_is_said_without_a_secret(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", f"{SECRET}-another")
    said = rankgate("run", "search.yaml", "-o", f"{place}/app").refused()
    assert f"{place}/app" in said
    assert SECRET not in said
    refused = rankgate("run", "search.yaml", "-o", f"s3://me:{SECRET}@bucket/app").refused()
    assert SECRET not in refused


def test_the_document_is_what_happens(server: S3Server, place: str) -> None:
    assert server.folder is not None
    folder = server.folder / place.rpartition("/")[2]
    folder.mkdir()
    (folder / "search.yaml").write_bytes(Path("search.yaml").read_bytes())
    text = DOCUMENT.read_text(encoding="utf-8")
    calls = [line.strip() for line in text.splitlines() if re.match(r"    rankgate ", line)]
    assert len(calls) >= 6
    for call in calls:
        words = shlex.split(call.partition("  #")[0].replace("s3://search-quality", place))
        done = rankgate(*words[1:])
        assert done.code in (0, 1), (call, done.err)
