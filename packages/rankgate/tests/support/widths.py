"""The widths that pages are looked at: in CI each page at one of them, in `just full` at both."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable

WIDTHS = (390, 1280)


def by_width(names: Iterable[str]) -> list[object]:
    """Return each name with each width; every second pair is long, so that both widths are in CI."""
    return [
        pytest.param(name, width, marks=pytest.mark.long if (number + at) % 2 else ())
        for number, name in enumerate(names)
        for at, width in enumerate(WIDTHS)
    ]
