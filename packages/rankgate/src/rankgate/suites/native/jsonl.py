"""rankgate's own suites with a case a line, for suites that are too large for YAML.

The first line may be about the suite, with the keys that a suite has; each further line is a case, with the
keys that a case has. A file that starts with a case is recognised only by its name, ``….suite.jsonl``: lines
of judgments, each with a query and an id, look the same.
"""

from __future__ import annotations

import codecs
import json
import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.files.compressed import write_text
from rankgate.files.problems import Problems
from rankgate.files.text import read_lines
from rankgate.files.tree.json_tree import read_json, value_of
from rankgate.model.suite import Suite
from rankgate.suites.formats import SuiteFormat
from rankgate.suites.native.cases import read_cases
from rankgate.suites.native.dump import Dump
from rankgate.suites.native.settings import read_settings, suite_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.files.tree.values import Value
    from rankgate.suites.formats import ReadOptions


LONGEST = 1_000_000
"""How many bytes a line may have."""

_NAME = re.compile(
    r"(?P<name>.*?)(?P<suite>\.suite)?\.(?:jsonl|ndjson)(?:\.gz|\.zst)?\Z", re.IGNORECASE | re.DOTALL
)
_START = re.compile(rb'\s*\{\s*"version"\s*:\s*1\b')


def read_jsonl(path: str | Path, reading: ReadOptions | None = None) -> Suite:
    """Read a suite.

    Raises:
        InputError: for a file that cannot be read.
        FormatError: with all that is wrong with the file, each with its line and its path in it.
    """
    problems = Problems(str(path))
    values = _values(path, problems)
    first = next(values, None)
    if first is None:
        problems.add(Code.NO_CASES(str(path), "a file without a case", "a case a line"))
        problems.refuse()
    about, cases = _parted(first, values, problems)
    if "cases" in (fields := suite_fields(about)):
        fields.mapping.wrong("a case in each line that follows", found="cases in the line about the suite")
    named = _NAME.match(Path(path).name)
    settings, defaults = read_settings(fields, (named and named["name"]) or Path(path).stem, reading)
    read = read_cases(cases, defaults)
    if not read and not problems.total:
        problems.add(Code.NO_CASES(str(path), "a suite without cases", "a case a line"))
    problems.check()
    return Suite(cases=read, path=str(path), **settings)


def write_jsonl(suite: Suite, path: str | Path) -> tuple[str, ...]:
    """Write a suite, whole or not at all; compressed if the name ends in ``.gz`` or ``.zst``.

    Returns:
        What the file does not hold, in words and with counts.

    Raises:
        InputError: with what no file could hold, such as a query without a word.
    """
    dump = Dump(suite)
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    about = encode({"version": 1, **dump.settings()})
    if (size := len(about.encode())) > LONGEST:
        found = f"{size} bytes about the suite, such as its scenarios and invariants"
        fix = "write it as YAML or Parquet"
        raise InputError(Code.TOO_LARGE(str(path), found, f"at most {LONGEST}, the longest line", fix))
    write_text(path, (f"{line}\n" for line in chain([about], map(encode, dump.cases()))))
    return dump.losses()


def _values(path: str | Path, problems: Problems) -> Iterator[Value]:
    for number, line in enumerate(read_lines(path, longest=LONGEST), 1):
        where = f"{path}:{number}"
        try:
            text = (line.removeprefix(codecs.BOM_UTF8) if number == 1 else line).decode()
        except UnicodeDecodeError as error:
            found = f"byte 0x{error.object[error.start]:02x}, which is not UTF-8"
            problems.add(Code.NOT_UTF8(where, found, "UTF-8 text", "save the file as UTF-8"))
            continue
        if text and not text.isspace():
            value = read_json(text, where, problems, number)
            if value is not None:
                yield value


def _parted(first: Value, others: Iterator[Value], problems: Problems) -> tuple[Value, Iterator[Value]]:
    if first.kind == "mapping" and all(key.raw != "query" for key, _ in first.pairs()):
        return first, others
    nothing = value_of({}, problems.where, problems)
    return nothing or first, chain([first], others)


def _recognise(path: Path, start: bytes) -> bool:
    named = _NAME.match(path.name)
    if named is None or named["suite"] is not None:
        return named is not None
    line, end, _ = start.removeprefix(codecs.BOM_UTF8).lstrip().partition(b"\n")
    if not end:  # the line about the suite goes on
        return _START.match(line) is not None
    try:
        about = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(about, dict) and "version" in about and not {"query", "cases"} & set(about)


FORMAT = SuiteFormat(
    "jsonl", "rankgate's own suites, a case a line of JSON", read_jsonl, _recognise, write_jsonl
)
