"""Operations of Jira's API from 2022 to 2025: what was removed is gone, the rest is told by its text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rankgate.corpora.openapi import read_openapi
from rankgate.model import Location
from rankgate.truth.drift.documents import DriftStatus
from rankgate.truth.drift.find import find_drift
from support.memory_corpus import suite_of

if TYPE_CHECKING:
    from pathlib import Path


def test_removed_operations_are_gone_and_the_others_are_told_by_their_text(shared_data: Path) -> None:
    files = [shared_data / "openapi" / f"jira-platform-{year}.jsonl" for year in (2022, 2025)]
    ids = [[json.loads(line)["operationId"] for line in file.read_text().splitlines()] for file in files]
    old, new = (read_openapi(file, file.name) for file in files)
    assert set(ids[0]) == set(old.paths())
    drift = find_drift(suite_of(*(Location.of_id(name) for name in ids[0])), old, new)
    found = {str(each.location): each.drift for each in drift.locations}
    gone = {name for name, drift in found.items() if drift.status is DriftStatus.GONE}
    assert gone == set(ids[0]) - set(ids[1])
    assert {name for name, drift in found.items() if drift.status is DriftStatus.UNCHANGED} == {
        name for name in set(ids[0]) & set(ids[1]) if old.text(name) == new.text(name)
    }
    assert drift.moves == {}
    assert {status.value: count for status, count in drift.counts.items() if count} == {
        "unchanged": 361,
        "edited": 104,
        "gone": 3,
    }
    assert all(not drift.stands for name, drift in found.items() if name in gone)
