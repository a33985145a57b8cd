"""The reference system finds the files that semble's queries want, in repositories it was not tuned on."""

from __future__ import annotations

from statistics import fmean
from typing import TYPE_CHECKING, Any

import pytest

from reference_support.semble_queries import SIX, measure
from support.sdists import unpacked

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.once


@pytest.mark.parametrize(
    ("mode", "least"), [("lexical", 0.80), pytest.param("hybrid", 0.85, marks=pytest.mark.long)]
)
def test_the_files_that_queries_want_are_found(
    shared_data: Path, mode: str, least: float, record_property: Any
) -> None:
    folder = shared_data / "code" / "semble"
    scores = {
        name: measure(name, unpacked(f"{name}-{version}"), folder, {"mode": mode})
        for name, version in SIX.items()
    }
    assert sum(map(len, scores.values())) == 122
    mean = fmean(fmean(found.values()) for found in scores.values())
    record_property("figures", f"{mode}: nDCG@10 of files {mean:.3f}, the mean of six repositories")
    assert mean >= least
