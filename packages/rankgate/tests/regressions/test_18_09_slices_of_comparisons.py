"""The worst slice is looked at in comparisons too, and one case in a slice of its own leaves nothing open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.topics import lose, topics_project

if TYPE_CHECKING:
    from pathlib import Path

MANY = 30


def kept(project: Path, gate: str) -> None:
    """Keep a baseline of a project in which six cases are exact, one is odd, and the others are vague."""
    topics_project(project, MANY, f"'{gate}', 'lost(10 -> absent@10) <= 100%'")
    text = (project / "search.yaml").read_text()
    for at in range(MANY):
        category = "exact" if at < 6 else "odd" if at == 6 else "vague"
        text = text.replace(f"at: topic{at:03}.md", f"at: topic{at:03}.md, category: {category}")
    (project / "search.yaml").write_text(text)
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()
    assert rankgate("test").code == 0


@pytest.mark.parametrize("gate", ["drop(ndcg@10) < 0.3", "lost(10 -> absent@10) <= 30%"])
def test_a_loss_that_all_queries_hide_fails_in_its_slice(
    gate: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    kept(tmp_path, f"worst(category) {gate}")
    lose(tmp_path, *(f"topic{at:03}.md" for at in range(6)))
    done = rankgate("test")
    assert done.code == 1
    assert "in category = exact" in done.out
