"""A local archive: a tar, plain or compressed by gzip, bzip2, xz or Zstandard, or a zip."""

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
from dataclasses import replace
from functools import partial
from typing import IO, TYPE_CHECKING, Any, cast

from rankgate.corpora.cache import LARGEST, Unpacked, open_kept, read_unpacked
from rankgate.corpora.options import SELECTION_KEYS, check_options, file_inside, named, sha256_of, under_of
from rankgate.errors import Code, FormatError, InputError, LocationError, escaped
from rankgate.model.locations import normal_path

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus, OpenContext
    from rankgate.model.suite import CorpusSource

    _Member = tuple[tarfile.TarInfo, Callable[[Path], object]]

MEMBERS = 250_000
"""How many members an archive may have."""
HEADERS = 1 << 28
"""How many bytes the headers of a tar may have in all: 256 MiB."""
_COMPRESSIONS: Mapping[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": gzip.open,
    b"BZh": bz2.open,
    b"\xfd7zXZ\0": lzma.open,
    b"\x28\xb5\x2f\xfd": zstd.open,
}
_DAMAGE = (
    *(tarfile.TarError, zipfile.BadZipFile, EOFError, zlib.error, lzma.LZMAError, zstd.ZstdError),
    *(struct.error, ArithmeticError, LocationError, LookupError, OSError, RuntimeError, ValueError),
)
"""What the libraries raise for archives that are damaged or hostile."""
_OUR_DISK = (errno.ENOSPC, errno.EACCES, errno.EPERM, errno.EROFS)


def open_archive(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open the archive that a suite names.

    Raises:
        FormatError: for an archive that is not the pinned one, is damaged, or is refused.
        InputError: for one that is not there, not allowed, or cannot be read.
    """
    check_options(source, ("sha256", "under", *SELECTION_KEYS))
    where, pinned, under = named(source), sha256_of(source), under_of(source)
    path = file_inside(context.here / source.place, context.root, "an archive")
    try:
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest()
            if pinned is not None and found != pinned:
                fix = "fetch the archive again, or write its sha256 if the change is meant"
                raise FormatError(Code.HASH_MISMATCH(where, f"sha256 {found}", f"sha256 {pinned}", fix))

            def fill(folder: Path) -> Unpacked:
                context.tell(f"unpacking {path.name}")
                return read_unpacked(folder, unpack(file, folder, where), strip=True)

            corpus = open_kept(context, f"archive-{found}", under, where, fill)
    except OSError as error:
        raise InputError(
            Code.UNREADABLE_FILE(where, str(error.strerror or error), "a file that can be read")
        ) from error
    if pinned is None:
        note = f"not pinned: write sha256: {found} to hold it"
        return replace(corpus, notes=(*corpus.notes, note), pin={"sha256": found})
    return corpus


def unpack(file: IO[bytes], folder: Path, where: str) -> dict[str, str]:
    """Unpack an archive into an empty folder, and return why links were left out, by path.

    Raises:
        FormatError: for an archive that is damaged or too large, or has a member outside the folder.
    """
    file.seek(0)
    start = file.read(6)
    file.seek(0)
    try:
        return _extract(_zip_members(file) if start.startswith(b"PK") else _tar_members(file, start), folder)
    except _DAMAGE as error:
        if isinstance(error, OSError) and error.errno in _OUR_DISK:
            raise
        found = f"{escaped(str(error) or type(error).__name__)[:300]}"
        expected = "a whole tar or zip with members in its own folder"
        fix = "fetch it again; if you trust it, unpack it yourself and name the folder"
        raise FormatError(Code.UNSAFE_ARCHIVE(where, found, expected, fix)) from error


def _extract(members: Iterator[_Member], folder: Path) -> dict[str, str]:
    """Check all members before the first is written."""
    total, wanted, left_out = 0, [], {}
    for number, (member, extract) in enumerate(members, 1):
        tarfile.data_filter(member, str(folder))
        total += member.size
        if member.size < 0 or total > LARGEST or number > MEMBERS:
            raise tarfile.TarError(f"more than {LARGEST:,} bytes or {MEMBERS:,} members")
        if member.issym() or member.islnk():
            left_out[normal_path(member.name)] = "a symbolic link" if member.issym() else "a hard link"
        elif member.isreg():
            wanted.append(extract)
    for extract in wanted:
        extract(folder)
    return left_out


def _zip_members(file: IO[bytes]) -> Iterator[_Member]:
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


def _tar_members(file: IO[bytes], start: bytes) -> Iterator[_Member]:
    opener = next((each for magic, each in _COMPRESSIONS.items() if start.startswith(magic)), None)
    stream = _Bounded(file if opener is None else opener(file))
    archive = tarfile.open(fileobj=cast("IO[bytes]", stream), mode="r:")  # noqa: SIM115 - read until unpacked
    for member in archive:
        yield member, partial(archive.extract, member, set_attrs=False, filter="data")
    stream.left = math.inf


class _Bounded:
    """A stream for tarfile, which reads the headers of a member whole, however long they claim to be."""

    def __init__(self, stream: Any) -> None:
        self.seek, self.tell, self._read = stream.seek, stream.tell, stream.read
        self.left: float = HEADERS

    def read(self, size: int) -> bytes:
        self.left -= size
        if self.left < 0:
            raise tarfile.ReadError(f"headers of more than {HEADERS:,} bytes")
        return cast("bytes", self._read(size))
