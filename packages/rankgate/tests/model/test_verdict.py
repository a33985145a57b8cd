"""Verdicts: what a gate says, and what it stands on."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError, asdict

import pytest

from rankgate.model import Answer, Counts, ExitCode, Status, Verdict, canonical_json


def test_a_verdict_is_written_as_words() -> None:
    verdict = Verdict("ndcg@10 >= 0.65", Status.FAILED, 0.61, "0.61 is below 0.65", Counts(9, undefined=1))
    written = json.loads(canonical_json(verdict))
    assert written["gate"] == "ndcg@10 >= 0.65"
    assert (written["status"], written["value"]) == ("failed", 0.61)
    others = {"unreviewed": 0, "errored": 0, "missing": 0, "estimated": 0, "gone": 0}
    assert written["counts"] == {"scored": 9, "undefined": 1, **others}


def test_a_verdict_without_a_value_has_null_and_not_nan() -> None:
    verdict = Verdict("rr >= 0.5", Status.INCONCLUSIVE, None, "3 cases, 5 needed", Counts(3))
    assert asdict(verdict)["value"] is None
    assert '"value":null' in canonical_json(verdict)


def test_a_verdict_does_not_change_after_it_is_made() -> None:
    verdict = Verdict("rr >= 0.5", Status.PASSED, 1.0, "", Counts(3))
    with pytest.raises(FrozenInstanceError):
        verdict.status = Status.FAILED  # type: ignore[misc]


def test_the_words_that_files_hold_are_these() -> None:
    ends = ["passed", "failed", "inconclusive", "not enforced", "refused"]
    assert [status.value for status in Status] == ends
    assert [answer.value for answer in Answer] == ["ok", "error", "timeout", "missing"]


@pytest.mark.parametrize(
    ("codes", "worst"),
    [
        ([0], 0),
        ([0, 4], 4),
        ([4, 1], 1),
        ([1, 3], 3),
        ([3, 2], 2),
        ([0, 1, 2, 3, 4], 2),
        ([2, 70], 70),
        ([], 0),
    ],
)
def test_of_several_exit_codes_the_gravest_wins(codes: list[int], worst: int) -> None:
    assert ExitCode.worst(map(ExitCode, codes)) == worst
