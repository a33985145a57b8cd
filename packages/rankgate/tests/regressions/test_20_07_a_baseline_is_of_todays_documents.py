"""`baseline set` takes no run over other documents than today's, and none that failed without --failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project that was tested."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n\nRotate a key.\n")
    (tmp_path / "s.yaml").write_text(
        "corpus: docs/\ngates: [rr >= 0.5]\ncases:\n  - {query: rotate, at: 'keys.md#Rotation'}\n"
    )
    (tmp_path / "app.py").write_text(
        "def search(query, k):\n    return [{'path': 'keys.md', 'lines': '3-5'}]\n"
    )
    (tmp_path / "rankgate.toml").write_text(
        'suites = ["s.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'
    )
    rankgate("test").printed()
    return tmp_path


def test_a_run_over_the_documents_of_before_is_refused(project: Path) -> None:
    (project / "docs" / "keys.md").write_text("# Keys\n\nNew.\n\n## Rotation\n\nRotate a key.\n")
    done = rankgate("baseline", "set")
    assert done.code == 2
    assert "corpus" in done.err
    assert "test" in done.err
    assert not (project / "baselines").exists()
    rankgate("test")
    rankgate("baseline", "set").printed()


def test_a_test_with_gone_targets_is_kept_only_on_demand(project: Path) -> None:
    (project / "docs" / "keys.md").write_text("# Keys\n\n## Renewal\n\nRotate a key.\n")
    assert rankgate("test").code == 2
    done = rankgate("baseline", "set")
    assert done.code == 2
    assert "targets are gone from the documents" in " ".join(done.err.split())
    rankgate("baseline", "set", "--failed").printed()
