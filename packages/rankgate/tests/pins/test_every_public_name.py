"""The sample that mypy checks uses every public name, and runs."""

from __future__ import annotations

import re

import pytest

import rankgate as rg
from support import every_public_name as sample
from support.repository import SUPPORT, WRITTEN_BEFORE


def test_the_sample_uses_every_public_name() -> None:
    text = (SUPPORT / "every_public_name.py").read_text(encoding="utf-8")
    assert sorted(set(rg.__all__) - set(re.findall(r"\brg\.(\w+)", text))) == []


def test_the_sample_runs() -> None:
    assert sample.evaluated(["keys"])[0] == 1
    assert sample.one_ranking(["bees", "keys"]) == 0.5
    suite, corpus, outlined = sample.read(WRITTEN_BEFORE)
    assert (len(suite.cases), len(corpus.paths()), "Rotation" in outlined) == (10, 3, True)
    folder = WRITTEN_BEFORE / "results" / "search" / "good"
    assert sample.scored(folder / "judgments", folder / "run")["ndcg@10"] == 1
    assert sample.record("Rotate.").text == "Rotate."
    assert sample.lines()[0] == rg.Lines(1, 3)
    assert issubclass(sample.told("location"), rg.RankgateError)
    with pytest.raises(rg.RetriableError):
        sample.Shelf(sample.ShelfOptions(())).search(rg.Query("busy"))
