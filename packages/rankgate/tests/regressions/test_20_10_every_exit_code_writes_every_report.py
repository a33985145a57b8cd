"""No green report of an earlier test stays, whatever a test ends with."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

FORMATS = ("json", "markdown", "junit", "html", "github-comment")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project in which a suite in a folder passes, and all of its reports."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "suites").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n\nRotate a key.\n")
    (tmp_path / "suites" / "s.yaml").write_text(
        "corpus: ../docs/\ngates: [rr >= 0.5]\ncases:\n  - {query: rotate, at: 'keys.md#Rotation'}\n"
    )
    (tmp_path / "app.py").write_text(
        "def search(query, k):\n    return [{'path': 'keys.md', 'lines': '3-5'}]\n"
    )
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["suites/s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    assert exit_code() == 0
    return tmp_path


def exit_code() -> int | str | None:
    options = [f"--report={style}=out/report-{style}" for style in FORMATS]
    return rankgate("test", *options, "--report=html=out/{suite}-{system}.html").code


def wrong_suite(project: Path) -> None:
    suite = project / "suites" / "s.yaml"
    suite.write_text(suite.read_text() + "  - {query: 3, at: [}\n")


def wrong_gate(project: Path) -> None:
    suite = project / "suites" / "s.yaml"
    suite.write_text(suite.read_text().replace("rr >= 0.5", "rr >= 0.5 where category = none"))


def gone(project: Path) -> None:
    (project / "docs" / "keys.md").write_text("# Keys\n")


def no_documents(project: Path) -> None:
    (project / "docs" / "keys.md").unlink()
    (project / "docs").rmdir()


def failed(project: Path) -> None:
    (project / "app.py").write_text("def search(query, k):\n    return []\n")


def down(project: Path) -> None:
    (project / "app.py").write_text("def search(query, k):\n    raise RuntimeError('down')\n")


SIGNS = {1: "❌", 2: "⛔", 3: "🔌"}


@pytest.mark.parametrize(
    ("change", "code"),
    [(wrong_suite, 2), (wrong_gate, 2), (gone, 2), (no_documents, 2), (failed, 1), (down, 3)],
)
def test_every_report_is_replaced(
    project: Path, change: Callable[[Path], None], code: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = project / ".rankgate"
    before = {path: path.read_bytes() for path in [*(project / "out").iterdir(), *kept.glob("*/*/report*")]}
    assert len(before) == len(FORMATS) + 1 + 3
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project / "summary.md"))
    change(project)
    assert exit_code() == code
    stale = [path.name for path, content in before.items() if path.read_bytes() == content]
    assert stale == []
    assert {path.name for path in (project / "out").iterdir()} == {
        path.name for path in before if path.parent.name == "out"
    }
    for file in (project / "out" / "report-json", *kept.glob("*/*/report.json")):
        assert json.loads(file.read_text())["exit_code"] == code, file
    for file in kept.glob("*/*/verdicts.json"):
        assert json.loads(file.read_text())["exit_code"] == code, file
    assert (project / "summary.md").read_text().startswith(f"### {SIGNS[code]} ")
