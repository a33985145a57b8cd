"""Damage at random to the kept files of a project: to bytes, to tables, to manifests, to what a path is."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any

import polars as pl

from support.fuzz_damage import damaged_bytes, damaged_json

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from random import Random

    Change = Callable[[pl.DataFrame, Random], pl.DataFrame]

_NUMBERS = (0, -1, 1, 2, 7, 255, 1 << 31, (1 << 32) - 1, 1 << 40, -(1 << 63))
_FLOATS = (float("nan"), float("inf"), -float("inf"), -1.0, 0.0, 1e308, 5e-324)
_TEXTS = (
    "",
    " ",
    "a",
    "d3",
    "question-1",
    "ok",
    "error",
    "missing",
    "\0",
    "\u202e",
    "x" * 5000,
    "../a",
    "a.md",
)
_TYPES = (
    pl.Int8,
    pl.Int64,
    pl.UInt64,
    pl.Float32,
    pl.Float64,
    pl.String,
    pl.Binary,
    pl.Categorical,
    pl.Boolean,
)


def _rows_again(table: pl.DataFrame, draw: Random) -> pl.DataFrame:
    some = table.sample(min(table.height, draw.choice((1, 2, 20))), seed=draw.randrange(1000))
    return pl.concat([table, some] if draw.random() < 0.5 else [some, table])


def _fewer_rows(table: pl.DataFrame, draw: Random) -> pl.DataFrame:
    keep = draw.choice((0, 1, table.height // 2, table.height - 1))
    return table.sample(max(0, keep), seed=draw.randrange(1000))


def _shuffled(table: pl.DataFrame, draw: Random) -> pl.DataFrame:
    return table.sample(fraction=1.0, shuffle=True, seed=draw.randrange(1000))


def _another_value(table: pl.DataFrame, draw: Random) -> pl.DataFrame:
    """Change one value, or those of a column, to a null or to one that is odd."""
    name = _a_column(table, draw)
    kind = table[name].dtype
    value: Any = draw.choice(_TEXTS if kind == pl.String else _FLOATS if kind.is_float() else _NUMBERS)
    if draw.random() < 0.2:
        value = None
    column = table[name].cast(pl.Int64) if kind.is_integer() else table[name]
    values = column.to_list()
    places = range(len(values)) if draw.random() < 0.2 else [draw.randrange(max(1, len(values)))]
    for place in places if values else ():
        values[place] = value
    return table.with_columns(pl.Series(name, values, column.dtype, strict=False))


def _exchanged(table: pl.DataFrame, draw: Random) -> pl.DataFrame:
    """Put values of one column into other rows: types and counts stay as they are."""
    name = _a_column(table, draw)
    values = table[name].to_list()
    some = draw.sample(range(len(values)), min(len(values), draw.choice((2, 2, 6, len(values)))))
    for here, there in zip(some, [*some[1:], *some[:1]], strict=True):
        values[here], values[there] = values[there], values[here]
    return table.with_columns(pl.Series(name, values, table[name].dtype))


def _a_column(table: pl.DataFrame, draw: Random) -> str:
    """Draw a column, half of the time one that scoring reads."""
    read = [name for name in ("query", "rank", "id", "status", "hits") if name in table.columns]
    return draw.choice(read if read and draw.random() < 0.5 else table.columns)


def _another_type(table: pl.DataFrame, draw: Random) -> pl.DataFrame:
    name = draw.choice(table.columns)
    column = table[name]
    kind = draw.randrange(12)
    if kind == 0:
        return table.with_columns(pl.concat_list(column).alias(name))
    if kind == 1:
        return table.with_columns(pl.struct(column).alias(name))
    if kind == 2:
        return table.with_columns(pl.lit(None).alias(name))
    return table.with_columns(column.cast(draw.choice(_TYPES), strict=False))


def _swapped_columns(table: pl.DataFrame, draw: Random) -> pl.DataFrame:
    one, other = draw.sample(table.columns, 2)
    return table.rename({one: other, other: one})


def _other_columns(table: pl.DataFrame, draw: Random) -> pl.DataFrame:
    kind, name = draw.randrange(4), draw.choice(table.columns)
    if kind == 0:
        return table.select(draw.sample(table.columns, len(table.columns)))
    if kind == 1:
        return table.with_columns(table[name].alias(draw.choice(("extra", "", "Query", "rank2"))))
    if kind == 2:
        return table.drop(name)
    return table.rename({name: draw.choice((f"{name}s", name.upper(), ""))})


CHANGES: dict[str, Change] = {
    "rows again": _rows_again,
    "fewer rows": _fewer_rows,
    "rows shuffled": _shuffled,
    "another value": _another_value,
    "values exchanged": _exchanged,
    "another type": _another_type,
    "columns swapped": _swapped_columns,
    "other columns": _other_columns,
}
"""What is done to a table that stays one."""


def change_table(path: Path, draw: Random) -> str:
    """Rewrite a table, changed in one or several ways; a change that a table cannot have is none."""
    try:
        table, done = pl.read_parquet(path, glob=False), []
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        return change_bytes(path, draw)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        name = draw.choice([*CHANGES, "another value", "values exchanged", "values exchanged"])
        try:
            table = CHANGES[name](table, draw)
        except (pl.exceptions.PolarsError, LookupError, TypeError, OverflowError, ValueError):
            continue
        done.append(name)
    path.write_bytes(packed(table, draw))
    return f"{path.name}: {', '.join(done) or 'written again'}"


def packed(table: pl.DataFrame, draw: Random) -> bytes:
    """Write a table as one of many writers would."""
    out = BytesIO()
    table.write_parquet(
        out,
        compression=draw.choice(("lz4", "lz4", "zstd", "snappy", "gzip", "uncompressed")),
        statistics=draw.random() < 0.8,
        row_group_size=draw.choice((None, None, 1, 7)),
        metadata=draw.choice(
            ({"rankgate.schema": "1"}, {"rankgate.schema": "1"}, None, {"rankgate.schema": "2"})
        ),
    )
    return out.getvalue()


def _flipped(data: bytes, draw: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 2, 8))):
        if changed:
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def change_bytes(path: Path, draw: Random) -> str:
    """Flip bits, or cut, repeat and insert bytes."""
    data = path.read_bytes()
    if draw.random() < 0.5:
        path.write_bytes(_flipped(data, draw))
        return f"{path.name}: bits flipped"
    for _ in range(draw.choice((1, 1, 2, 8))):
        data = damaged_bytes(data, data, draw)
    path.write_bytes(data)
    return f"{path.name}: bytes changed"


def change_place(path: Path, draw: Random) -> str:
    """Make something else of a file: nothing, empty, a folder, a link, or the one beside it."""
    kind = draw.choice(("gone", "empty", "folder", "link", "loop", "dangling", "swapped", "special"))
    beside = draw.choice(sorted(one for one in path.parent.iterdir() if one.is_file()))
    data = beside.read_bytes()
    if kind == "swapped":
        path_data = path.read_bytes()
        beside.write_bytes(path_data)
        path.write_bytes(data)
        return f"{path.name} and {beside.name} swapped"
    path.unlink()
    if kind == "empty":
        path.touch()
    elif kind == "folder":
        path.mkdir()
    elif kind == "special":
        os.mkfifo(path)
    elif kind != "gone":
        path.symlink_to({"link": beside.name, "loop": path.name, "dangling": "nothing"}[kind])
    return f"{path.name}: {kind}"


def change_manifest(path: Path, draw: Random) -> str:
    """Change a JSON document: its values at any path, its bytes, what it is written in."""
    data = path.read_bytes()
    kind = draw.randrange(10)
    if kind < 6:
        try:
            data = damaged_json(data, draw)
        except ValueError:
            return change_bytes(path, draw)
    elif kind < 8:
        return change_bytes(path, draw)
    else:
        with suppress(ValueError):
            data = draw.choice(_ODD_TEXTS)(data)
    path.write_bytes(data)
    return f"{path.name}: JSON changed"


def _nested(data: bytes) -> bytes:
    deep = b'{"a":' * 5000 + b"1" + b"}" * 5000
    return data.rstrip()[:-1] + b', "options": ' + deep + b"}"


_ODD_TEXTS: tuple[Callable[[bytes], bytes], ...] = (
    lambda data: b"\xef\xbb\xbf" + data,
    lambda data: data.decode().encode("utf-16"),
    lambda data: data.replace(b'"', b'"\xff', 2),
    lambda data: data + b"\0",
    lambda data: data + data,
    lambda data: data.replace(b"10", b"1" * 5000),
    lambda data: data.replace(b"10", b"1e999"),
    lambda data: data.replace(b"8", b"NaN", 1),
    lambda data: b"[" * 100000 + data,
    _nested,
)


def hash_again(folder: Path, *, rows: bool = True) -> None:
    """Make the hashes of a manifest, and its counts of rows, those of the files as they are now."""
    path = folder / "manifest.json"
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except ValueError:
        return
    for shard in said["shards"]:
        for name in ("queries", "hits", "texts"):
            _hash_entry(folder / f"{name}-{shard['number']:05d}.parquet", shard[name], rows=rows)
    path.write_text(json.dumps(said), encoding="utf-8")


def _hash_entry(file: Path, entry: dict[str, Any], *, rows: bool) -> None:
    if not file.is_file():
        return
    data = file.read_bytes()
    entry["sha256"] = hashlib.sha256(data).hexdigest()
    if rows:
        with suppress(pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError):
            entry["rows"] = pl.scan_parquet(BytesIO(data)).select(pl.len()).collect().item()


def change_run(folder: Path, draw: Random, *, anew: bool) -> str:
    """Damage a file or two of a run; the hashes are made anew where that is wanted."""
    said = []
    for _ in range(draw.choice((1, 1, 1, 2))):
        path = draw.choice(sorted(folder.glob("*.parquet")))
        if not path.is_file() or path.is_symlink():
            continue
        # Bits that change below a hash that was made anew may make Polars end the process.
        ways = (change_table,) * (7 if anew else 2) + (change_bytes,) * (0 if anew else 3) + (change_place,)
        said.append(draw.choice(ways)(path, draw))
    if anew:
        hash_again(folder, rows=draw.random() < 0.9)
    return ", ".join(said) + (", hashes made anew" if anew else "")


def foreign_table(draw: Random) -> pl.DataFrame:
    """Make a table of somebody else."""
    rows = draw.choice((0, 1, 5, 300))
    columns: dict[str, Any] = {
        draw.choice(("query", "query_id", "qid", "q")): [f"question-{row % 8}" for row in range(rows)],
        draw.choice(("id", "doc_id", "docid", "path")): [f"d{row % 9}" for row in range(rows)],
        draw.choice(("grade", "relevance", "score", "rank")): [row % 4 for row in range(rows)],
    }
    more: dict[str, Callable[[int], Any]] = {
        "nested": lambda row: {"a": [row], "b": {"c": None}},
        "list": lambda row: [row] * (row % 3),
        "bytes": lambda row: bytes([row % 256]),
        "none": lambda _: None,
        "long": lambda row: "x" * (row * 50),
        "float": lambda row: draw.choice(_FLOATS) if row % 7 == 0 else 0.5,
    }
    for name in draw.sample(sorted(more), draw.randrange(4)):
        columns[draw.choice((name, "targets", "hits", "reviewed", "start"))] = [
            more[name](row) for row in range(rows)
        ]
    return pl.DataFrame(columns, strict=False)


def copy_over(source: Path, target: Path) -> None:
    """Put a copy of a folder where another, or nothing, is."""
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, target, symlinks=True)
