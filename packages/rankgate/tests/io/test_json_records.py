"""JSON Lines and validated dataclasses: valid lines are read, and each invalid one is named."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import pytest

from rankgate.errors import FormatError
from rankgate.io.problems import Problems
from rankgate.io.records import Count, Name, check_version, read_objects, validated, write_objects, written


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


@dataclass(frozen=True, slots=True)
class Inner:
    name: Name
    colour: Colour = Colour.RED
    lines: tuple[Count, Count] | None = None


@dataclass(frozen=True, slots=True)
class Outer:
    inner: tuple[Inner, ...]
    share: float = 0.5
    by: Literal["path", "lines"] = "path"
    tags: str | tuple[str, ...] = ()
    options: Mapping[str, int] = field(default_factory=dict)


WHOLE: dict[str, Any] = {
    "inner": [{"name": "a", "colour": "blue", "lines": [1, 2]}, {"name": "b"}],
    "share": 1,
    "by": "lines",
    "tags": ["x", "y"],
    "options": {"k": 3},
}


def said(found: object) -> list[str]:
    problems = Problems("f")
    validated(found, Outer, "f:2", problems, unknown="refuse")
    return [str(problem) for problem in problems.shown]


def test_validated_data_equals_what_was_written() -> None:
    problems = Problems("f")
    found = validated(WHOLE, Outer, "f", problems)
    assert found == Outer((Inner("a", Colour.BLUE, (1, 2)), Inner("b")), 1.0, "lines", ("x", "y"), {"k": 3})
    assert validated(written(found, Outer), Outer, "f", problems) == found
    assert problems.total == 0


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"inner": None}, "the key `inner` is missing."),
        ({"inner": [{}]}, "the key `name` is missing in `inner[0]`."),
        ({"inner": [{"name": ""}]}, "`inner[0].name` should have at least 1 character, found the text ''."),
        (
            {"inner": [{"name": "a", "colour": "x"}]},
            "`inner[0].colour` should be 'red' or 'blue', found the text 'x'.",
        ),
        ({"inner": [{"name": "a", "lines": [1]}]}, "`inner[0].lines` has too few values."),
        (
            {"inner": [{"name": "a", "lines": [1, -1]}]},
            "`inner[0].lines[1]` should be greater than or equal to 0, found -1.",
        ),
        ({"share": True}, "`share` should be a number, found true."),
        ({"share": "1"}, "`share` should be a number, found the text '1'."),
        ({"by": "words"}, "`by` should be 'path' or 'lines', found the text 'words'."),
        ({"tags": 3}, "`tags` should be a text or a list, found 3."),
        ({"options": {"a": "1"}}, "`options.a` should be a whole number, found the text '1'."),
        ({"options": {"a": 1.5}}, "`options.a` should be a whole number, found 1.5."),
        ({"shar": 1}, "unknown key `shar`. Did you mean `share`?"),
    ],
)
def test_validated_invalid_value_is_one_sentence(changed: dict[str, object], sentence: str) -> None:
    assert said({**WHOLE, **changed}) == [f"f:2: {sentence}"]


def test_validated_reports_all_problems_at_once() -> None:
    wrong = {**WHOLE, "inner": [{"name": 1}, {"name": "b", "colour": 2}], "share": "x"}
    assert [line.split("`")[1] for line in said(wrong)] == ["inner[0].name", "inner[1].colour", "share"]


def test_validated_counts_unknown_keys_and_takes_null_as_missing() -> None:
    problems = Problems("f")
    for _ in range(2):
        assert validated({"inner": [], "share": None, "took": 3}, Outer, "f", problems) == Outer(())
    assert (problems.total, problems.ignored) == (0, {"took": 2})


def test_validated_problem_escapes_control_characters() -> None:
    assert "\x1b" not in "".join(said({**WHOLE, "\x1b[31m": 1, "by": "\x1b[31m"}))


@pytest.mark.parametrize("version", [2, "1", True, None])
def test_check_version_names_both_versions(version: object) -> None:
    with pytest.raises(FormatError, match=r"this rankgate reads version 1\. Write it again\."):
        check_version("f", version, 1, "Write it again.")


@pytest.mark.parametrize(
    "line",
    ["{", "[1]", "3", '{"a": NaN}', '{"a": "\\ud800"}', "[" * 100_000, '{"a": 1e999999}{'],
)
def test_read_objects_invalid_line_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "file.jsonl"
    path.write_text('{"a": 1}\n\n' + line + "\n")
    problems = Problems(str(path))
    assert list(read_objects(path, problems)) == [(f"{path}:1", {"a": 1})]
    with pytest.raises(FormatError, match=":3: found"):
        problems.check()


def test_write_objects_omits_null_fields(tmp_path: Path) -> None:
    write_objects(tmp_path / "file.jsonl", [{"a": None, "b": "é"}])
    assert (tmp_path / "file.jsonl").read_text(encoding="utf-8") == '{"b": "é"}\n'


def test_help_imports_neither_pydantic_nor_polars() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from rankgate.cli.main import cli; "
        "assert CliRunner().invoke(cli, ['--help']).exit_code == 0; "
        "print([one for one in ('pydantic', 'polars', 'yaml') if one in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
