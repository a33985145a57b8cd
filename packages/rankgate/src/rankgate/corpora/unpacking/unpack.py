"""Members written into a folder, safely: nothing outside it, nothing twice, nothing without end.

Links, submodules and names that are not UTF-8 are left out and counted, as in a folder. Everything else that
is not a plain file or folder, and every name that could be written elsewhere or over another, refuses the
whole archive.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.corpora.folder import LIMIT
from rankgate.corpora.unpacking.decompression import damage, decompressed
from rankgate.corpora.unpacking.members import LIMITS, MemberKind, Names, leads_out, refusal, wrong_with
from rankgate.corpora.unpacking.tar_members import BLOCK, looks_like_tar, tar_members
from rankgate.corpora.unpacking.zip_members import looks_like_zip, zip_members
from rankgate.errors import escaped
from rankgate.model.locations import normal_path
from rankgate.progress import tracked

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from pathlib import Path
    from typing import IO

    from rankgate.corpora.unpacking.members import Member, UnpackLimits


_KILOBYTE = 1024
NOT_UTF8 = "named in bytes that are not UTF-8"
"""Why a file with such a name is left out."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What was written."""

    top: str
    """The one folder that everything is in, which paths leave out; empty where there is none."""
    texts: Mapping[str, str]
    """The SHA-256 of every file that is text and not too large, by path."""
    left_out: Mapping[str, str]
    """Why a member was not written, by path."""
    notes: tuple[str, ...] = ()
    """What else is to be known, in words."""


