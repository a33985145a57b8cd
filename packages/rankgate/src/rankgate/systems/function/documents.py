"""Documents of retrieval frameworks, read into the fields of a hit by the frameworks' own metadata.

| framework | a document has | id | path | location |
|---|---|---|---|---|
| LangChain | `page_content`, `metadata` | `id` | `source`, `file_path` | `start_index` |
| LlamaIndex | `get_content`, `metadata` | `node_id` | `file_path`, `source` | `start_char_idx` |
| Haystack | `content`, `meta` | `id` | `file_path`, `source` | `split_idx_start`, `start_line` |

Of a PDF, `page` (LangChain, from 0) and `page_number` (Haystack) are its pages; `page_label` is what is
printed there, and not used. No framework is imported: a document is what has these attributes. What is not in
the table is not read.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

_LANGCHAIN_PATHS = ("source", "file_path")
_PATHS = ("file_path", "source")
_FIELDS = {str, dict}
_PAGES = ("page", "page_label")
_CONVERTED = "it counts in the text that was made of the PDF"


class ReadDocuments(NamedTuple):
    """An answer in which documents became fields of hits."""

    hits: object
    """The fields, best first; the answer as it came where it has no documents."""
    read: tuple[str, ...] = ()
    """Which part of a document each field was read from."""
    documents: tuple[object, ...] = ()
    """The documents, as they came."""
    left: tuple[str, ...] = ()
    """A path that no document has, and what is there and says nothing of the location."""


@dataclass(frozen=True, slots=True)
class _Part:
    """One thing that a document may say."""

    field: str
    """The field of a hit."""
    origin: str
    """Where it stands in the document."""
    value: object = None
    """What stands there; None for nothing."""
    why_not: str = ""
    """Why it is not used, though it is there."""


class _Seen:
    """What was found in the documents of one answer."""

    def __init__(self) -> None:
        self._used: dict[str, dict[str, None]] = {}
        self._tried: dict[str, dict[str, None]] = {}
        self._refused: dict[str, None] = {}

    def add(self, part: _Part, *, used: bool) -> None:
        """Add what one document says, or does not."""
        (self._used if used else self._tried).setdefault(part.field, {})[part.origin] = None
        if part.why_not:
            self._refused[f"{part.origin}: {part.why_not}"] = None

    @property
    def read(self) -> tuple[str, ...]:
        """Which part of a document each field was read from."""
        return tuple(f"{field} from {' or '.join(origins)}" for field, origins in self._used.items())

    @property
    def left(self) -> tuple[str, ...]:
        """The path where no document has one, and what was not used: nobody asked for the other fields."""
        origins = () if "path" in self._used else self._tried.get("path", ())
        return (*([f"path ({', '.join(origins)})"] if origins else []), *self._refused)


def has_no_documents(answer: object) -> bool:
    """Return whether an answer is surely no list of documents: its first hit has fields or is an id."""
    return type(answer) is list and bool(answer) and type(answer[0]) in _FIELDS


class DocumentReader:
    """Reads the documents of answers.

    Args:
        root: The folder that a program reads relative paths from: the project's.
        corpus_folder: The folder of the suite's corpus; None where it has none.

    >>> class Document:
    ...     def __init__(self, page_content, metadata):
    ...         self.page_content, self.metadata = page_content, metadata
    >>> found = DocumentReader().read([Document("Rotate keys", {"source": "keys.md", "start_index": 8})])
    >>> found.hits
    [{'path': 'keys.md', 'start_char': 8, 'text': 'Rotate keys'}]
    >>> found.read
    ('path from metadata.source', 'start_char from metadata.start_index', 'text from page_content')
    """

    def __init__(self, root: str = ".", corpus_folder: str | None = None) -> None:
        self._root = Path(root).resolve()
        self._corpus = None if corpus_folder is None else Path(corpus_folder).resolve()
        self._named: dict[str, str] = {}

    def read(self, answer: object) -> ReadDocuments:
        """Read an answer; one whose first hit is no document is left alone."""
        if has_no_documents(answer):
            return ReadDocuments(answer)
        found = answer
        if isinstance(answer, Mapping) and isinstance(answer.get("documents"), list):
            # What the components of a pipeline return.
            found = answer["documents"]
        if not isinstance(found, (list, tuple)) or not (found and is_document(found[0])):
            return ReadDocuments(found if type(found) is list and not found else answer)
        seen = _Seen()
        hits = [self._fields(item, seen) for item in found]
        return ReadDocuments(hits, seen.read, tuple(found), seen.left)

    def _fields(self, item: object, seen: _Seen) -> object:
        parts = _parts_of(item)
        if parts is None:
            return item
        fields: dict[str, object] = {}
        for part in parts:
            seen.add(part, used=part.value is not None and part.field not in fields)
            if part.value is not None and part.field not in fields:
                fields[part.field] = self._path(part.value) if part.field == "path" else part.value
        if (page := fields.pop("page", None)) is not None:
            fields["path"] = f"{fields['path']}#page={page}"
        return fields

    def _path(self, value: object) -> str:
        name = str(value)
        if self._corpus is None or "://" in name:
            return name
        known = self._named.get(name)
        if known is None:
            known = self._named[name] = self._in_corpus(name, self._corpus)
        return known

    def _in_corpus(self, name: str, corpus: Path) -> str:
        """Return the path of a file in the corpus's folder, relative to that; others as they are.

        A program names what it loads by the folder that it runs in, or in full.
        """
        try:
            if not Path(name).is_absolute() and (corpus / name).is_file():
                return name
            # The name as it is written first: a link inside the corpus is a file of it.
            for file in (Path(os.path.normpath(self._root / name)), (self._root / name).resolve()):
                if file.is_relative_to(corpus) and file.is_file():
                    return file.relative_to(corpus).as_posix()
        except (OSError, ValueError):
            # No name of a file.
            return name
        return name


def is_document(item: object) -> bool:
    """Return whether an object is a document of a framework, or a pair of one and its score."""
    return _parts_of(item) is not None


def _parts_of(item: object) -> list[_Part] | None:
    """Return what a document says; None for what is none."""
    if isinstance(item, (str, int, float, dict)):
        return None
    score: list[_Part] = []
    if isinstance(item, tuple):
        if len(item) != 2:
            return None
        score = [_Part("score", "the score beside it", item[1])]
        item = item[0]
    for is_one, parts in _SHAPES:
        if is_one(item):
            return [*score, *parts(item)]
    return None


def _has(*names: str) -> Callable[[object], bool]:
    return lambda item: all(hasattr(item, name) for name in names)


def _langchain(document: Any) -> Iterator[_Part]:
    metadata = _mapping(document.metadata)
    yield _Part("id", "id", getattr(document, "id", None))
    paths = list(_paths(metadata, "metadata", _LANGCHAIN_PATHS))
    yield from paths
    page = metadata.get("page")
    if _is_pdf(paths) and type(page) is int and page >= 0:
        # LangChain's loaders count pages from 0.
        yield _Part("page", "metadata.page", page + 1)
    yield _offset(metadata, "metadata", "start_index", _page(metadata, paths))
    yield _Part("text", "page_content", document.page_content)


def _llama_index(found: Any) -> Iterator[_Part]:
    node = getattr(found, "node", found)
    metadata = _mapping(node.metadata)
    text = node.get_content()
    yield _Part("id", "node_id", node.node_id)
    paths = list(_paths(metadata, "metadata", _PATHS))
    yield from paths
    start, end = (getattr(node, name, None) for name in ("start_char_idx", "end_char_idx"))
    why = _page(metadata, paths)
    if start is not None and end is not None and not why and end - start != len(text):
        why = "they count another text than that of the hit"
    usable = start is not None and end is not None and not why
    yield _Part("start_char", "start_char_idx", start if usable else None, why)
    yield _Part("end_char", "end_char_idx", end if usable else None, why)
    yield _Part("score", "score", getattr(found, "score", None))
    yield _Part("text", "get_content()", text)


def _haystack(document: Any) -> Iterator[_Part]:
    meta = _mapping(document.meta)
    yield _Part("id", "id", getattr(document, "id", None))
    paths = list(_paths(meta, "meta", _PATHS))
    yield from paths
    page = meta.get("page_number")
    if _is_pdf(paths) and type(page) is int and page >= 1:
        yield _Part("page", "meta.page_number", page)
    level = meta.get("__level")
    why = "it counts in the part above" if isinstance(level, int) and level > 1 else ""
    why = why or (_CONVERTED if _is_pdf(paths) else "")
    offset = _offset(meta, "meta", "split_idx_start", why)
    yield offset
    if offset.value is None and not why:
        first, last = meta.get("start_line"), meta.get("end_line")
        if type(first) is int and type(last) is int and 1 <= first <= last:
            yield _Part("start", "meta.start_line", first)
            yield _Part("end", "meta.end_line", last)
    yield _Part("score", "score", getattr(document, "score", None))
    yield _Part("text", "content", document.content)


_SHAPES: tuple[tuple[Callable[[object], bool], Callable[[Any], Iterator[_Part]]], ...] = (
    (_has("page_content", "metadata"), _langchain),
    (_has("node", "score"), _llama_index),
    (_has("node_id", "get_content", "metadata"), _llama_index),
    (_has("content", "meta"), _haystack),
)


def _mapping(found: object) -> Mapping[str, Any]:
    return found if isinstance(found, Mapping) else {}


def _paths(metadata: Mapping[str, Any], name: str, keys: tuple[str, ...]) -> Iterator[_Part]:
    for key in keys:
        value = metadata.get(key)
        value = os.fspath(value) if isinstance(value, os.PathLike) else value
        yield _Part("path", f"{name}.{key}", value if isinstance(value, str) and value else None)


def _is_pdf(paths: Iterable[_Part]) -> bool:
    return any(isinstance(one.value, str) and one.value.lower().endswith(".pdf") for one in paths)


def _page(metadata: Mapping[str, Any], paths: Iterable[_Part]) -> str:
    """Return why offsets are not of the file: loaders that read pages begin to count with each."""
    if any(metadata.get(key) is not None for key in _PAGES):
        return "it counts in a page"
    return _CONVERTED if _is_pdf(paths) else ""


def _offset(metadata: Mapping[str, Any], name: str, key: str, why_not: str) -> _Part:
    value = metadata.get(key)
    if type(value) is int and value < 0:
        # A splitter writes -1 where it does not find its own chunk.
        why_not = why_not or f"{value}: the splitter did not find the chunk"
    usable = type(value) is int and not why_not
    return _Part(
        "start_char", f"{name}.{key}", value if usable else None, why_not if value is not None else ""
    )
