"""The words of an index as they are written: which begin with some letters, which are a slip away.

They lie in a file beside the index, a word a line, with its term where that is another. In the index itself
they would take as long as a third of all the rest. The file only grows: a word whose term is in no node any
more counts for nothing, and is left out when words are asked for.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property
from itertools import takewhile
from typing import TYPE_CHECKING, Any

from rankgate_reference.lexical.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

NEAR_FROM = 4
"""From how many letters on a word may differ in one."""
FAR_FROM = 8
"""From how many letters on a word may differ in two."""
_HEAP = 32_000_000


def read_words(file: Path) -> dict[str, str]:
    """Return the term of every word of a file; none where there is no file."""
    if not file.exists():
        return {}
    lines = file.read_text(encoding="utf-8", errors="replace").split("\n")
    pairs = (line.partition(" ") for line in lines if line)
    return {word: term or word for word, _, term in pairs}


def add_words(file: Path, chunks: Iterable[str]) -> None:
    """Add the words of chunks that a file does not have."""
    known = read_words(file)
    found = words_of(chunks).items()
    lines = sorted(word if word == term else f"{word} {term}" for word, term in found if word not in known)
    if lines:
        # A line that a crash has cut short stays a line of its own.
        with file.open("a", encoding="utf-8", newline="\n") as to:
            to.write("\n" + "\n".join(lines) + "\n")


class Vocabulary:
    """The words of one state of an index; made anew when the index changes."""

    def __init__(self, engine: Any, searcher: Any, file: Path) -> None:
        self._engine = engine
        self._searcher = searcher
        self._file = file

    def beginning_with(self, word: str, most: int) -> list[str]:
        """List words that begin with this one and are longer; those in most nodes first."""
        words = self._words
        start = bisect_left(words, word)
        found = takewhile(lambda one: one.startswith(word), (words[at] for at in range(start, len(words))))
        return self._most_used((one for one in found if one != word), most)

    def near(self, word: str, most: int) -> list[str]:
        """List words that differ in few letters: none from short words, one, or from long words two.

        The nearest come first, and of those the words that are in most nodes.
        """
        if len(word) < NEAR_FROM:
            return []
        for distance in (1, 2) if len(word) >= FAR_FROM else (1,):
            if found := self._most_used(self._within(word, distance), most):
                return found
        return []

    def _most_used(self, words: Iterable[str], most: int) -> list[str]:
        count, terms = self._searcher.doc_freq, self._terms
        counted = [(-count("text", terms[word]), word) for word in words]
        return [word for less, word in sorted(counted)[:most] if less]

    def _within(self, word: str, distance: int) -> list[str]:
        index, words = self._near_words
        query = self._engine.Query.fuzzy_term_query(index.schema, "word", word, distance, True, False)
        searcher = index.searcher()
        hits = searcher.search(query, max(1, len(words)), count=False).hits
        numbers = searcher.fast_field_values("number", [address for _, address in hits])
        found = [words[number] for number in numbers if number is not None]
        return [one for one in found if one != word]

    @cached_property
    def _terms(self) -> dict[str, str]:
        return read_words(self._file)

    @cached_property
    def _words(self) -> list[str]:
        return sorted(self._terms)

    @cached_property
    def _near_words(self) -> tuple[Any, list[str]]:
        """Return an index of the words, in memory: Tantivy finds near words fast, but does not name them."""
        words = [word for word in self._words if word.isalpha()]
        builder = self._engine.SchemaBuilder()
        builder.add_text_field("word", tokenizer_name="raw", index_option="basic")
        builder.add_unsigned_field("number", fast=True)
        index = self._engine.Index(builder.build())
        writer = index.writer(heap_size=_HEAP, num_threads=1)
        for number, word in enumerate(words):
            entry = self._engine.Document()
            entry.add_text("word", word)
            entry.add_unsigned("number", number)
            writer.add_document(entry)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        return index, words
