"""Judgments from files of several formats, which the name and the content of the file tell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from rankgate.errors import Code, FormatError, InputError, LocationError, Problem
from rankgate.io.compressed import read_start
from rankgate.io.parquet import parse_location
from rankgate.io.problems import Problems
from rankgate.io.records import Name, looks_like_objects, read_objects, validated
from rankgate.io.text import read_text
from rankgate.io.words import numbers, read_tabbed, read_words
from rankgate.truth.judgments.table import MANIFEST, TARGETS, Judgments, read_judgments
from rankgate.wording import quoted

# ---- BEIR: a table of query-id, corpus-id and score, with the texts of the queries beside it

HEADER = ("query-id", "corpus-id", "score")
_QUERIES = ("queries.jsonl", "queries.jsonl.gz", "queries.jsonl.zst")


def read_beir(path: str | Path, split: str = "test") -> Judgments:
    """Read a folder: ``qrels/<split>.tsv`` with the texts from ``queries.jsonl``; or a table of judgments.

    The texts for a table stand in its folder or in the one above.

    Raises:
        FormatError: with all that is wrong with the files.
    """
    path = Path(path)
    if not path.is_dir():
        return _with_texts(path, (path.parent, path.parent.parent))
    table = path / "qrels" / f"{split}.tsv"
    if not table.is_file():
        others = ", ".join(sorted(file.stem for file in (path / "qrels").glob("*.tsv"))) or "none"
        raise FormatError(
            Code.NO_SUCH_FILE(str(table), "no such file", "the judgments of a split", f"there are: {others}")
        )
    return _with_texts(table, (path,), ("no queries.jsonl: no query texts",))


def _with_texts(table: Path, folders: tuple[Path, ...], notes: tuple[str, ...] = ()) -> Judgments:
    """Read a table with the texts from the first of some folders that has them; `notes` where none has."""
    targets = _read_table(table)
    found = (folder / name for folder in folders for name in _QUERIES)
    queries = next((file for file in found if file.is_file()), None)
    if queries is None:
        return Judgments.of(targets, where=str(table), notes=notes)
    known = read_texts(queries)
    texts = pl.DataFrame(list(known.items()), schema={"query": pl.String, "text": pl.String}, orient="row")
    judged = targets.select("query").unique(maintain_order=True)
    cases = judged.join(texts, on="query", how="left", maintain_order="left")
    unjudged = texts.join(judged, on="query", how="anti").height
    textless = cases["text"].null_count()
    said = [f"{unjudged} queries without judgments left out"] if unjudged else []
    said += [f"{textless} judged queries have no text"] if textless else []
    return Judgments.of(targets, cases, where=str(table), notes=tuple(said))


def _read_table(path: Path) -> pl.DataFrame:
    words = read_tabbed(path, HEADER, kind="a BEIR table of judgments")
    problems = Problems(str(path))
    grades = numbers(words, "score", path, problems)
    problems.check()
    return words.select(
        query="query-id", id="corpus-id", grade=grades, strategy=pl.lit("id"), source=pl.lit("import")
    )


def read_texts(path: Path) -> dict[str, str | None]:
    """Read the texts of queries; None for one that has an id and no text.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    problems = Problems(str(path))
    texts: dict[str, str | None] = {}
    lines = _objects(path, problems) if looks_like_objects(read_start(path)) else _tabbed(path, problems)
    for where, name, text in lines:
        if name in texts:
            problems.add(Code.REPEATED(where, f"the query {quoted(name)} a second time", "each query once"))
        texts[name] = text
    problems.check()
    return texts


def _objects(path: Path, problems: Problems) -> Iterator[tuple[str, str, str | None]]:
    for where, found in read_objects(path, problems):
        name, text = found.get("_id"), found.get("text")
        if not name or not isinstance(name, str) or not isinstance(text, str | None):
            said = f"{where}: `_id` and `text` should be texts, and `_id` is required."
            problems.add(Code.WRONG_VALUE(where, said, "", "", said))
        else:
            yield where, name, text


def _tabbed(path: Path, problems: Problems) -> Iterator[tuple[str, str, str | None]]:
    for number, line in enumerate(read_text(path).decode().split("\n"), 1):
        name, tab, text = line.partition("\t")
        if tab and name.strip() and text.strip():
            yield f"{path}:{number}", name.strip(), text.strip()
        elif line.strip():
            expected = "an id, a tab and the text of a query"
            problems.add(Problem(f"{path}:{number}", quoted(line), expected))


# ---- JSON lines: query, id or at, grade, group, source, reviewed


@dataclass(frozen=True, slots=True)
class _JudgmentLine:
    """One judgment."""

    query: Name
    id: str | None = None
    at: str | None = None
    grade: float = 1.0
    group: str | None = None
    source: str = "import"
    reviewed: bool = True


