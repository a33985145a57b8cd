"""TOML with positions."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from rankgate.errors import FormatError
from rankgate.io.toml import parse_toml
from support.repository import ROOT

TEXT = """\
# a comment with [brackets] and key = 1
suites = ["search.yaml", {file = "a # b.csv", gates = ["one", \'two\',
  "three"]}]
"quoted.key" = 1
[systems.app]   # a comment
command = ["./tool", "{query}"]
a.b . c = { x = 1, y.z = [ [1, 2], {q = 3} ] }
when = 1979-05-27 07:32:00
text = \"\"\"
several "quoted" lines \\\"\"\"
[no.table]
\"\"\"
last = true
[[variants]]
name = 1
[variants.set]
k = 1
[[variants]]
[variants.set]
k = 2
"""


@pytest.mark.parametrize(
    ("path", "place", "key"),
    [
        (("suites",), "2:10", "2:1"),
        (("suites", 0), "2:11", "2:11"),
        (("suites", 1, "file"), "2:34", "2:27"),
        (("suites", 1, "gates", 1), "2:63", "2:63"),
        (("suites", 1, "gates", 2), "3:3", "3:3"),
        (("quoted.key",), "4:16", "4:1"),
        (("systems", "app"), "5:1", "5:10"),
        (("systems", "app", "command", 1), "6:22", "6:22"),
        (("systems", "app", "a", "b", "c", "y", "z", 1, "q"), "7:41", "7:37"),
        (("systems", "app", "last"), "13:8", "13:1"),
        (("variants", 0, "set", "k"), "17:5", "17:1"),
        (("variants", 1, "set", "k"), "20:5", "20:1"),
    ],
)
def test_document_where_returns_line_and_column(path: Any, place: str, key: str) -> None:
    document = parse_toml(TEXT, "x.toml")
    assert document.where(path) == f"x.toml:{place}"
    assert document.where(path, key=True) == f"x.toml:{key}"


def _texts(value: Any, path: tuple[str | int, ...] = ()) -> Any:
    if isinstance(value, str):
        yield path, value
    for step, one in (
        value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    ):
        yield from _texts(one, (*path, step))


@pytest.mark.parametrize(
    "path",
    [ROOT / "pyproject.toml", *sorted((ROOT / "examples").rglob("rankgate.toml"))],
    ids=lambda path: f"{path.parent.name}/{path.name}",
)
def test_document_where_of_every_text_is_a_quote(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    document = parse_toml(text, "x.toml")
    assert document.data == tomllib.loads(text)
    lines = text.split("\n")
    for steps, value in _texts(document.data):
        line, column = map(int, document.where(steps).split(":")[1:])
        rest = lines[line - 1][column - 1 :]
        assert rest[:1] in ('"', "'"), (steps, rest)
        assert rest.strip("\"'").startswith(value.split("\n")[0].split("\\")[0].split('"')[0]), (steps, rest)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = 1\na = 2", "x.toml:2:1: the key `a` occurs twice, first in line 1. Remove one of them."),
        ("[a]\nb = 1\n[a]\nb = 2\nc =", "x.toml:3:2: the key `a` occurs twice, first in line 1."),
        ("a = {b = 1, b = 2}", "x.toml:1:13: the key `b` occurs twice, first in line 1."),
        ("a = yes", "x.toml:1:5: invalid TOML: invalid value. Put text in quotes,"),
        ("a = [1, 2", "x.toml:1:10: invalid TOML: unclosed array. Put a comma between two values,"),
        ("a = 1 b = 2", "x.toml:1:7: invalid TOML: expected newline or end of document after a statement."),
        ("a = " + "[" * 5000, "x.toml:1:5005: invalid TOML: values are nested too deeply."),
    ],
)
def test_parse_toml_invalid_text_names_the_position(text: str, said: str) -> None:
    with pytest.raises(FormatError) as error:
        parse_toml(text, "x.toml")
    (problem,) = error.value.problems
    assert str(problem).startswith(said)
