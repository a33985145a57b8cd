"""Tables and lists of records of other tools: CSV, JSON, JSON Lines, Parquet and YAML as plain values."""

from __future__ import annotations

import ast
import csv
import json
import math
import re
from collections import Counter
from io import StringIO
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, FormatError
from rankgate.io.records import parse_json
from rankgate.io.text import read_text
from rankgate.io.yaml import Plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.errors import Problem
    from rankgate.io.problems import Problems

LIMIT = 64_000_000
"""How many bytes a file may have."""
CELLS = 2_000_000
"""How many cells a table may have."""
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)
_KEY = re.compile(r'"([^"\\]{1,80})"\s*:')


def read_values(path: Path, problems: Problems) -> tuple[list[tuple[Any, str]], bool]:
    """Return the rows or documents of a file, each with where it is, and whether it is a table.

    Raises:
        FormatError: for a file that is too large, and with all that is wrong with it.
    """
    suffix = suffix_of(path)
    if suffix == ".parquet":
        found, is_table = list(_parquet(path)), True
    elif suffix in (".yaml", ".yml"):
        found, is_table = [(_yaml(path, problems), str(path))], False
    else:
        text = file_text(path)
        is_json = suffix in (".json", ".jsonl", ".ndjson") or text.lstrip()[:1] in ("{", "[")
        is_table = suffix in (".csv", ".tsv") or not is_json
        found = list(_rows(text, path, problems) if is_table else _documents(text, path, problems))
    problems.check()
    return found, is_table


def suffix_of(path: Path) -> str:
    """Return the last suffix of a file without that of its compression, in lower case."""
    suffixes = [one.lower() for one in path.suffixes if one.lower() not in (".gz", ".zst")]
    return suffixes[-1] if suffixes else ""


def file_text(path: Path) -> str:
    """Read a text file that is not too large to be held as Python objects.

    Raises:
        FormatError: for a larger one, and for what is not UTF-8.
    """
    return read_text(path, limit=LIMIT).decode()


def field_names(path: Path, start: bytes) -> set[str]:
    """Return the columns of a table, or the keys of JSON at any depth, from the first bytes of a file."""
    if suffix_of(path) == ".parquet":
        import polars as pl

        try:
            return set(pl.read_parquet_schema(path))
        except (pl.exceptions.PolarsError, OSError):
            return set()
    text = start.removeprefix(b"\xef\xbb\xbf").decode("utf-8", errors="replace").lstrip()
    if text[:1] in ("{", "["):
        return set(_KEY.findall(text))
    try:
        cells = next(csv.reader(text.splitlines()[:1], strict=True, delimiter=separator_of(text)), [])
    except csv.Error:
        return set()
    return {cell.strip() for cell in cells}


def separator_of(text: str) -> str:
    r"""Return the separator of a table by its header: a comma, unless the header has none.

    >>> separator_of("search term;page\nkeys, old and new;keys.md"), separator_of("query,at (path;grade)\n")
    (';', ',')
    """
    header = next((line for line in text.splitlines() if line.strip()), "")
    found = (one for one in ",;\t" if len(next(csv.reader([header], delimiter=one), [])) > 1)
    return next(found, ",")


def spelled(value: Any) -> Any:
    """Return the list or object that a text spells, as JSON or Python writes it; anything else as it is.

    >>> spelled("['a', 'b']"), spelled('{"a": 1}'), spelled("[draft]")
    (['a', 'b'], {'a': 1}, '[draft]')
    """
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    for parse in (parse_json, ast.literal_eval):
        try:
            found = parse(value.strip())
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        return found if isinstance(found, (list, dict)) else value
    return value