def unpack_archive(file: IO[bytes], folder: Path, where: str, limits: UnpackLimits = LIMITS) -> Unpacked:
    """Unpack a tar, compressed or not, or a zip into an empty folder; its first bytes tell which it is.

    Raises:
        FormatError: naming the member and what is wrong with it.
    """
    packed = file.seek(0, 2)
    file.seek(0)
    unpacker = Unpacker(folder, where, limits, packed)
    with tracked("unpacking, kB", packed // _KILOBYTE) as advance:
        read = 0
        for member in _members(file, where, limits, packed):
            unpacker.take(member)
            # Members of a zip may lie in any order.
            now = max(read, file.tell() // _KILOBYTE)
            advance(now - read)
            read = now
    return unpacker.done(strip=True)


def _members(file: IO[bytes], where: str, limits: UnpackLimits, packed: int) -> Iterator[Member]:
    start = file.read(4)
    file.seek(0)
    if looks_like_zip(start):
        return zip_members(file, where, limits)
    with damage(where):
        first = decompressed(file).read(BLOCK)
        file.seek(0)
        if not looks_like_tar(first):
            found = "an empty file" if packed == 0 else "what is no archive"
            expected = "a tar (plain, gzip, bzip2, xz or Zstandard) or a zip"
            raise refusal(where, None, found, expected, "check the file's name")
        return tar_members(decompressed(file), where, limits, packed)


class Unpacker:
    """Writes members one by one; the folder is empty and nobody else's."""

    def __init__(
        self, folder: Path, where: str, limits: UnpackLimits = LIMITS, packed: int | None = None
    ) -> None:
        self._folder = folder
        self._where = where
        self._limits = limits
        self._packed = packed
        self._names = Names()
        self._members = 0
        self._total = 0
        self._files: set[str] = set()
        self._texts: dict[str, str] = {}
        self._left_out: dict[str, str] = {}
        self._notes: list[str] = []

    def take(self, member: Member) -> None:
        """Write one member, or leave it out.

        Raises:
            FormatError: for a member that refuses the whole archive.
        """
        self._members += 1
        if self._members > self._limits.members:
            raise refusal(self._where, None, f"more than {self._limits.members} members", "fewer")
        path = self._path(member)
        if path is None:
            return
        if member.kind is MemberKind.FILE:
            self._files.add(path)
            self._write(path, member)
        elif member.kind is not MemberKind.FOLDER:
            self._left_out[path] = member.kind.value

    def note(self, words: str) -> None:
        """Keep something that is to be known."""
        self._notes.append(words)

    def done(self, *, strip: bool) -> Unpacked:
        """Return what was written; where everything is in one folder, that folder may be left out of paths.

        Raises:
            FormatError: where there was nothing to write.
        """
        if not self._files:
            raise refusal(self._where, None, "no files", "an archive of text files", "check what it holds")
        tops = {path.partition("/")[0] for path in (*self._files, *self._left_out)}
        flat = any("/" not in path for path in (*self._files, *self._left_out))
        top = next(iter(tops)) if strip and len(tops) == 1 and not flat else ""
        skip = len(top) + 1 if top else 0
        return Unpacked(
            top,
            {path[skip:]: sha256 for path, sha256 in sorted(self._texts.items())},
            {path[skip:]: why for path, why in sorted(self._left_out.items())},
            tuple(self._notes),
        )

    def _path(self, member: Member) -> str | None:
        """Check a name and give the path to write to, or None for what is not written."""
        name, kind = member.name, member.kind
        if kind is MemberKind.OTHER:
            raise refusal(self._where, name, kind.value, "files, folders and links")
        if reason := wrong_with(name):
            raise refusal(self._where, name, reason, "a relative path inside the archive")
        if not name.replace("\\", "/").strip("./"):
            if kind is MemberKind.FOLDER and name:
                return None
            raise refusal(self._where, name, "an empty name", "a name")
        path = normal_path(name)
        hard = kind is MemberKind.HARDLINK
        if (
            member.target is not None
            and kind in (MemberKind.SYMLINK, MemberKind.HARDLINK)
            and leads_out(name, member.target, from_top=hard)
        ):
            raise refusal(self._where, name, f"{kind.value} that leads out of the archive", "none such")
        try:
            path.encode()
        except UnicodeEncodeError:
            self._left_out[escaped(path.encode(errors="surrogateescape").decode(errors="replace"))] = NOT_UTF8
            return None
        if clash := self._names.clash(path, folder=kind is MemberKind.FOLDER):
            raise refusal(self._where, name, clash, "names of their own")
        return path

    def _write(self, path: str, member: Member) -> None:
        location = self._folder / path
        location.parent.mkdir(parents=True, exist_ok=True)
        digest, size, binary = hashlib.sha256(), 0, False
        with location.open("xb") as file:
            for chunk in member.chunks:
                size += len(chunk)
                self._count(len(chunk), size, member.name)
                digest.update(chunk)
                binary = binary or b"\0" in chunk
                file.write(chunk)
        if not binary and size <= LIMIT:
            self._texts[path] = digest.hexdigest()

    def _count(self, more: int, size: int, name: str) -> None:
        self._total += more
        if size > self._limits.one:
            raise refusal(self._where, name, f"more than {self._limits.one} bytes", "a smaller file")
        if self._total > self._limits.total:
            found = f"more than {self._limits.total} bytes, unpacked"
            raise refusal(self._where, name, found, "a smaller archive")
        if self._packed is not None and self._limits.past_ratio(self._total, self._packed):
            found = f"more than {self._limits.ratio} times its size, unpacked"
            raise refusal(self._where, name, found, "an archive of text, which is a few times as large")


def words_for(left_out: Iterable[str]) -> tuple[str, ...]:
    """Count what was left out, in words.

    >>> words_for(["a symbolic link", "a submodule", "a symbolic link"])
    ('2 symbolic links skipped', '1 submodules skipped')
    """
    plural = {
        MemberKind.SYMLINK.value: "symbolic links",
        MemberKind.HARDLINK.value: "hard links",
        MemberKind.SUBMODULE.value: "submodules",
        NOT_UTF8: "files whose name is not UTF-8",
    }
    counts = Counter(left_out)
    return tuple(f"{counts[why]} {words} skipped" for why, words in plural.items() if counts[why])
