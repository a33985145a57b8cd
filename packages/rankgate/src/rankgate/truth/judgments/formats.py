"""Judgments from any file: the format is told by the name and the content."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import Code, FormatError, InputError
from rankgate.io.compressed import read_start
from rankgate.io.records import looks_like_objects
from rankgate.truth.judgments.beir import HEADER, read_beir
from rankgate.truth.judgments.jsonl import read_jsonl
from rankgate.truth.judgments.table import MANIFEST, Judgments, read_judgments
from rankgate.truth.judgments.trec_qrels import read_qrels

if TYPE_CHECKING:
    from collections.abc import Callable


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
