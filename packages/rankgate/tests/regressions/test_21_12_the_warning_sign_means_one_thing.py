"""Issue 21, found 12: the warning sign is for unjudged hits alone; the long form has the screen's order."""

from __future__ import annotations

import re

import pytest

from rankgate.reports.evaluation import terminal
from rankgate.reports.evaluation.formats import laid_out
from support.reported import everything

ORDER = (
    "that broke",
    "Gates",
    "Metrics",
    "What to try next",
    "Compared with",
    "By category",
    "weakest quer",
    "Scenarios",
    "Known misses",
    "Notes",
    "Run details",
)
"""What the first screen says first, and then what it rests on."""


@pytest.mark.parametrize("style", ["terminal", "markdown", "github-comment"])
def test_a_warning_sign_is_about_unjudged_hits(style: str) -> None:
    report = everything()
    text = terminal.render(report, details=True) if style == "terminal" else laid_out(style, [report])
    assert "†" in text
    about = [line for line in text.splitlines() if "⚠" in line]
    assert all(re.search("judge", line) for line in about), about


@pytest.mark.parametrize("style", ["terminal", "markdown"])
def test_the_long_form_goes_from_what_broke_to_the_run(style: str) -> None:
    report = everything()
    text = terminal.render(report, details=True) if style == "terminal" else laid_out(style, [report])
    heads = [line.strip("# ") for line in text.splitlines() if style == "terminal" or line.startswith("## ")]
    first = {name: _first(heads, name) for name in ORDER}
    there = [at for at in first.values() if at is not None]
    assert len(there) >= 8, first
    assert there == sorted(there), first


def _first(heads: list[str], name: str) -> int | None:
    heading = re.compile(rf"(?:\d+ )?(?:query |queries )?{name}")
    return next((at for at, line in enumerate(heads) if heading.match(line)), None)
