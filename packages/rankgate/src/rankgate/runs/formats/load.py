"""Runs from any file: the format is told by the name and the content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from rankgate.errors import Code, FormatError, InputError
from rankgate.io.compressed import read_start
from rankgate.io.records import looks_like_objects
from rankgate.runs.formats.jsonl import read_jsonl_run
from rankgate.runs.formats.parquet import ParquetRun
from rankgate.runs.formats.trec import read_trec_run
from rankgate.runs.kept import whole_run
from rankgate.runs.store.run_folder import MANIFEST, StoredRun
from rankgate.runs.store.tables import MemoryRun
from rankgate.wording import shortest

if TYPE_CHECKING:
    from rankgate.runs.store.tables import Order

LoadedRun: TypeAlias = MemoryRun | ParquetRun | StoredRun
"""A run of any format."""
FORMATS = ("folder", "jsonl", "parquet", "trec")
"""The formats of runs, by name."""


def load_run(
    path: str | Path,
    *,
    format: str | None = None,  # noqa: A002 - the word users know
    order: Order = "trec",
) -> LoadedRun:
    """Read a run in the format named, or in the one that the name and the content of the file tell.

    Args:
        path: A folder that `rankgate run` wrote, JSON lines, a TREC run file, or hits in Parquet (a
            file or a folder of files).
        format: One of `FORMATS`; None to tell it from the file.
        order: For TREC run files, where the order of a ranking comes from.

    Raises:
        FormatError: for a file that is not in its format or was changed, or a format that is unknown.
        InputError: for a folder that holds a part of a run, or one that is not finished.
    """
    path = Path(path)
    if not path.exists():
        raise InputError(Code.NO_SUCH_FILE(str(path), "no such file or folder", "a run"))
    name = format or _detect(path)
    if name == "folder":
        return whole_run(StoredRun.open(path))
    if name == "jsonl":
        return read_jsonl_run(path)
    if name == "parquet":
        return ParquetRun.open(path)
    if name == "trec":
        return read_trec_run(path, order=order)
    raise FormatError(Code.UNKNOWN_FORMAT(str(path), f"format {name!r}", f"one of {', '.join(FORMATS)}"))


def _detect(path: Path) -> str:
    if path.is_dir():
        if (path / MANIFEST).is_file():
            return "folder"
        # Files of queries are those of a run without its manifest, which is none.
        if any(path.glob("*.parquet")) and not any(path.glob("queries-*.parquet")):
            return "parquet"
        found = f"a folder without {MANIFEST}"
        expected = f"a run as one of {', '.join(FORMATS)}"
        raise FormatError(Code.UNKNOWN_FORMAT(str(path), found, expected, _below(path)))
    suffixes = [suffix for suffix in path.suffixes if suffix not in {".gz", ".zst"}]
    if suffixes and suffixes[-1] in {".jsonl", ".ndjson"}:
        return "jsonl"
    if path.suffix == ".parquet":
        return "parquet"
    start = read_start(path).removeprefix(b"\xef\xbb\xbf")
    return "jsonl" if looks_like_objects(start) else "trec"


def _below(path: Path) -> str:
    """Return advice that names a folder with a run, or with other Parquet files, up to three levels below."""
    for name in ("queries-*.parquet", "*.parquet"):
        for folders in ("*", "*/*", "*/*/*"):
            for file in sorted(path.glob(f"{folders}/{name}"))[:1]:
                return f"name the folder that has the files, such as {shortest(file.parent)}"
    return ""
