"""PDF as text, page by page, read by pypdf in a process of its own; and its pages as an outline.

A PDF has no lines and no headings that could be relied on, but it has pages: `manual.pdf#page=3`, as browsers
and viewers write it, names one. Between the pages of a text stands a line with a sign that nobody sees and
that no search counts as a letter, so that a passage goes on from one page to the next.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from importlib.util import find_spec
from io import BytesIO
from typing import Any

from rankgate.outline.child import ReaderProcess, answer_questions
from rankgate.outline.nodes import OutlineNode

PAGE_BREAK = "\u2063"
"""The line between two pages: an invisible separator."""

_SECONDS, _SECONDS_A_MEGABYTE = 20.0, 10.0
_MEMORY = 1 << 30
_MOST_PAGES = 10_000
_MOST_TEXT = 20_000_000
_LINE_ENDS = re.compile("\r\n|[\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_UNSEEN = re.compile(f"[\0{PAGE_BREAK}]")
_CHILD = ReaderProcess(__name__)


class PdfError(Exception):
    """A PDF that cannot be read, with why."""


def reads_pdf() -> bool:
    """Return whether what reads PDF is installed."""
    return find_spec("pypdf") is not None


def pdf_text(data: bytes) -> str:
    """Return the text of a PDF, its pages in order with a `PAGE_BREAK` between two of them.

    Raises:
        PdfError: for what is no PDF, is encrypted, has no text, or takes too much time or memory.
    """
    seconds = _SECONDS + _SECONDS_A_MEGABYTE * len(data) / 1e6
    answer = _CHILD.ask({"data": b64encode(data).decode()}, seconds)
    if answer is None:
        raise PdfError("it takes too much time or memory")
    if "error" in answer:
        raise PdfError(answer["error"])
    return joined(answer["pages"])


def joined(pages: list[str]) -> str:
    r"""Return the text of pages as one.

    >>> joined(["One\r\n", "", "Three"]).split("\n") == ["One", PAGE_BREAK, "", PAGE_BREAK, "Three", ""]
    True
    """
    clean = (_UNSEEN.sub("", _LINE_ENDS.sub("\n", page)).strip("\n") for page in pages)
    return f"\n{PAGE_BREAK}\n".join(clean) + "\n"


def outline_pdf(path: str, text: str) -> list[OutlineNode]:
    r"""List the pages of a PDF as sections.

    >>> [(page.name, page.start, page.end) for page in outline_pdf("a.pdf", joined(["One", "Two\nlines"]))]
    [('page=1', 1, 1), ('page=2', 3, 4)]
    """
    del path
    pages, start = [], 1
    for number, page in enumerate(text.removesuffix("\n").split(f"\n{PAGE_BREAK}\n"), 1):
        end = start + page.count("\n")
        name = f"page={number}"
        pages.append(OutlineNode("section", name, (name,), start, end, level=1))
        start = end + 2
    return pages


def serve() -> None:
    """Answer questions from standard input until it ends."""
    answer_questions(_answer, _MEMORY)


def _answer(question: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"pages": _pages(b64decode(question["data"]))}
    except PdfError as error:
        return {"error": str(error)}
    except MemoryError:
        return {"error": "it takes too much memory"}
    except Exception as error:  # noqa: BLE001 - a damaged file may raise anything from anywhere
        return {"error": f"{type(error).__name__}: {error}"[:200]}


def _pages(data: bytes) -> list[str]:
    from pypdf import PdfReader

    reader = PdfReader(BytesIO(data))
    if reader.is_encrypted:
        raise PdfError("it is encrypted")
    if len(reader.pages) > _MOST_PAGES:
        raise PdfError(f"it has more than {_MOST_PAGES:,} pages")
    pages, length = [], 0
    for page in reader.pages:
        # Half of a surrogate pair has no bytes.
        text = page.extract_text().encode("utf-8", "replace").decode()
        length += len(text)
        if length > _MOST_TEXT:
            raise PdfError(f"it has more than {_MOST_TEXT:,} characters")
        pages.append(text)
    if not any(page.strip() for page in pages):
        raise PdfError("it has no text, only pictures")
    return pages
