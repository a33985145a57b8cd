"""Python: every definition, with its decorators and its qualified name."""

from __future__ import annotations

import pytest

from rankgate.errors import FormatError
from rankgate.outline import outline

SOURCE = '''import os

@decorated(
    1,
)
class Store:
    """A store."""

    @property
    def size(self) -> int:
        def inner() -> int:
            return 1
        return inner()

    async def rotate(self) -> None:
        pattern = "\\d"


if os.name:
    def f() -> None: ...
else:
    def f() -> None: ...
'''


def test_definitions_have_names_kinds_and_lines() -> None:
    nodes = outline("store.py", SOURCE)
    assert nodes is not None
    assert [(node.kind, node.qualified, node.start, node.end) for node in nodes] == [
        ("document", "", 1, 22),
        ("class", "Store", 3, 16),
        ("method", "Store.size", 9, 13),
        ("function", "Store.size.inner", 11, 12),
        ("method", "Store.rotate", 15, 16),
        ("function", "f", 20, 20),
        ("function", "f", 22, 22),
    ]


def test_a_syntax_error_is_told_with_its_line() -> None:
    with pytest.raises(FormatError) as caught:
        outline("bad.py", "x = 1\ndef (:\n")
    assert str(caught.value) == (
        "bad.py:2: found a syntax error (invalid syntax), expected Python; "
        "name lines instead of a symbol, path:10-50"
    )


@pytest.mark.parametrize("text", ["x = '\0'", "(" * 10_000, "-" * 100_000 + "1"])
def test_hostile_files_are_refused(text: str) -> None:
    with pytest.raises(FormatError):
        outline("bad.py", text)
