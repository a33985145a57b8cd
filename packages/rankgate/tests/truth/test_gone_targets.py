"""Targets that are gone: which misses are, and what becomes of their cases."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import InputError
from rankgate.flow import evaluate
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.suites.formats import load_suite
from rankgate.truth.resolve import resolve

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.model import Suite

PAGE = "# Keys\n\n## Rotation\n\nRotate a key.\n\n## Twice\n\n## Twice\n"


def suite_of(folder: Path, *cases: str) -> tuple[Suite, Corpus]:
    """Write a suite of cases over one page and one file that has no outline."""
    docs = folder / "docs"
    docs.mkdir(exist_ok=True)
    (docs / "keys.md").write_text(PAGE)
    (docs / "data.bin.txt").write_text("nothing with an outline\n")
    lines = "".join(f"  - {case}\n" for case in cases)
    (folder / "s.yaml").write_text(f"corpus: docs/\ncases:\n{lines}")
    return load_suite(folder / "s.yaml"), FolderCorpus.open(docs, root=folder)


def rotation(_query: str, _k: int) -> list[dict[str, str]]:
    """Answer with the one section on rotation."""
    return [{"path": "keys.md", "lines": "3-5"}]


@pytest.mark.parametrize(
    ("target", "why"),
    [
        ("at: gone.md", "gone.md does not exist"),
        ("at: gone.md:3-4", "gone.md does not exist"),
        ("at: 'gone.md#Rotation'", "gone.md does not exist"),
        ("at: keys.md:8-40", "keys.md has 9 lines"),
        ("at: 'keys.md#Revocation'", "keys.md has no such section"),
        ("quote: words that nobody ever wrote down anywhere", "the corpus has no such passage"),
    ],
)
def test_what_the_documents_do_not_have_is_gone(tmp_path: Path, target: str, why: str) -> None:
    suite, corpus = suite_of(tmp_path, f"{{query: rotate, {target}}}")
    truth = resolve(suite, corpus)
    (gone,) = truth.gone
    assert (gone.why, gone.case, gone.counts) == (why, "rotate", True)
    assert gone.where.endswith("s.yaml:3:5")
    assert truth.judgments.gone.to_list() == ["rotate"]


@pytest.mark.parametrize("target", ["at: 'keys.md#Twice'", "at: 'data.bin.txt::name'"])
def test_what_is_written_wrongly_is_refused(tmp_path: Path, target: str) -> None:
    suite, corpus = suite_of(tmp_path, f"{{query: rotate, {target}}}")
    with pytest.raises(InputError):
        resolve(suite, corpus)


def test_a_file_that_is_there_and_was_skipped_is_not_gone(tmp_path: Path) -> None:
    suite, _ = suite_of(tmp_path, "{query: rotate, at: image.md}")
    (tmp_path / "docs" / "image.md").write_bytes(b"\x00\xff\x00binary")
    with pytest.raises(InputError, match="skipped"):
        resolve(suite, FolderCorpus.open(tmp_path / "docs", root=tmp_path))


def test_gone_targets_stay_in_the_ideal_and_whole_cases_are_not_scored(tmp_path: Path) -> None:
    suite, corpus = suite_of(
        tmp_path,
        "{name: half, query: a, at: {'keys.md#Rotation': 1, gone.md: 1}}",
        "{name: none, query: b, at: {gone.md: 1, away.md: 2}}",
        "{name: whole, query: c, at: {'keys.md#Rotation': 1, gone.md: 0}}",
    )
    truth = resolve(suite, corpus)
    run = MemoryRun("app", [Shard.of_rankings({name: ["x"] for name in ("half", "none", "whole")})])
    scores = score(truth.judgments, run, ["r@10", "ndcg@10"], depth=10)
    assert scores.per_query("r@10") == {"half": 0.0, "none": None, "whole": 0.0}
    counts = scores.counts("r@10")
    assert (counts.scored, counts.undefined, counts.gone) == (2, 0, 1)
    # What is judged not relevant is named and counts for nothing.
    assert [one.counts for one in truth.gone] == [True, True, True, False]


def test_recall_cannot_rise_because_a_document_was_deleted(tmp_path: Path) -> None:
    suite, corpus = suite_of(tmp_path, "{name: half, query: a, at: {'keys.md#Rotation': 1, gone.md: 1}}")
    result = evaluate(suite, rotation, metrics=["r@10", "ndcg@10"], gates=[])
    assert corpus.fingerprint == result.judgments.corpus
    assert result.scores["r@10"] == 0.5
    assert result.scores["ndcg@10"] == pytest.approx(1 / (1 + 1 / 1.584962500721156))
    with pytest.raises(InputError, match=r"gone\.md"):
        result["r@10"]


def test_two_alternatives_of_which_one_is_gone_are_one_target(tmp_path: Path) -> None:
    suite, _ = suite_of(tmp_path, "{name: one, query: a, any_of: [['keys.md#Rotation', gone.md]]}")
    result = evaluate(suite, rotation, metrics=["r@10"], gates=[])
    assert result.scores["r@10"] == 1.0
    assert len(result.tested.missing) == 1
