"""JSON lines: good lines are read, bad ones are named."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import FormatError
from rankgate.io.objects import read_objects, write_objects
from rankgate.io.problems import Problems

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "line",
    ["{", "[1]", "3", '{"a": NaN}', '{"a": "\\ud800"}', "[" * 100_000, '{"a": 1e999999}{'],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"a": 1}\n\n' + line + "\n")
    problems = Problems(str(path))
    assert list(read_objects(path, problems)) == [(f"{path}:1", {"a": 1})]
    with pytest.raises(FormatError, match=":3: found"):
        problems.check()


def test_empty_fields_are_left_out(tmp_path: Path) -> None:
    write_objects(tmp_path / "file.jsonl", [{"a": None, "b": "é"}])
    assert (tmp_path / "file.jsonl").read_text(encoding="utf-8") == '{"b": "é"}\n'
