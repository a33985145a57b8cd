"""Pieces of documents: nothing lost, nothing twice, each where it says."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from importlib.metadata import requires
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.chunks.chunking import Chunking, read_chunking
from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import InputError
from rankgate.locations import Lines
from rankgate.model import Document
from rankgate.outline import OUTLINE_LIBRARIES
from support.sdists import unpacked
from support.timing import growth

if TYPE_CHECKING:
    from collections.abc import Sequence

MARKDOWN_LINES = st.lists(
    st.sampled_from(["# One", "## Two", "### Three", "#### Four", "words", "", "```", "---", "- item"]),
    max_size=40,
)
PYTHON_PARTS = st.lists(
    st.sampled_from(
        [
            "import os\n",
            "X = 1\n",
            "\n",
            "def f():\n    return 1\n",
            "@wrap\ndef g():\n    def h():\n        pass\n",
            "class A:\n    y = 1\n\n    def m(self):\n        pass\n\n    z = 2\n",
            '"""Words."""\n',
            "    \n",
        ]
    ),
    max_size=12,
)


def check_cover(document: Document, pieces: Sequence[Document]) -> None:
    """Every line that holds anything is in one piece, and every piece is the lines that it names."""
    lines = document.text.split("\n")
    seen: list[int] = []
    for one in pieces:
        if one.id == document.id:
            whole = Lines(1, max(1, len(lines) - document.text.endswith("\n")))
            assert list(pieces) == [replace(document, title=str(document.path), lines=whole)]
            return
        assert one.lines is not None
        assert one.path == document.path
        assert one.id == f"{document.id}:{one.lines}"
        assert one.text == "\n".join(lines[one.lines.start - 1 : one.lines.end])
        seen += range(one.lines.start, one.lines.end + 1)
    assert seen == sorted(set(seen)), "in order, and none twice"
    assert {number for number, line in enumerate(lines, 1) if line.strip()} <= set(seen)


@given(MARKDOWN_LINES)
def test_sections_of_any_document_cover_it_once(lines: list[str]) -> None:
    document = Document("a.md", "\n".join(lines), path="a.md")
    check_cover(document, list(Chunking("section").cut([document])))


@given(PYTHON_PARTS)
def test_symbols_of_any_code_cover_it_once(parts: list[str]) -> None:
    document = Document("a.py", "".join(parts), path="a.py")
    check_cover(document, list(Chunking("section").cut([document])))


@given(st.text(alphabet="ab \n", max_size=80), st.integers(1, 7), st.integers(0, 6))
def test_windows_of_any_text_reach_every_line_and_overlap_as_asked(
    text: str, lines: int, overlap: int
) -> None:
    if overlap >= lines:
        return
    document = Document("a.txt", text, path="a.txt")
    pieces = list(Chunking("window", {"lines": lines, "overlap": overlap}).cut([document]))
    spans = [(one.lines.start, one.lines.end) for one in pieces if one.lines is not None]
    assert spans[0][0] == 1
    assert spans[-1][1] == max(1, len(text.removesuffix("\n").split("\n")))
    for (_, end), (start, _) in pairwise(spans):
        assert start == end + 1 - overlap
    assert all(end - start + 1 <= lines for start, end in spans)


def test_the_symbols_of_a_real_package_cover_it_once() -> None:
    folder = unpacked("click-8.5.1")
    documents = list(FolderCorpus.open(folder, root=folder).documents())
    notes: Counter[str] = Counter()
    pieces = 0
    for document in documents:
        cut = list(Chunking("section").cut([document], notes))
        check_cover(document, cut)
        pieces += len(cut)
    assert pieces > 5 * len(documents)
    assert not notes


def test_what_stands_between_two_methods_belongs_to_the_class() -> None:
    text = "class A:\n    def f(self):\n        pass\n\n    size = 1\n\n    def g(self):\n        pass\n"
    pieces = Chunking("section").cut([Document("a.py", text, path="a.py")])
    assert [(one.title, str(one.lines), one.facets["kind"]) for one in pieces] == [
        ("A", "1-1", "class"),
        ("A / f", "2-3", "method"),
        ("A", "4-6", "class"),
        ("A / g", "7-8", "method"),
    ]


def test_records_and_files_without_an_outline_stay_whole_and_unreadable_ones_are_counted() -> None:
    record = Document("r1", "# not a heading\n\n## of a file")
    table = Document("t.csv", "a,b\n1,2\n", path="t.csv")
    broken = Document("b.py", "def (:\n", path="b.py")
    notes: Counter[str] = Counter()
    assert list(Chunking("section").cut([record, table, broken], notes)) == [
        record,
        replace(table, title="t.csv", lines=Lines(1, 2)),
        replace(broken, title="b.py", lines=Lines(1, 1)),
    ]
    assert notes == {"whose outline cannot be read, indexed whole": 1}


def test_headings_are_cut_in_time_that_grows_with_them() -> None:
    def cut(count: int) -> None:
        document = Document("a.md", "# heading\n\nwords\n\n" * count, path="a.md")
        assert sum(1 for _ in Chunking("section").cut([document])) == count

    # Ten times the headings; cutting the text anew for each would be a hundred times.
    assert growth(cut, 2_000, 10, enough=40) < 40


def test_sections_are_named_by_the_libraries_that_outline_them(monkeypatch: pytest.MonkeyPatch) -> None:
    sections, files = Chunking("section").fingerprint, Chunking().fingerprint
    monkeypatch.setattr("rankgate.chunks.chunking.version", lambda _: "99")
    assert Chunking("section").fingerprint != sections
    assert Chunking().fingerprint == files


def test_the_libraries_of_outlines_are_those_of_the_extras() -> None:
    told = [
        requirement
        for requirement in requires("rankgate") or ()
        if re.search("extra == .(code|rst)", requirement)
    ]
    assert {re.split("[ >;=]", requirement)[0] for requirement in told} | {"markdown-it-py"} == set(
        OUTLINE_LIBRARIES
    )


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("sections", r"'sections', expected one of .*section, window; did you mean section"),
        (
            {"by": "window", "line": 3},
            r"chunks.line: unknown key `line`. Did you mean `lines`?",
        ),
        ({"by": "window", "lines": "3"}, "chunks.lines: expected a whole number, found the text '3'."),
        (
            {"by": "window", "lines": 3, "overlap": 3},
            "overlap < lines, found 3 lines, overlap 3",
        ),
        ({"by": "window", "lines": 0}, "expected 0 <= overlap < lines, found 0 lines, overlap 0"),
        ({"by": "section", "lines": 3}, "chunks.lines: unknown key `lines`"),
        ({"by": ["window"]}, "expected one of .*section, window"),
        ({}, "None, expected one of .*section, window"),
        (3, "3, expected one of .*section, window"),
    ],
)
def test_a_chunker_that_is_wrong_is_refused_with_what_is_right(value: object, words: str) -> None:
    with pytest.raises(InputError, match=words):
        read_chunking(value, "systems.app.chunks")
