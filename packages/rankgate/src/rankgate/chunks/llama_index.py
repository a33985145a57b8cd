"""Pieces as LlamaIndex's node parsers cut them.

Their own `start_char_idx` is a search from the start of the piece before, so that pieces are placed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, ClassVar

from rankgate.chunks.library import LibraryChunker, check_sizes
from rankgate.chunks.pieces import Pieces
from rankgate.errors import Code, InputError
from rankgate.outline.languages import languages_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.model.search import Document
    from rankgate.outline.languages import Language


@dataclass(frozen=True)
class LlamaIndexSentences(LibraryChunker):
    """LlamaIndex's SentenceSplitter, which keeps sentences and paragraphs together.

    Tokens are counted by the encoding that LlamaIndex carries.
    """

    libraries: ClassVar[tuple[str, ...]] = ("llama-index-core", "nltk", "tiktoken")
    extra: ClassVar[str] = "llama-index"

    size: int = 400
    """How many tokens a piece has at most."""
    overlap: int = 0
    """How many of them the next may begin with."""

    def __post_init__(self) -> None:
        check_sizes(self.size, self.overlap)

    def cut(self, document: Document) -> Iterable[Document]:
        """Return the pieces."""
        found = self._splitter.split_text(document.text) if document.text.strip() else []
        return Pieces(document).placed(found, overlap=None if self.overlap else 0)

    @cached_property
    def _splitter(self) -> Any:
        made = self._load("llama_index.core.node_parser").SentenceSplitter
        return made(chunk_size=self.size, chunk_overlap=self.overlap)


@dataclass(frozen=True)
class LlamaIndexCode(LibraryChunker):
    """LlamaIndex's CodeSplitter, which keeps the nodes of a syntax tree together.

    Code in a language whose grammar is installed (`rankgate[code]`) is cut; other files stay whole.
    """

    libraries: ClassVar[tuple[str, ...]] = ("llama-index-core", "tree-sitter")
    extra: ClassVar[str] = "llama-index"

    size: int = 1600
    """How many characters a piece has at most."""

    def __post_init__(self) -> None:
        if self.size < 1:
            raise InputError(Code.WRONG_VALUE("size", str(self.size), "1 or more"))

    def cut(self, document: Document) -> Iterable[Document]:
        """Return the pieces."""
        pieces = Pieces(document)
        languages = languages_of(PurePosixPath(str(document.path)).suffix.lower())
        if not languages:
            self.notes["that are no code, indexed whole"] += 1
            return (pieces.whole,)
        if find_spec(languages[0].package) is None:
            fix = "pip install 'rankgate[code]'"
            self.notes[f"in {languages[0].name}, whose grammar is not installed ({fix}), indexed whole"] += 1
            return (pieces.whole,)
        return pieces.placed(self._splitter(languages[0]).split_text(document.text))

    def _splitter(self, language: Language) -> Any:
        known = self._splitters.get(language.name)
        if known is None:
            syntax, grammar = self._load("tree_sitter"), self._load(language.package)
            parser = syntax.Parser(syntax.Language(getattr(grammar, language.function)()))
            made = self._load("llama_index.core.node_parser").CodeSplitter
            known = made(language=language.name.lower(), max_chars=self.size, parser=parser)
            self._splitters[language.name] = known
        return known

    @cached_property
    def _splitters(self) -> dict[str, Any]:
        return {}
