"""What was read from a format and is written in it again says the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rankgate.suites.formats import ReadOptions, format_named, load_suite
from support.formats import judged

if TYPE_CHECKING:
    from pathlib import Path

FILES: dict[str, tuple[str, str, ReadOptions]] = {
    "cells": ("code/octocode/code.csv", "a.csv", ReadOptions()),
    "ratings": ("code/buildbuddy/ratings.json", "a.json", ReadOptions()),
    "beir": ("beir/scifact", "beir", ReadOptions()),
    "trec": ("trec/qrels/qrels.cacm.txt", "a.qrels", ReadOptions()),
    "quepid": ("relevance/chorus-electronics/Broad_Query_Set_rated.csv", "a.csv", ReadOptions()),
    "judgment_list": ("relevance/esci-sample/esci_us_judgments.json", "a.json", ReadOptions()),
    "rank_eval": ("relevance/esci-sample/esci_us_judgments.json", "a.json", ReadOptions()),
    "expected": ("beir/scifact", "a.json", ReadOptions()),
    "labels": ("beir/scifact", "a.jsonl", ReadOptions()),
}


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_survives_being_written(shared_data: Path, tmp_path: Path, name: str) -> None:
    source, out, reading = FILES[name]
    suite = load_suite(shared_data / source, reading=reading)
    write: Any = format_named(name).write
    write(suite, tmp_path / out)
    again = load_suite(tmp_path / out, name)
    assert judged(again) == judged(suite)
    assert [case.exhaustive for case in again.cases] == [case.exhaustive for case in suite.cases]
    if name not in {"cells", "expected"}:
        assert [case.id for case in again.cases] == [case.id for case in suite.cases]
