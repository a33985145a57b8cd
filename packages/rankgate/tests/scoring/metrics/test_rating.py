"""Rating: the mean grade of judged hits."""

from __future__ import annotations

import pytest

from rankgate.errors import InputError
from rankgate.scoring.evaluate import score
from rankgate.scoring.expressions import parse
from support.builders import graded, run_of, scored


def test_rating_is_the_mean_grade_of_judged_hits() -> None:
    judged = graded({"a": 3, "b": 1, "c": 0, "d": -1})
    hits = ["c", "a", "x", "b", "d"]
    names = ("rating@1", "rating@2", "rating@3", "rating@4", "rating@5", "rating(max=3)@4")
    assert scored(judged, hits, *names) == pytest.approx([0, 1.5, 1.5, 4 / 3, 1, 4 / 3])
    assert scored(judged, [], "rating@3") == scored(judged, ["x"], "rating@3") == [0]
    assert scored(judged, ["a", "a"], "rating@2") == [1.5]  # a location that comes again gains nothing
    assert scored(graded({"a": 3}, exhaustive=True), ["a", "x"], "rating@2") == [1.5]
    assert scored(graded({"c": 0}), ["c"], "rating@2") == [None]
    scores = score(judged, run_of({"q": hits}), ["rating@3"])
    assert list(scores.columns) == ["rating@3", "judged@3"]
    assert scores["judged@3"] == pytest.approx(2 / 3)
    assert str(parse("rating@3").range) == "0 or more"
    assert str(parse("rating(max=3)@3").range) == "0 to 3"
    with pytest.raises(InputError, match="a grade of 3"):
        scored(judged, hits, "rating(max=2)@3")