def number_of(value: object) -> float | None:
    """Take a number, or text that spells one; None for anything else and for what is not finite.

    >>> number_of("100.000"), number_of("relevant"), number_of("1_000")
    (100.0, None, None)
    """
    if isinstance(value, str):
        value = value.strip()
        if len(value) > 400 or not _NUMBER.fullmatch(value):
            return None
    elif isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def wrong(where: str, said: str, fix: str = "", code: Code = Code.WRONG_FORMAT) -> Problem:
    """Return a problem of a file that one sentence describes."""
    return code(where, said, "", fix, f"{where}: {said}")


def _documents(text: str, path: Path, problems: Problems) -> Iterator[tuple[Any, str]]:
    """Parse one JSON document, or one a line."""

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        for key, count in Counter(key for key, _ in pairs).items():
            if count > 1:
                problems.add(
                    wrong(where, f"the key {key!r:.80} occurs twice in one object", "", Code.REPEATED)
                )
        return dict(pairs)

    lines = [(n, line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    if not lines:
        problems.add(wrong(str(path), "the file is empty"))
        return
    try:
        json.loads(lines[0][1])
        is_lines = len(lines) > 1 or suffix_of(path) in (".jsonl", ".ndjson")
        pieces = [(line, f"{path}:{number}") for number, line in lines] if is_lines else []
    except (ValueError, RecursionError):
        pieces = []
    for piece, where in pieces or [(text, str(path))]:
        try:
            yield parse_json(piece, object_pairs_hook=once), where
        except (ValueError, RecursionError) as error:
            problems.add(wrong(where, f"invalid JSON: {error!s:.120}", "", Code.BAD_SYNTAX))


def _rows(text: str, path: Path, problems: Problems) -> Iterator[tuple[Any, str]]:
    """Read CSV: rows by the columns of the header, without those that have no text."""
    separator = separator_of(text)
    reader = csv.reader(StringIO(text, newline=""), strict=True, delimiter=separator)
    header: list[str] = []
    where, total = f"{path}:1", 0
    try:
        for cells in reader:
            total += len(cells)
            if total > CELLS:
                fix = "Split it, or score it with `rankgate score`."
                said = f"{path}: the table has more than {CELLS:,} cells. {fix}"
                raise FormatError(Code.TOO_LARGE(str(path), f"more than {CELLS} cells", "", "", said))
            if not any(cell.strip() for cell in cells):
                pass
            elif not header:
                header = [cell.strip() for cell in cells]
                for name, count in Counter(filter(None, header)).items():
                    if count > 1:
                        problems.add(wrong(where, f"the header has {count} columns {name!r:.80}"))
            elif any(cell.strip() for cell in cells[len(header) :]):
                fix = f"put a cell that contains {separator!r} in double quotes"
                problems.add(wrong(where, f"{len(cells)} cells below a header of {len(header)}", fix))
            else:
                yield {name: cell for name, cell in zip(header, cells, strict=False) if name}, where
            where = f"{path}:{reader.line_num + 1}"
    except csv.Error as error:
        problems.add(wrong(where, f"invalid CSV: {error}", "", Code.BAD_SYNTAX))
    if not header:
        problems.add(wrong(str(path), "the file is empty: it needs a header and rows"))


def _parquet(path: Path) -> Iterator[tuple[Any, str]]:
    import polars as pl

    try:
        frame = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError) as error:
        raise FormatError(
            wrong(str(path), f"invalid Parquet: {error!s:.120}", "", Code.BAD_SYNTAX)
        ) from error
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        yield row, f"{path}: row {number}"


def _yaml(path: Path, problems: Problems) -> Any:
    """Read YAML as JSON would be; numbers and dates stay the text that they are written as."""
    from rankgate.io.yaml import read_yaml

    document = read_yaml(path)
    for problem in document.problems:
        problems.add(problem)
    return _simple(document.data)


def _simple(value: Any) -> Any:
    from rankgate.io.yaml import typed

    if isinstance(value, dict):
        return {key: _simple(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_simple(item) for item in value]
    if value.__class__ is not Plain:
        return value
    flag = typed(value)
    return flag if flag is None or isinstance(flag, bool) else str(value)
