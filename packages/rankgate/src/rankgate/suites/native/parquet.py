"""rankgate's own suites with a row a case, for suites of millions of cases.

What is said about the suite stands as JSON in the file's metadata, with the keys that a suite has.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.files.problems import Problems
from rankgate.files.tree.json_tree import read_json
from rankgate.model.suite import Suite
from rankgate.suites.formats import SuiteFormat
from rankgate.suites.native.dump import Dump
from rankgate.suites.native.settings import read_settings, suite_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from rankgate.files.tree.values import Value
    from rankgate.model.suite import Case
    from rankgate.suites.formats import ReadOptions


SUITE_KEY = "rankgate.suite"
"""The metadata key under which a file says what holds for the whole suite."""

_MAGIC = b"PAR1"
_ENDS = (".suite.parquet", ".parquet")


def read_parquet(path: str | Path, reading: ReadOptions | None = None) -> Suite:
    """Open a suite: every row is checked, and cases are made when they are asked for.

    Raises:
        FormatError: with all that is wrong with the file, each with its row.
    """
    from rankgate.suites.native.parquet_cases import open_cases

    path = Path(path)
    problems = Problems(str(path))
    fields = suite_fields(_about(path, problems))
    if "cases" in fields:
        fields.mapping.wrong("a row a case", found="cases in the metadata")
    settings, defaults = read_settings(fields, _name(path), reading)
    problems.check()
    cases, other = open_cases(path, defaults, problems)
    problems.check()
    many = "1 column that is" if len(other) == 1 else f"{len(other)} columns that are"
    notes = (f"{many} not part of a suite: {', '.join(map(repr, other[:5]))}",) if other else ()
    return Suite(cases=cases, path=str(path), notes=notes, **settings)


def write_parquet(suite: Suite, path: str | Path) -> tuple[str, ...]:
    """Write a suite, whole or not at all, in little memory however many cases it has.

    Returns:
        What the file does not hold, in words and with counts.

    Raises:
        InputError: with what no file could hold, such as a query without a word.
    """
    from polars.io.plugins import register_io_source

    from rankgate.files.atomic import replacing
    from rankgate.files.parquet import SCHEMA_KEY
    from rankgate.files.schema import VERSION
    from rankgate.suites.native.case_rows import COLUMNS, check_rows, to_frame
    from rankgate.suites.native.parquet_cases import CHUNK

    dump = Dump(suite)
    problems = Problems(f"suite {suite.name!r}")
    locations = 0

    def frames(*_pushed_down: object) -> Iterator[pl.DataFrame]:
        nonlocal locations
        for start in range(0, len(suite.cases), CHUNK):
            cases = suite.cases[start : start + CHUNK]
            locations += sum(map(_locations, cases))
            frame = to_frame(cases)
            check_rows(frame.with_row_index("row", start + 1), problems.where, dump.defaults, problems)
            yield frame

    # In the order that it was written, which what stands `under` what has to keep.
    about = json.dumps({"version": 1, **dump.settings()}, ensure_ascii=False, allow_nan=False)
    metadata = {SCHEMA_KEY: str(VERSION), SUITE_KEY: about}
    with replacing(path) as aside:
        source = register_io_source(frames, schema=COLUMNS)
        source.sink_parquet(aside, row_group_size=CHUNK, metadata=metadata)
        problems.check()
    lost = f"{locations} targets: locations are read as ids, because the suite names no corpus"
    return (*dump.losses(), lost) if locations and suite.corpus is None else dump.losses()


def _locations(case: Case) -> int:
    spots = [target.location for target in case.targets] + [top.location for top in case.top]
    return sum(location.id is None and location.quote is None for location in spots)


def _about(path: Path, problems: Problems) -> Value:
    from rankgate.files.parquet import check_version, read_metadata
    from rankgate.files.parquet_sizes import check_sizes

    check_sizes(path)
    metadata = read_metadata(path)
    check_version(path, metadata)
    value = read_json(metadata.get(SUITE_KEY, "{}"), f"{path}: {SUITE_KEY}", problems)
    if value is None or value.kind != "mapping":
        if value is not None:
            value.wrong("a mapping about the suite")
        problems.refuse()
    return value


def _name(path: Path) -> str:
    end = next((end for end in _ENDS if path.name.lower().endswith(end)), "")
    return path.name[: len(path.name) - len(end)] or path.stem


def _recognise(path: Path, start: bytes) -> bool:
    if not start.startswith(_MAGIC):
        return False
    if path.name.lower().endswith(".suite.parquet"):
        return True
    import polars as pl

    try:
        return {"query", "targets"} <= set(pl.read_parquet_schema(path))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
        return False


FORMAT = SuiteFormat(
    "parquet", "rankgate's own suites, a row a case in Parquet", read_parquet, _recognise, write_parquet
)
