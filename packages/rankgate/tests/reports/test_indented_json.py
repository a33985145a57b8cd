"""Indented JSON is that of the standard library, to the byte."""

from __future__ import annotations

import json
import math
from enum import StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.reports.text.indented import indented_json

_SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)
_VALUES = st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.text(), inner, max_size=4)
    ),
    max_leaves=30,
)


class _Colour(StrEnum):
    RED = "red"


@given(_VALUES)
def test_it_is_what_json_writes(value: Any) -> None:
    assert "".join(indented_json(value)) == json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)


def test_a_text_of_an_enum_is_its_value() -> None:
    value = {"a": [_Colour.RED], "b": _Colour.RED}
    assert "".join(indented_json(value)) == json.dumps(value, indent=2)


@pytest.mark.parametrize("value", [math.nan, [math.inf], {"a": [{"b": -math.inf}]}])
def test_what_is_no_number_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match="Out of range float"):
        "".join(indented_json(value))
