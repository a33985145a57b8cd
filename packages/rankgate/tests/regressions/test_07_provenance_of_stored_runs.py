"""A stored run shows when, at which commit, by which version, over which corpus and how deep it was asked."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from support.commands import rankgate

SUITE = "corpus: docs/\nmetrics: [rr]\ncases:\n  - query: rotate keys\n    at: keys.md#Rotation\n"
APP = 'def search(query, k):\n    return ["keys.md:3-4"]\n'
THEN = "2024-05-06T07:08:09+00:00"


def git(*words: str) -> str:
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    return subprocess.run(["git", *who, *words], check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture(autouse=True)
def commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Make a run at one commit, long ago, and go on to another; the commit of the run is given."""
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/keys.md").write_text("# Keys\n\n## Rotation\nEvery 90 days.\n")
    Path("search.yaml").write_text(SUITE)
    Path("app.py").write_text(APP)
    Path(".gitignore").write_text("out/\n.rankgate/\n__pycache__/\n")
    Path("rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
        '[systems.stored]\nrun = "out"\n'
    )
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "one")
    rankgate("run", "search.yaml", "-s", "app", "-o", "out").printed()
    path = Path("out/manifest.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "finished": THEN, "version": "2.1"}))
    made = git("rev-parse", "HEAD")
    Path("more.txt").write_text("later")
    git("add", ".")
    git("commit", "-qm", "two")
    return made


def corpus() -> str:
    return str(json.loads(Path("out/manifest.json").read_text())["corpus"])[:12]


def test_a_manifest_keeps_the_commit_of_its_project(commit: str) -> None:
    manifest = json.loads(Path("out/manifest.json").read_text())
    assert (manifest["commit"], manifest["changed"]) == (commit, False)


@pytest.mark.parametrize("style", ["terminal", "markdown", "json", "junit"])
def test_every_report_shows_what_the_run_says_of_itself(commit: str, style: str) -> None:
    out = rankgate("test", "-s", "stored").printed()
    if style != "terminal":
        rankgate("test", "-s", "stored", "-o", f"{style}=told").printed()
        out = Path("told").read_text()
    for fact in (THEN, commit[:10], corpus(), "2.1", "scored"):
        assert fact in out, fact
    assert git("rev-parse", "HEAD")[:10] not in out


def test_compare_says_what_it_compares(commit: str) -> None:
    rankgate("test", "-s", "app").printed()
    told = " ".join(rankgate("compare", "out", "app").printed().split())
    assert f"out: version 2.1, asked {THEN}, commit {commit[:10]}, corpus {corpus()}, k 10" in told
