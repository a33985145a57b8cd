"""What the labels of a file are worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import FormatError
from rankgate.files.problems import Problems
from rankgate.files.tree.json_records import number_of
from rankgate.suites.foreign.grades import Grades, spelt


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_grade_reads_back_as_it_was_spelt(grade: float) -> None:
    assert number_of(spelt(grade)) == grade


@given(st.text())
def test_text_is_a_number_only_if_it_spells_one(text: str) -> None:
    number = number_of(text)
    assert number is None or number == float(text)


@pytest.mark.parametrize("label", ["nan", "inf", "1_0", "", " ", "٣", "1e999", "0x1", True, None, [1]])
def test_what_spells_no_finite_number_is_no_grade(label: object) -> None:
    problems = Problems("a")
    grades = Grades({}, problems)
    assert grades.grade(label) is None
    grades.check()
    with pytest.raises(FormatError, match="--grades"):
        problems.check()


def test_with_a_mapping_a_number_must_be_in_it_too() -> None:
    problems = Problems("a")
    grades = Grades({"3": 1, "bad": -1}, problems)
    assert [grades.grade("3.00"), grades.grade("bad"), grades.grade(2)] == [1, -1, None]
    grades.check()
    with pytest.raises(FormatError, match=r"the labels 2 \(1\), expected labels that --grades names"):
        problems.check()
