"""Tables and records of other tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from rankgate.errors import FormatError
from rankgate.io.problems import Problems
from rankgate.io.tables import read_values


def test_read_values_of_yaml_keeps_numbers_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text('- {version: 1.10, id: 007, ok: true, quoted: "true", none: ~}\n')
    ((value, where),), is_table = read_values(path, Problems(str(path)))
    assert value == [{"version": "1.10", "id": "007", "ok": True, "quoted": "true", "none": None}]
    assert (where, is_table) == (str(path), False)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: &x 1\nb: 2\n", r"a\.yaml:1:4: the anchor &x is not supported"),
        ("a: 1\na: 2\n", r"a\.yaml:2:1: the key `a` occurs twice"),
        ("a: [\n", r"a\.yaml:2:1: invalid YAML"),
    ],
)
def test_read_values_of_invalid_yaml_is_an_error(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text)
    with pytest.raises(FormatError, match=said):
        read_values(path, Problems(str(path)))
