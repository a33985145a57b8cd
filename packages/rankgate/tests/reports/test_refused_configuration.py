"""What is wrong with a configuration or an environment is not laid at the door of the suite."""

from __future__ import annotations

import pytest

from rankgate.errors import Code, InputError
from rankgate.reports.evaluation.refused import refused_report

SUITE = "Nothing was judged or compared with a baseline."


@pytest.mark.parametrize(
    ("code", "whose"),
    [
        (Code.VARIABLE_NOT_SET, "The configuration or the environment is wrong, not the suite: "),
        (Code.MISSING_EXTRA, "The configuration or the environment is wrong, not the suite: "),
        (Code.TARGET_NOT_FOUND, ""),
        (Code.WRONG_GATE, ""),
    ],
)
def test_the_reason_says_whether_the_suite_is_meant(code: Code, whose: str) -> None:
    error = InputError(code("rankgate.toml", "${TOKEN}, which is not set", "a value", "set it"))
    said = refused_report("search", "api", error, "search.yaml").summary
    assert said.reason == (whose + SUITE[0].lower() + SUITE[1:] if whose else SUITE)
    assert said.headline.startswith("rankgate.toml: found ${TOKEN}")
