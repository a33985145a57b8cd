"""Archives: a tar, plain or compressed by gzip, bzip2, xz or Zstandard, or a zip."""

from __future__ import annotations

import bz2
import errno
import gzip
import hashlib
import lzma
import math
import stat
import struct
import sys
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import IO, Any, cast

from rankgate.corpora.cache import LARGEST, open_cached
from rankgate.corpora.corpus import (
    SELECTION_KEYS,
    Corpus,
    OpenContext,
    check_options,
    corpus_path,
    named,
    under_of,
)
from rankgate.errors import Code, FormatError, InputError, LocationError, escaped
from rankgate.locations import normal_path
from rankgate.model import CorpusSource

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

HEADERS = 1 << 28  # of a tar, in bytes; tarfile keeps them in memory
_COMPRESSIONS: Mapping[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
    b"\x28\xb5\x2f\xfd": zstd.open,
}
# What the libraries raise for archives that are damaged or hostile.
_DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError),
    *(struct.error, ArithmeticError, LocationError, LookupError, OSError, RuntimeError, ValueError),
)
_OUR_DISK = (errno.ENOSPC, errno.EACCES, errno.EPERM, errno.EROFS)


def open_archive(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open the archive that a suite names."""
    check_options(source, ("sha256", "under", *SELECTION_KEYS))
    where, under = named(source), under_of(source)
    pinned = str(source.options.get("sha256", "")).lower()
    path = corpus_path(context.here / source.place, context.root, "an archive")
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if pinned and found != pinned:
                fix = "fetch the archive again, or write its sha256 if the change is meant"
                raise FormatError(Code.HASH_MISMATCH(where, f"sha256 {found}", f"sha256 {pinned}", fix))

            def fill(folder: Path) -> tuple[dict[str, str], tuple[str, ...]]:
                context.tell(f"unpacking {path.name}")
                return _without_top(folder, unpack(file, folder, where)), ()

            corpus = open_cached(context, f"archive-{found}", under, where, fill)
    except OSError as error:
        said = str(error.strerror or error)
        raise InputError(Code.UNREADABLE_FILE(where, said, "a file that can be read")) from error
    if pinned:
        return corpus
    note = f"not pinned: write sha256: {found} to hold it"
    return replace(corpus, notes=(*corpus.notes, note), pin={"sha256": found})


def unpack(file: IO[bytes], folder: Path, where: str) -> dict[str, str]:
    """Unpack an archive into an empty folder, and return why links were skipped, by path.

    All members are checked before the first is written.
    """
    file.seek(0)
    start = file.read(6)
    file.seek(0)
    total, wanted, skipped = 0, [], {}
    try:
        members = _zip_members(file) if start.startswith(b"PK") else _tar_members(file, start)
        for member, extract in members:
            tarfile.data_filter(member, str(folder))
            total += member.size
            if member.size < 0 or total > LARGEST:
                raise tarfile.TarError(f"more than {LARGEST:,} bytes")
            if member.issym() or member.islnk():
                skipped[normal_path(member.name)] = "a symbolic link" if member.issym() else "a hard link"
            elif member.isreg():
                wanted.append(extract)
        for extract in wanted:
            extract(folder)
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno in _OUR_DISK:
            raise
        found = f"{escaped(str(error) or type(error).__name__)[:300]}"
        expected = "a whole tar or zip with members in its own folder"
        fix = "fetch it again; if you trust it, unpack it yourself and name the folder"
        raise FormatError(Code.UNSAFE_ARCHIVE(where, found, expected, fix)) from error
    return skipped


def _without_top(folder: Path, skipped: dict[str, str]) -> dict[str, str]:
    """Move everything up if it is in one folder."""
    tops = {path.name for path in folder.iterdir()} | {name.partition("/")[0] for name in skipped}
    top = folder / min(tops, default="")
    if len(tops) != 1 or not top.is_dir():
        return skipped
    inner = top.rename(folder.parent / "inner")
    folder.rmdir()
    inner.rename(folder)
    return {name.removeprefix(f"{top.name}/"): why for name, why in skipped.items()}


def _zip_members(file: IO[bytes]) -> Iterator[tuple[tarfile.TarInfo, Callable[[Path], object]]]:
    archive = zipfile.ZipFile(file)
    for info in archive.infolist():
        member = tarfile.TarInfo(info.filename)
        member.size = info.file_size
        if info.is_dir():
            member.type = tarfile.DIRTYPE
        elif stat.S_ISLNK(info.external_attr >> 16):
            member.type = tarfile.SYMTYPE
            with archive.open(info) as link:
                member.linkname = link.read(4096).decode(errors="surrogateescape")
        yield member, partial(archive.extract, info)


def _tar_members(file: IO[bytes], start: bytes) -> Iterator[tuple[tarfile.TarInfo, Callable[[Path], object]]]:
    opener = next((each for magic, each in _COMPRESSIONS.items() if start.startswith(magic)), None)
    stream = _Bounded(file if opener is None else opener(file))
    archive = tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r:")  # noqa: SIM115 - read until unpacked
    for member in archive:
        yield member, partial(archive.extract, member, set_attrs=False, filter="data")
    stream.left = math.inf


class _Bounded:
    """A stream for tarfile, which reads headers of any size into memory."""

    def __init__(self, stream: Any) -> None:
        self.seek, self.tell, self._read = stream.seek, stream.tell, stream.read
        self.left: float = HEADERS

    def read(self, size: int) -> bytes:
        self.left -= size
        if self.left < 0:
            raise tarfile.ReadError(f"headers of more than {HEADERS:,} bytes")
        return cast("bytes", self._read(size))
