"""Records in a file of JSON objects, one a line: any such file, or that of a BEIR data set."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.corpora.options import check_options, file_inside, folder_inside, named, one
from rankgate.corpora.records import RecordCollector, one_line
from rankgate.errors import Code, FormatError, InputError, Problem, did_you_mean, escaped
from rankgate.files.objects import stream_objects

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus, OpenContext
    from rankgate.corpora.records import RecordsCorpus
    from rankgate.model.suite import CorpusSource


TITLE = "title"
"""The field that names a record, for those who read it or search for it."""


def open_jsonl(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open the file of records that a suite names.

    The option `id` says which field is the id (``id`` if it says nothing), `text` which one or several are
    the text (``text``); several are joined by a blank line. A ``title`` that is no part of the text is the
    record's title.

    Raises:
        FormatError: with all that is wrong with the file.
        InputError: for a file that is not there or not allowed.
    """
    check_options(source, ("id", "text"), lists=("text",))
    texts = source.options.get("text", "text")
    path = file_inside(context.here / source.place, context.root, "a file of JSON objects, one a line")
    fields = (texts,) if isinstance(texts, str) else tuple(texts)
    return read_records(path, one(source, "id") or "id", fields, named(source))


def read_records(path: Path, name: str, fields: Sequence[str], where: str) -> RecordsCorpus:
    """Read records from a file of JSON objects.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    gathering = RecordCollector(str(path))
    seen: dict[str, None] = {}
    for line, found in stream_objects(path, gathering.problems):
        seen.update(dict.fromkeys(found) if len(seen) < 1000 else {})
        record = _id(found, name, line, gathering)
        text = _text(found, fields, line, gathering)
        if record is not None and text is not None:
            gathering.add(record, text, line, "" if TITLE in fields else one_line(found.get(TITLE)))
    unknown = [field for field in fields if seen and field not in seen]
    if unknown and len(seen) < 1000:
        fix = did_you_mean(unknown[0], seen, otherwise=f"there are {', '.join(list(seen)[:10])}")
        found_none = f"no record with a field {escaped(unknown[0])!r}"
        raise FormatError(Problem(f"{where}: text", found_none, "fields of the records", escaped(fix)))
    return gathering.corpus()


def _id(found: Mapping[str, Any], name: str, line: str, gathering: RecordCollector) -> str | None:
    value = found.get(name)
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    fix = did_you_mean(name, found, otherwise="the option id says which field it is")
    told = f"no {name!r}" if value is None else f"{value!r:.80}"
    gathering.problems.add(Problem(f"{line}: {escaped(name)}", told, "an id, as text or a whole number", fix))
    return None


def _text(
    found: Mapping[str, Any], fields: Sequence[str], line: str, gathering: RecordCollector
) -> str | None:
    parts: list[str] = []
    for field in fields:
        value = found.get(field)
        if isinstance(value, str):
            parts.append(value)
        elif value is not None:
            gathering.problems.add(Problem(f"{line}: {escaped(field)}", f"{value!r:.80}", "a string"))
            return None
    return "\n\n".join(part for part in parts if part)


NAMES = ("corpus.jsonl", "corpus.jsonl.gz", "corpus.jsonl.zst")
"""What the file may be called, in the order in which it is looked for."""


def open_beir(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open the data set that a suite names; the text is the title, a blank line and the text.

    Raises:
        FormatError: with all that is wrong with the file.
        InputError: for a folder that is not there, not allowed, or has no such file.
    """
    check_options(source, ())
    folder = folder_inside(context.here / source.place, context.root, "a folder with corpus.jsonl")
    path = next((folder / name for name in NAMES if (folder / name).exists()), None)
    if path is None:
        raise InputError(
            Code.NO_SUCH_FILE(named(source), "a folder without it", "a folder with corpus.jsonl")
        )
    inside = file_inside(path, context.root, "a file of JSON objects, one a line")
    fields = (TITLE, "text")
    return read_records(inside, "_id", fields, named(source))
