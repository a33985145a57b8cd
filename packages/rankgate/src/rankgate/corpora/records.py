"""Documents that are records: each has an id, which is never parsed, and a text."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError, escaped
from rankgate.files.problems import Problems
from rankgate.model.fingerprints import fingerprint
from rankgate.model.search import Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

TOTAL = 2_000_000_000
"""How many bytes the texts of a corpus may have; they are kept in memory."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordsCorpus:
    """Records by their ids, made by `of` or, one by one, by `RecordCollector`."""

    fingerprint: str
    """The hash of every id and text, and of titles where there are any."""
    notes: tuple[str, ...]
    """What was left out or is odd, in words and with counts."""
    _texts: Mapping[str, str]
    _titles: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    """Always empty: a file of records is read whole, or refused."""
    pin: Mapping[str, str] = field(default_factory=dict)
    """Always empty: it is held by its fingerprint alone."""

    records = True

    @classmethod
    def of(cls, texts: Mapping[str, str], where: str) -> RecordsCorpus:
        """Make a corpus of texts by their ids; `where` names their file in errors.

        >>> RecordsCorpus.of({"keys": "Rotate them."}, "faq.txt").paths()
        ('keys',)

        Raises:
            FormatError: with all that is wrong with them, or where there are none.
        """
        gathering = RecordCollector(where)
        for name, text in texts.items():
            gathering.add(name, text, f"{where}: {name}")
        return gathering.corpus()

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def __len__(self) -> int:
        return len(self._texts)

    def paths(self) -> tuple[str, ...]:
        """List the ids, sorted."""
        return tuple(self._texts)

    def text(self, path: str) -> str:
        """Return a record's text.

        Raises:
            KeyError: for an id that is not in the corpus.
        """
        return self._texts[path]

    def lines(self, path: str) -> int:
        """Count the lines of a record's text.

        Raises:
            KeyError: for an id that is not in the corpus.
        """
        text = self._texts[path]
        return text.count("\n") + (not text.endswith("\n") and text != "")

    def documents(self) -> Iterator[Document]:
        """Go through the records in the order of their ids."""
        for name, text in self._texts.items():
            yield Document(name, text, title=self._titles.get(name, ""))


class RecordCollector:
    """Takes records one by one and tells everything that is wrong with them at once."""

    def __init__(self, where: str, total: int = TOTAL) -> None:
        self.problems = Problems(where)
        self._where = where
        self._total = total
        self._texts: dict[str, str] = {}
        self._titles: dict[str, str] = {}
        self._places: dict[str, str] = {}
        self._empty = 0
        self._size = 0

    def add(self, name: str, text: str, where: str, title: str = "") -> None:
        """Take a record; `where` is its location in the file, `title` what a person would call it.

        Raises:
            FormatError: where the texts become too many to keep.
        """
        if name in self._texts:
            short = name if len(name) <= 80 else name[:79] + "…"
            first = self._places[name]
            line = f"line {first}" if first.isdigit() else first
            found = f"id {escaped(short)!r} a second time, first in {line}"
            self.problems.add(Code.REPEATED(where, found, "each id once"))
            return
        text = text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
        try:
            self._size += len(text.encode()) + len(name.encode()) + len(title.encode())
        except UnicodeEncodeError:
            self.problems.add(Code.NOT_UTF8(where, "half of a surrogate pair", "text that UTF-8 can hold"))
            return
        if self._size > self._total:
            fix = "leave out what is not searched, or take a part of it"
            found = f"texts of more than {self._total} bytes"
            raise FormatError(
                Code.TOO_LARGE(self._where, found, f"at most {self._total}, kept in memory", fix)
            )
        self._empty += not text.strip()
        self._texts[name] = text
        if title:
            self._titles[name] = title
        self._places[name] = where.removeprefix(self._where).lstrip(": ")

    def corpus(self, *notes: str) -> RecordsCorpus:
        """Return the corpus.

        Raises:
            FormatError: with all that was wrong, or where there was no record.
        """
        self.problems.check()
        if not self._texts:
            raise FormatError(Code.EMPTY_CORPUS(self._where, "no records", "at least one"))
        texts = dict(sorted(self._texts.items()))
        titles = self._titles
        hashes = [
            [name, hashlib.sha256(text.encode()).hexdigest(), *([titles[name]] if name in titles else [])]
            for name, text in texts.items()
        ]
        empty = (f"{self._empty} records with an empty text",) if self._empty else ()
        return RecordsCorpus(fingerprint(hashes), (*empty, *notes), texts, titles)


def one_line(title: object) -> str:
    """Return a title on one line; what is no text is none."""
    return " ".join(title.split()) if isinstance(title, str) else ""
