"""A renamed heading or a deleted page is a state of its case: the others are asked, scored and gated."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

import rankgate as rg
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

APP = """
from pathlib import Path


def search(query, k):
    if Path(__file__).with_name("down").exists():
        raise RuntimeError("the index is gone")
    bad = Path(__file__).with_name("bad").exists()
    number = int(query.split()[-1])
    return [] if bad and number < 4 else [{"path": f"page{number}.md", "lines": "3-5"}]
"""
PAGES = 6


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project whose search finds everything, with a baseline."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for number in range(PAGES):
        (tmp_path / "docs" / f"page{number}.md").write_text(
            f"# Page {number}\n\n## Topic{number}\n\nAbout topic {number}.\n"
        )
    cases = "".join(f"  - {{query: topic {n}, at: 'page{n}.md#Topic{n}'}}\n" for n in range(PAGES))
    (tmp_path / "s.yaml").write_text(f"corpus: docs/\ngates: [rr >= 0.8, drop(rr) < 0.05]\ncases:\n{cases}")
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    rankgate("test").printed()
    rankgate("baseline", "set").printed()
    return tmp_path


def rename(project: Path) -> None:
    """Rename the heading of one page."""
    page = project / "docs" / "page0.md"
    page.write_text(page.read_text().replace("## Topic0", "## Renamed"))


def allow(project: Path, number: int) -> None:
    """Let so many targets be gone."""
    with (project / "rankgate.toml").open("a") as file:
        file.write(f"max_gone = {number}\n")


def report(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((project / ".rankgate" / "s" / "app" / "report.json").read_text())
    return found


def counts(project: Path) -> dict[str, dict[str, int]]:
    return {one["gate"]: one["counts"] for one in report(project)["verdicts"]}


def test_the_others_are_judged_and_the_exit_code_is_2(project: Path) -> None:
    rename(project)
    done = rankgate("test")
    said = " ".join(done.out.split())
    assert done.code == 2
    assert "(exit code 2) 1 target is not in the documents page0.md#Topic0 (max_gone allows none)." in said
    assert "update the targets rankgate suite mend s.yaml" in said
    assert "page0.md has no such section" in said
    gates = counts(project)
    assert gates["rr >= 0.8"]["scored"] == PAGES - 1
    assert all(one["gone"] == 1 for one in gates.values())
    assert [one["status"] for one in report(project)["verdicts"]] == ["passed"] * 3
    assert report(project)["gone"]["targets"][0]["target"] == "page0.md#Topic0"


def test_a_failed_gate_is_exit_code_1_and_names_what_is_gone(project: Path) -> None:
    rename(project)
    (project / "bad").touch()
    done = rankgate("test")
    assert done.code == 1
    summary = report(project)["summary"]
    assert summary["headline"] == "1 target is not in the documents"
    assert summary["reason"] == "page0.md#Topic0 (max_gone allows none)."
    lost = next(one for one in report(project)["verdicts"] if one["lost"])
    # A case without any target left is not lost.
    assert {one["query"] for one in lost["lost"]} == {"topic-1", "topic-2", "topic-3"}


def test_an_outage_is_exit_code_3(project: Path) -> None:
    rename(project)
    (project / "down").touch()
    assert rankgate("test").code == 3


def test_within_max_gone_the_verdict_is_as_always(project: Path) -> None:
    allow(project, 1)
    rename(project)
    done = rankgate("test")
    assert done.code == 0, done.out
    assert "1 target is not in the documents: rankgate suite mend" in " ".join(done.out.split())
    (project / "docs" / "page1.md").unlink()
    done = rankgate("test")
    assert done.code == 2, done.out
    assert "page1.md does not exist" in " ".join(done.out.split())


def test_python_raises_for_figures_and_has_the_same_verdict(project: Path) -> None:
    rename(project)
    result = rg.evaluate(rg.load_suite("s.yaml"), "app")
    assert (result.exit_code, result.verdict.gone) == (2, 1)
    with pytest.raises(rg.InputError, match=r"page0\.md#Topic0"):
        result["rr"]
    allow(project, 1)
    assert rg.evaluate(rg.load_suite("s.yaml"), "app")["rr"] == 1.0


def test_pytest_has_the_same_verdict(project: Path) -> None:
    rename(project)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "s.yaml"],
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "s.yaml: rankgate: exit code 2" in done.stdout, done.stdout + done.stderr
    assert done.returncode == 1
    assert "1 failed" in done.stdout
    assert "target gone: page0.md#Topic0, because page0.md has no such section" in done.stdout


def test_every_layout_names_what_is_gone(project: Path) -> None:
    rename(project)
    rankgate("test")
    folder = project / ".rankgate" / "s" / "app"
    for name in ("report.md", "junit.xml", "report.json"):
        assert "page0.md#Topic0" in (folder / name).read_text().replace("\\", ""), name
    assert 'type="gone"' in (folder / "junit.xml").read_text()
