"""Answers of model judges are objects with a grade and a reason; whatever else comes back is refused."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.io.secrets import hide
from rankgate.judging.models.answer import (
    MOST_ANSWER,
    MOST_REASON,
    ModelAnswer,
    ModelOpinion,
    WrongAnswerError,
    read_answer,
)

GRADES = (0, 1, 2, 3)
HOSTILE = {
    "empty": "",
    "HTML": "<html><body>502 Bad Gateway</body></html>",
    "prose": "I would grade this 2.",
    "a number": "2",
    "a list": "[2]",
    "null": "null",
    "no grade": '{"reason": "good"}',
    "above the scale": '{"grade": 4}',
    "below the scale": '{"grade": -1}',
    "between grades": '{"grade": 1.5}',
    "a string": '{"grade": "2"}',
    "true": '{"grade": true}',
    "null grade": '{"grade": null}',
    "NaN": '{"grade": NaN}',
    "infinity": '{"grade": Infinity}',
    "huge number": '{"grade": 1e999}',
    "many digits": '{"grade": ' + "9" * 5000 + "}",
    "an object": '{"grade": {"grade": 2}}',
    "a reason of another type": '{"grade": 2, "reason": ["good"]}',
    "another key": '{"grade": 2, "confidence": 0.9}',
    "two grades": '{"grade": 0, "grade": 3}',
    "two objects": '{"grade": 2} {"grade": 3}',
    "text around": 'Sure! {"grade": 2}',
    "text around a fence": 'Sure!\n```json\n{"grade": 2}\n```',
    "deep": "[" * 100_000,
    "huge": '{"grade": 2, "reason": "' + "x" * MOST_ANSWER + '"}',
    "escapes": "\x1b[2J\x1b]0;owned\x07 {",
    "turned": '{"grade": "\u202e3"}',
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_what_is_no_answer_is_refused_on_one_printable_line(text: str) -> None:
    with pytest.raises(WrongAnswerError) as caught:
        read_answer(text, GRADES)
    said = str(caught.value)
    assert said.isprintable()
    assert len(said) < 700
    assert ", expected " in said


@given(st.text(max_size=60) | st.recursive(st.none() | st.booleans() | st.floats() | st.text(), st.lists))
def test_nothing_drawn_is_taken_for_a_grade(found: object) -> None:
    with pytest.raises(WrongAnswerError):
        read_answer(found, GRADES)


@pytest.mark.parametrize(
    "found",
    [
        '{"grade": 2, "reason": "names it"}',
        '\n {"reason": "names it", "grade": 2.0}\n',
        '```json\n{"grade": 2,\n "reason": "names it"}\n```',
        '```\n{"grade": 2, "reason": "names it"}\n```\n',
        {"grade": 2, "reason": "names it"},
    ],
)
def test_an_object_is_read_as_json_in_a_fence_or_as_it_is(found: object) -> None:
    assert read_answer(found, GRADES) == ModelAnswer(2, "names it")


def test_a_judge_may_be_unsure_and_need_not_say_why() -> None:
    assert read_answer('{"grade": "unsure"}', GRADES) == ModelAnswer(None, "")


def test_a_reason_is_kept_short_on_one_line_and_without_what_steers_a_terminal() -> None:
    reason = "a\x1b[31mb\u202e\x9b\n\n" + "x" * 50_000
    kept = read_answer(json.dumps({"grade": 1, "reason": reason}), GRADES).reason
    assert kept.startswith("a\\x1b[31mb\\u202e\\x9b xxx")
    assert kept.isprintable()
    assert len(kept) == MOST_REASON


def test_a_secret_that_a_judge_repeats_is_hidden_in_reasons_and_in_errors() -> None:
    hide("s3cr3t-s3cr3t-of-the-model")
    kept = read_answer({"grade": 1, "reason": "key s3cr3t-s3cr3t-of-the-model"}, GRADES)
    assert kept.reason == "key ***"
    padded = "x" * 15 + "s3cr3t-s3cr3t-of-the-model" + "x" * 100
    for wrong in (padded, {"grade": padded}, {"grade": 1, padded: 2}, {"grade": 1, "reason": [padded]}):
        with pytest.raises(WrongAnswerError) as caught:
            read_answer(wrong, GRADES)
        assert "s3cr3t" not in str(caught.value)


@pytest.mark.parametrize(
    ("said", "grade"),
    [
        ([2], 2),
        ([1, 2], 1),
        ([3, 0, 2], 2),
        ([0, 0, 3, 3], 0),
        ([None], None),
        ([2, None], None),
        ([2, 1, None], 1),
        ([None, None, 3], None),
    ],
)
def test_the_median_counts_the_lower_of_two_and_half_unsure_is_unsure(
    said: list[int | None], grade: int | None
) -> None:
    assert ModelOpinion(tuple(map(ModelAnswer, said))).grade == grade


def test_a_reason_says_what_each_repeat_said_where_they_differ() -> None:
    answers = (ModelAnswer(3, "best"), ModelAnswer(1, "named"), ModelAnswer(None), ModelAnswer(1, "again"))
    assert ModelOpinion(answers).reason == "named [repeats: 3, 1, unsure, 1]"
    assert ModelOpinion(answers[1:2] * 2).reason == "named"
