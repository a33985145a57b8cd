"""Objects that split text, of whatever library, are chunkers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.chunks.chunking import Chunking, read_chunking
from rankgate.errors import InputError, PluginError
from rankgate.locations import Lines
from rankgate.model import Document

if TYPE_CHECKING:
    from pathlib import Path

DOCUMENT = Document("a.md", "# Keys\n\nMake one.\n\nMake one.\n", path="a.md")

MODULE = """
def paragraphs(text):
    return text.split("\\n\\n")

class Lines:
    def __init__(self, size=1):
        self.size = size
    def split_text(self, text):
        lines = text.splitlines()
        return ["\\n".join(lines[at : at + self.size]) for at in range(0, len(lines), self.size)]

class Piece:
    def __init__(self, text, start_index=None, metadata=None, page_content=None):
        self.metadata = metadata
        if page_content:
            self.page_content = page_content
        else:
            self.text, self.start_index = text, start_index

class Starts:
    def chunk(self, text):
        return [Piece("Make one.", text.rindex("Make"))]

class Headings:
    def split_text(self, text):
        return [Piece("", metadata={"h1": "Keys", "h2": "Rotation", "start": 3}, page_content="Make one.")]

splitter = Lines(3)
starts = Starts()
headings = Headings()
nothing = 3

def broken(text):
    raise ValueError("no")
"""


@pytest.fixture
def module(tmp_path: Path) -> Path:
    (tmp_path / "cutting.py").write_text(MODULE)
    return tmp_path


def cut(folder: Path, value: object) -> list[tuple[str, str]]:
    chunking = read_chunking(value, "chunks", str(folder))
    return [(one.text, str(one.lines)) for one in chunking.cut([DOCUMENT])]


@pytest.mark.parametrize(
    ("value", "pieces"),
    [
        ("./cutting.py:paragraphs", [("# Keys", "1-1"), ("Make one.", "3-3"), ("Make one.\n", "5-5")]),
        ("./cutting.py:splitter", [("# Keys\n\nMake one.", "1-3"), ("\nMake one.", "4-5")]),
        ({"by": "./cutting.py:Lines", "size": 5}, [("# Keys\n\nMake one.\n\nMake one.", "1-5")]),
        ("./cutting.py:starts", [("Make one.", "5-5")]),
    ],
)
def test_functions_objects_and_classes_with_options_cut(module: Path, value: object, pieces: object) -> None:
    assert cut(module, value) == pieces


def test_headings_that_a_splitter_tells_are_the_title(module: Path) -> None:
    (piece,) = read_chunking("./cutting.py:headings", "chunks", str(module)).cut([DOCUMENT])
    assert (piece.title, piece.lines) == ("Keys / Rotation", Lines(3, 3))


@pytest.mark.parametrize(
    ("value", "error", "words"),
    [
        ("./cutting.py:nothing", PluginError, "found 3, expected an object with chunk, split_text or"),
        ({"by": "./cutting.py:Lines", "sise": 1}, InputError, "unexpected keyword argument 'sise'"),
        ("./cutting.py:broken", InputError, "found ValueError: no, expected the pieces"),
    ],
)
def test_what_does_not_cut_is_an_error(module: Path, value: object, error: type, words: str) -> None:
    with pytest.raises(error, match=words):
        cut(module, value)


def test_a_splitter_is_named_by_the_version_of_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    chunking = Chunking("hypothesis.strategies:text")
    before = chunking.fingerprint
    monkeypatch.setattr("rankgate.chunks.chunking.version", lambda _: "99")
    assert chunking.fingerprint != before


def test_a_chunker_of_a_project_has_checked_options(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from dataclasses import dataclass\n\n@dataclass\nclass Own:\n    size: int = 1\n\n"
        "    def cut(self, document):\n        return [document]\n"
    )
    chunking = read_chunking({"by": "./own.py:Own", "size": "3"}, "chunks", str(tmp_path))
    with pytest.raises(InputError, match=r"chunks\.size: expected a whole number, found the text '3'\."):
        list(chunking.cut([DOCUMENT]))
