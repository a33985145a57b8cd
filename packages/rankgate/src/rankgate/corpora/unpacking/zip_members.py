"""The members of a zip, with everything checked that a zip can say twice and differently."""

from __future__ import annotations

import stat
import zipfile
from typing import IO, TYPE_CHECKING

from rankgate.corpora.unpacking.decompression import CHUNK, damage
from rankgate.corpora.unpacking.members import Member, MemberKind, refusal

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.corpora.unpacking.members import UnpackLimits


_LOCAL = 30
_LONGEST_LINK = 4096
_END = b"PK\x05\x06"
_END64 = b"PK\x06\x06"
_TAIL = 22 + (1 << 16)
_OTHER = (stat.S_IFCHR, stat.S_IFBLK, stat.S_IFIFO, stat.S_IFSOCK)


def looks_like_zip(start: bytes) -> bool:
    """Return from its first bytes whether a file is a zip."""
    return start.startswith((b"PK\x03\x04", _END))


def zip_members(file: IO[bytes], where: str, limits: UnpackLimits) -> Iterator[Member]:
    """Go through the members of a zip.

    Raises:
        FormatError: for what is not a whole zip, is encrypted, overlaps, or passes a limit.
    """
    _check_directory(file, where, limits)
    with damage(where):
        try:
            archive = zipfile.ZipFile(file)
        except zipfile.BadZipFile as error:
            raise refusal(
                where, None, f"what is no whole zip ({error})", "a zip", "fetch it again"
            ) from error
    with archive:
        infos = archive.infolist()
        _check_overlaps(infos, archive.start_dir, where)
        for info in infos:
            yield _member(archive, info, where)


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> Member:
    name = info.orig_filename
    if info.flag_bits & 0x2041:
        raise refusal(where, name, "an encrypted file", "a zip without a password")
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        found = f"compression method {info.compress_type}"
        raise refusal(where, name, found, "files that are stored or deflated")
    form = stat.S_IFMT(info.external_attr >> 16)
    if form in _OTHER:
        return Member(name, MemberKind.OTHER)
    if name.endswith(("/", "\\")):
        if info.file_size:
            raise refusal(where, name, "a folder with content", "a folder without")
        return Member(name, MemberKind.FOLDER)
    content = _content(archive, info, where)
    if form != stat.S_IFLNK:
        return Member(name, MemberKind.FILE, content)
    if info.file_size > _LONGEST_LINK:
        raise refusal(where, name, f"a link of {info.file_size} bytes", f"at most {_LONGEST_LINK}")
    return Member(name, MemberKind.SYMLINK, target=b"".join(content).decode(errors="surrogateescape"))


def _content(archive: zipfile.ZipFile, info: zipfile.ZipInfo, where: str) -> Iterator[bytes]:
    name, read = info.orig_filename, 0
    with damage(f"{where}, member {name[:200]!r}"):
        try:
            with archive.open(info) as stream:
                while chunk := stream.read(CHUNK):
                    read += len(chunk)
                    yield chunk
        except (zipfile.BadZipFile, NotImplementedError) as error:
            raise refusal(where, name, f"bad data ({error})", "a whole zip", "fetch it again") from error
    if read != info.file_size:
        raise refusal(where, name, f"{read} bytes", f"the {info.file_size} that its header says")


def _check_overlaps(infos: list[zipfile.ZipInfo], directory: int, where: str) -> None:
    """Refuse members that share bytes: that is how a small zip unpacks to a huge one."""
    end = 0
    for info in sorted(infos, key=lambda info: info.header_offset):
        if info.header_offset < end:
            raise refusal(where, info.orig_filename, "a file that overlaps another", "files side by side")
        end = info.header_offset + _LOCAL + len(info.orig_filename) + info.compress_size
        if end > directory:
            raise refusal(where, info.orig_filename, "a file that runs past the end", "a whole zip")


def _check_directory(file: IO[bytes], where: str, limits: UnpackLimits) -> None:
    """Check how large the list of members says it is, before it is read into memory.

    Every end record that a reader could choose is looked at.
    """
    size = file.seek(0, 2)
    start = max(0, size - _TAIL - 76)
    file.seek(start)
    tail = file.read()
    file.seek(0)
    at = tail.rfind(_END)
    while at >= 0:
        sizes = [int.from_bytes(tail[at + 12 : at + 16], "little")]
        record = tail[max(0, at - 76) : max(0, at - 20)]
        if record.startswith(_END64):
            sizes[0:1] = [int.from_bytes(record[40:48], "little")]
        if max(sizes) > limits.directory:
            found = f"a list of members of {max(sizes)} bytes"
            raise refusal(where, None, found, f"at most {limits.directory}")
        at = tail.rfind(_END, 0, at)
