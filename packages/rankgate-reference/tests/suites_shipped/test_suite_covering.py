"""What the table of suites/RESULTS.md counts: hits only below a target, and comments above symbols."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.corpora.folder import FolderCorpus
from suite_covering import Covered, covered

if TYPE_CHECKING:
    from pathlib import Path

PAGE = "# Keys\n\nAll.\n\n## Rotation\n\nEvery 90 days.\n\n### Steps\n\nOne.\n"
CODE = "# Adds.\ndef put():\n    pass\n\n\n# Takes.\ndef get():\n    pass\n"


@pytest.fixture
def corpus(tmp_path: Path) -> FolderCorpus:
    (tmp_path / "keys.md").write_text(PAGE, encoding="utf-8")
    (tmp_path / "store.py").write_text(CODE, encoding="utf-8")
    return FolderCorpus.open(tmp_path, root=tmp_path)


def counted(corpus: FolderCorpus, target: tuple[str, int, int, str], *hits: tuple[str, int, int]) -> Covered:
    targets = pl.DataFrame([("q", *target)], ["query", "path", "start", "end", "strategy"], orient="row")
    rows = [("q", rank, *hit) for rank, hit in enumerate(hits, 1)]
    return covered(
        corpus, targets, pl.DataFrame(rows, ["query", "rank", "path", "start", "end"], orient="row"), ["q"]
    )


def test_a_hit_is_only_below_where_it_leaves_the_own_text_out(corpus: FolderCorpus) -> None:
    target = ("keys.md", 5, 11, "heading")
    found = counted(
        corpus, target, ("keys.md", 5, 8), ("keys.md", 7, 9), ("keys.md", 9, 11), ("keys.md", 11, 11)
    )
    assert (found.judged, found.below, found.of_one_line) == (4, 2, 1)
    lines = counted(corpus, ("keys.md", 5, 11, "lines"), ("keys.md", 9, 11))
    assert (lines.judged, lines.below) == (1, 0)


def test_comments_are_counted_where_they_are_all_of_an_unjudged_hit(corpus: FolderCorpus) -> None:
    # Without its comment, as symbols were before: lines 2 and 3 alone.
    target = ("store.py", 2, 3, "symbol")
    found = counted(corpus, target, ("store.py", 1, 1), ("store.py", 4, 6), ("store.py", 6, 8))
    assert (found.judged, found.comments, found.comments_of_targets) == (0, 2, 1)
