"""The words of an index as they are written: which begin with some letters, which are a slip away."""

from __future__ import annotations

from functools import cached_property
from typing import Any

NEAR_FROM = 4
"""From how many letters on a word may differ in one."""
FAR_FROM = 8
"""From how many letters on a word may differ in two."""
_HEAP = 32_000_000


class Vocabulary:
    """The words of one state of an index; made anew when the index changes."""

    def __init__(self, engine: Any, searcher: Any) -> None:
        self._engine = engine
        self._searcher = searcher

    def beginning_with(self, word: str, most: int) -> list[str]:
        """List words that begin with this one and are longer; those in most files first."""
        found = self._searcher.terms_with_prefix("words", word)
        found = [(one, count) for one, count in found if one != word]
        return [one for one, _ in sorted(found, key=lambda pair: (-pair[1], pair[0]))[:most]]

    def near(self, word: str, most: int) -> list[str]:
        """List words that differ in few letters: none from short words, one, or from long words two.

        The nearest come first, and of those the words that are in most files.
        """
        if len(word) < NEAR_FROM:
            return []
        for distance in (1, 2) if len(word) >= FAR_FROM else (1,):
            if found := self._within(word, distance):
                return found[:most]
        return []

    def _within(self, word: str, distance: int) -> list[str]:
        index, words = self._words
        query = self._engine.Query.fuzzy_term_query(index.schema, "word", word, distance, True, False)
        searcher = index.searcher()
        hits = searcher.search(query, max(1, len(words)), count=False).hits
        numbers = searcher.fast_field_values("number", [address for _, address in hits])
        found = [words[number] for number in numbers if number is not None]
        return [one for one, _ in sorted(found, key=lambda pair: (-pair[1], pair[0])) if one != word]

    @cached_property
    def _words(self) -> tuple[Any, list[tuple[str, int]]]:
        """Give an index of the words, in memory: Tantivy finds near words fast, but does not name them."""
        words = [
            (one, count) for one, count in self._searcher.terms_with_prefix("words", "") if one.isalpha()
        ]
        builder = self._engine.SchemaBuilder()
        builder.add_text_field("word", tokenizer_name="raw", index_option="basic")
        builder.add_unsigned_field("number", fast=True)
        index = self._engine.Index(builder.build())
        writer = index.writer(heap_size=_HEAP, num_threads=1)
        for number, (word, _) in enumerate(words):
            entry = self._engine.Document()
            entry.add_text("word", word)
            entry.add_unsigned("number", number)
            writer.add_document(entry)
        writer.commit()
        writer.wait_merging_threads()
        index.reload()
        return index, words
