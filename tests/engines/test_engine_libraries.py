from __future__ import annotations

import pytest

from rankgate.errors import InputError
from rankgate.systems.libraries import library


def test_a_library_that_is_missing_is_told_with_how_to_install_it() -> None:
    with pytest.raises(
        InputError, match=r"no_such_engine is not installed.*pip install 'rankgate\[tantivy\]'"
    ):
        library("no_such_engine", "tantivy", "app")
