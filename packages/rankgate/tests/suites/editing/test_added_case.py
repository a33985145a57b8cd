"""A case is added behind the last one, and nothing else in the file changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import FormatError
from rankgate.suites.asked_suite import is_proposed
from rankgate.suites.edit import append_case
from rankgate.suites.formats import load_suite

if TYPE_CHECKING:
    from pathlib import Path

NEW: dict[str, Any] = {"query": "it's: # odd", "at": "b.md:1-2", "source": "proposed by engine"}
SUITE = """\
# mine
corpus: docs/     # here
cases:
  - query: one    # first
    at: {a.md: 1,
         b.md: 2} # both

  # between
  - query: two
    notes: |
      some
      text
    at: "a.md"    # last

# behind
match:   path
"""


def test_comments_and_layout_stay(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SUITE)
    append_case(path, NEW)
    added = """\
  - query: "it's: # odd"
    at: b.md:1-2
    source: proposed by engine
"""
    head, tail = SUITE.split("\n# behind")
    assert path.read_text() == f"{head}{added}\n# behind{tail}"
    found = load_suite(path).cases
    assert [case.query for case in found] == ["one", "two", "it's: # odd"]
    assert is_proposed(found[2].targets[0])
    assert [file.name for file in tmp_path.iterdir()] == ["s.yaml"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("cases:\n- query: a", "cases:\n- query: a\n- query: b\n"),
        (
            "cases:\n- query: a\n  notes: |\n    x\nk: 3\n",
            "cases:\n- query: a\n  notes: |\n    x\n- query: b\nk: 3\n",
        ),
        ("\ufeffcases:\r\n- query: a\r\n", "\ufeffcases:\r\n- query: a\r\n- query: b\r\n"),
        ("cases: [\n  {query: a}, # x\n]\n", 'cases: [\n  {query: a}, {"query": "b"}, # x\n]\n'),
        ("cases: [{query: a}] # x\n", 'cases: [{query: a}, {"query": "b"}] # x\n'),
        ('{"cases": [{"query": "a"}]}', '{"cases": [{"query": "a"}, {"query": "b"}]}'),
    ],
)
def test_every_layout_is_added_to(tmp_path: Path, before: str, after: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_bytes(before.encode())
    append_case(path, {"query": "b"})
    assert path.read_bytes().decode() == after


def test_a_bad_case_leaves_the_file_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(SUITE)
    with pytest.raises(FormatError) as caught:
        append_case(path, {"query": "x", "at": "/etc/passwd"})
    assert str(caught.value).replace(str(tmp_path), "T") == (
        "case for T/s.yaml: the location `/etc/passwd` is invalid: a path outside the corpus. "
        "Expected a relative path without `..`."
    )
    assert path.read_text() == SUITE
