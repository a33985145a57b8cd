"""Python: every definition, with its decorators and its qualified name."""

from __future__ import annotations

import sys

import pytest

from rankgate.errors import FormatError
from rankgate.outline import read_outline

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
    nodes = read_outline("store.py", SOURCE)
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
        read_outline("bad.py", "x = 1\ndef (:\n")
    assert str(caught.value) == (
        "bad.py:2: found a syntax error (invalid syntax), expected Python; "
        "name lines instead of a symbol, path:10-50"
    )


@pytest.mark.parametrize("text", ["x = '\0'", "(" * 10_000, "-" * 100_000 + "1"])
def test_hostile_files_are_refused(text: str) -> None:
    with pytest.raises(FormatError):
        read_outline("bad.py", text)


PYTHON_2 = "class Store:\n    def put(self, key):\n        print key\n        # remark\n\ndef f(): pass\n"


def test_what_this_python_refuses_is_read_by_tree_sitter() -> None:
    pytest.importorskip("tree_sitter_python", reason="the extra `code` is not installed")
    nodes = read_outline("old.py", PYTHON_2)
    assert nodes is not None
    assert [(node.kind, node.qualified, node.start, node.end, node.parent) for node in nodes] == [
        ("document", "", 1, 6, None),
        ("class", "Store", 1, 3, 0),
        ("method", "Store.put", 2, 3, 1),
        ("function", "f", 6, 6, 0),
    ]


def test_without_the_extra_the_syntax_error_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tree_sitter_python", None)
    with pytest.raises(FormatError, match=r"old\.py:3: found a syntax error"):
        read_outline("old.py", PYTHON_2)