def read_jsonl(path: str | Path) -> Judgments:
    """Read judgments, one a line.

    A missing grade is 1, a missing source is "import", and `at` is a path or path:10-50.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    problems = Problems(str(path))
    rows = [_judgment_row(found, where, problems) for where, found in read_objects(path, problems)]
    problems.check()
    ignored = sorted(problems.ignored.items())
    notes = tuple(f"field {key!r} ignored in {count} lines" for key, count in ignored)
    return Judgments.of(TARGETS.of_rows(rows), where=str(path), notes=notes)


def _judgment_row(found: dict[str, Any], where: str, problems: Problems) -> dict[str, object]:
    line: _JudgmentLine | None = validated(found, _JudgmentLine, where, problems)
    if ("id" in found) == ("at" in found):
        problems.add(
            Problem(where, "both id and at" if "id" in found else "neither id nor at", "one of the two")
        )
    if line is None:
        return {}
    path, lines = None, None
    if line.at is not None:
        try:
            path, lines = parse_location(line.at)
        except LocationError as error:
            problems.add(Problem(f"{where}: at", f"{line.at!r:.80} ({error})", "path or path:10-50"))
    return {
        "query": line.query,
        "target": 0,
        "group": line.group,
        "grade": line.grade,
        "id": line.id,
        "path": path,
        "start": lines.start if lines else None,
        "end": lines.end if lines else None,
        "strategy": "id" if line.at is None else "lines" if lines else "path",
        "source": line.source or "import",
        "reviewed": line.reviewed,
    }


# ---- TREC qrels: lines of query, iteration, id and grade


def read_qrels(path: str | Path) -> Judgments:
    """Read qrels. The iteration is ignored, as trec_eval does; grades may be fractions.

    Raises:
        FormatError: with all that is wrong with the file.
    """
    notes: list[str] = []
    names = ("query", "iteration", "id", "grade")
    words = read_words(path, names, kind="a file of TREC qrels", notes=notes)
    problems = Problems(str(path))
    grades = numbers(words, "grade", path, problems)
    problems.check()
    targets = words.select("query", "id", grades, strategy=pl.lit("id"), source=pl.lit("import"))
    return Judgments.of(targets, where=str(path), notes=tuple(notes))


# ---- any of them

FORMATS: dict[str, Callable[[Path], Judgments]] = {
    "folder": read_judgments,
    "parquet": read_judgments,
    "beir": read_beir,
    "jsonl": read_jsonl,
    "trec": read_qrels,
}
"""The formats of judgments, by name."""


def load_judgments(path: str | Path, format: str | None = None) -> Judgments:  # noqa: A002 - the word users know
    """Read judgments in the format named, or in the one that the name and the content of the file tell.

    Raises:
        FormatError: for a file that is not in its format, or a format that is unknown.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(Code.NO_SUCH_FILE(str(path), "no such file or folder", "judgments"))
    name = format or _detect(path)
    if name not in FORMATS:
        raise FormatError(Code.UNKNOWN_FORMAT(str(path), f"format {name!r}", f"one of {', '.join(FORMATS)}"))
    return FORMATS[name](path)


def _detect(path: Path) -> str:
    if path.is_dir():
        if (path / MANIFEST).is_file():
            return "folder"
        if (path / "qrels").is_dir():
            return "beir"
        raise FormatError(
            Code.UNKNOWN_FORMAT(
                str(path),
                "a folder without manifest.json or qrels/",
                f"judgments as one of {', '.join(FORMATS)}",
                "name the format, or the file itself",
            )
        )
    suffixes = [suffix for suffix in path.suffixes if suffix not in {".gz", ".zst"}]
    suffix = suffixes[-1] if suffixes else ""
    by_name = {".parquet": "parquet", ".jsonl": "jsonl", ".ndjson": "jsonl"}.get(suffix)
    return by_name or _detect_by_content(path)


def _detect_by_content(path: Path) -> str:
    start = read_start(path).removeprefix(b"\xef\xbb\xbf")
    if start.startswith(b"PAR1"):
        return "parquet"
    if looks_like_objects(start):
        return "jsonl"
    if start.startswith("\t".join(HEADER).encode()):
        return "beir"
    lines = (line.split() for line in start.splitlines())
    first = next((words for words in lines if words and not words[0].startswith(b"#")), None)
    if first is None or len(first) >= 4:
        return "trec"
    fix = f"name the format, one of {', '.join(FORMATS)}"
    raise FormatError(
        Code.UNKNOWN_FORMAT(
            str(path), f"a first line of {len(first)} words", "judgments in a known format", fix
        )
    )
