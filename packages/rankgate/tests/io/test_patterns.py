"""Regular expressions that people write are checked where they are read."""

from __future__ import annotations

import pytest

from rankgate.errors import InputError
from rankgate.io.patterns import check_template, compiled_pattern


@pytest.mark.parametrize("pattern", ["(", "a**", r"(?|a|b)", r"\L<words>", r"(?<=a*)b", "(?P<a>x)(?P<a>y)"])
def test_invalid_pattern_raises_with_its_place(pattern: str) -> None:
    with pytest.raises(InputError, match="a regular expression"):
        compiled_pattern(pattern, "map[0].from")


def test_template_with_unknown_group_raises() -> None:
    with pytest.raises(InputError, match="the pattern has 1 groups"):
        check_template(compiled_pattern("(a)", "map[0].from"), r"\2", "map[0].to")
