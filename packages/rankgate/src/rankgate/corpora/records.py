"""Records in files of JSON objects, one a line: any such file, or a BEIR data set. Ids are never parsed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rankgate.corpora.corpus import Corpus, OpenContext, check_options, corpus_path, named
from rankgate.corpora.folder import count_lines
from rankgate.errors import Code, FormatError, InputError, Problem, did_you_mean, escaped
from rankgate.io.problems import Problems
from rankgate.io.records import stream_objects
from rankgate.model import CorpusSource, Document, fingerprint

TOTAL = 2_000_000_000
"""The size of all texts of a corpus, in bytes; they are kept in memory."""
_BEIR_FILES = ("corpus.jsonl", "corpus.jsonl.gz", "corpus.jsonl.zst")
_EXPECTED = "a file of JSON objects, one a line"
_MOST_FIELDS = 1000


@dataclass(frozen=True, slots=True, eq=False)
class RecordsCorpus:
    """Records by their ids, made by `RecordsCorpus.of`."""

    fingerprint: str
    notes: tuple[str, ...]
    _texts: Mapping[str, str]
    _titles: Mapping[str, str] = field(default_factory=dict)
    skipped: Mapping[str, str] = field(default_factory=dict)
    pin: Mapping[str, str] = field(default_factory=dict)

    records = True

    @classmethod
    def of(
        cls, texts: Mapping[str, str], where: str, titles: Mapping[str, str] | None = None
    ) -> RecordsCorpus:
        """Make a corpus of texts by their ids; `where` names their file in errors.

        >>> RecordsCorpus.of({"keys": "Rotate them."}, "faq.txt").paths()
        ('keys',)"""
        if not texts:
            raise FormatError(Code.EMPTY_CORPUS(where, "no records", "at least one"))
        titles = titles or {}
        texts = {name: re.sub("\r\n?", "\n", texts[name]) for name in sorted(texts)}
        hashes = [
            [name, hashlib.sha256(text.encode()).hexdigest(), *([titles[name]] if name in titles else [])]
            for name, text in texts.items()
        ]
        empty = sum(not text.strip() for text in texts.values())
        notes = (f"{empty} records with an empty text",) if empty else ()
        return cls(fingerprint(hashes), notes, texts, titles)

    def __contains__(self, name: str) -> bool:
        return name in self._texts

    def __len__(self) -> int:
        return len(self._texts)

    def paths(self) -> tuple[str, ...]:
        return tuple(self._texts)

    def text(self, path: str) -> str:
        return self._texts[path]

    def lines(self, path: str) -> int:
        return count_lines(self._texts[path])

    def documents(self) -> Iterator[Document]:
        for name, text in self._texts.items():
            yield Document(name, text, title=self._titles.get(name, ""))


def open_jsonl(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open the file of records that a suite names.

    The option `id` names the field of the id, `text` those of the text, which are joined by a blank line. A
    ``title`` that is not part of the text is the record's title.
    """
    check_options(source, ("id", "text"), lists=("text",))
    texts = source.options.get("text", "text")
    path = corpus_path(context.here / source.place, context.root, _EXPECTED)
    fields = (texts,) if isinstance(texts, str) else tuple(texts)
    return _read_records(path, str(source.options.get("id", "id")), fields, named(source))


def open_beir(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open the data set that a suite names; the text is the title, a blank line and the text."""
    check_options(source, ())
    expected = "a folder with corpus.jsonl"
    folder = corpus_path(context.here / source.place, context.root, expected, folder=True)
    path = next((folder / name for name in _BEIR_FILES if (folder / name).exists()), None)
    if path is None:
        raise InputError(Code.NO_SUCH_FILE(named(source), "a folder without it", expected))
    inside = corpus_path(path, context.root, _EXPECTED)
    return _read_records(inside, "_id", ("title", "text"), named(source))


def _read_records(path: Path, id_field: str, fields: Sequence[str], where: str) -> RecordsCorpus:
    problems = Problems(str(path))
    texts: dict[str, str] = {}
    titles: dict[str, str] = {}
    lines: dict[str, str] = {}
    seen: dict[str, None] = {}
    size = 0
    for line, found in stream_objects(path, problems):
        seen.update(dict.fromkeys(found) if len(seen) < _MOST_FIELDS else {})
        before = problems.total
        name, title = _id(found, id_field, line, problems), found.get("title")
        for key in fields:
            if not isinstance(found.get(key, ""), str | None):
                shown = f"{found[key]!r:.80}"
                problems.add(Code.WRONG_VALUE(f"{line}: {escaped(key)}", shown, "a string"))
                break
        if name in texts:
            short = escaped(name if len(name) <= 80 else name[:79] + "…")
            repeated = f"id {short!r} a second time, first in line {lines[name].rpartition(':')[2]}"
            problems.add(Code.REPEATED(line, repeated, "each id once"))
        if problems.total > before:
            continue
        texts[name] = "\n\n".join(str(found[key]) for key in fields if found.get(key))
        lines[name] = line
        if "title" not in fields and isinstance(title, str) and title.strip():
            titles[name] = " ".join(title.split())
        size += len(texts[name].encode()) + len(name.encode())
        if size > TOTAL:
            fix = "leave out what is not searched, or take a part of it"
            large, most = f"texts of more than {TOTAL} bytes", f"at most {TOTAL}, kept in memory"
            raise FormatError(Code.TOO_LARGE(str(path), large, most, fix))
    unknown = [key for key in fields if seen and key not in seen]
    if unknown and len(seen) < _MOST_FIELDS:
        fix = did_you_mean(unknown[0], seen, otherwise=f"there are {', '.join(list(seen)[:10])}")
        none = f"no record with a field {escaped(unknown[0])!r}"
        raise FormatError(Problem(f"{where}: text", none, "fields of the records", escaped(fix)))
    problems.check()
    return RecordsCorpus.of(texts, str(path), titles)


def _id(found: Mapping[str, Any], key: str, line: str, problems: Problems) -> str:
    value = found.get(key)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    fix = did_you_mean(key, found, otherwise="the option id says which field it is")
    told = f"no {key!r}" if value is None else f"{value!r:.80}"
    problems.add(Problem(f"{line}: {escaped(key)}", told, "an id, as text or a whole number", fix))
    return ""
