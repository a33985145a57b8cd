"""Libraries that are not installed, or do not load."""

from __future__ import annotations

import pytest

from rankgate.errors import InputError
from rankgate.systems.registry import SystemKind


def test_a_library_that_is_missing_is_told_with_how_to_install_it() -> None:
    kind = SystemKind(library="no_such_engine", extra="tantivy")
    with pytest.raises(
        InputError, match=r"no_such_engine is not installed.*pip install 'rankgate\[tantivy\]'"
    ):
        kind.load("app")
