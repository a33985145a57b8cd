"""Archives made by hand, good and hostile: every header says what a test wants it to say."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import random
import stat
import sys
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

BLOCK = 512
END = bytes(2 * BLOCK)
COMPRESSIONS: Mapping[str, Callable[[bytes], bytes]] = {
    "tar": bytes,
    "tar.gz": lambda data: gzip.compress(data, mtime=0),
    "tar.bz2": bz2.compress,
    "tar.xz": lzma.compress,
    "tar.zst": zstd.compress,
}
"""How a tar may be compressed, by the usual ending."""


def padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % BLOCK)


def header(
    name: str | bytes,
    size: int | bytes = 0,
    kind: bytes = b"0",
    link: str = "",
    magic: bytes = b"ustar\x0000",
    prefix: bytes = b"",
) -> bytes:
    """Make one header of a tar; its checksum is right."""
    encoded = name if isinstance(name, bytes) else name.encode()
    length = size if isinstance(size, bytes) else b"%011o\0" % size
    block = bytearray(BLOCK)
    block[0 : len(encoded)] = encoded
    block[100:108] = b"0004755\0"
    block[124:136] = length.ljust(12, b"\0")[:12]
    block[148:156] = b" " * 8
    block[156:157] = kind
    block[157 : 157 + len(link)] = link.encode()
    block[257 : 257 + len(magic)] = magic
    block[345 : 345 + len(prefix)] = prefix
    block[148:156] = b"%06o\0 " % sum(block)
    return bytes(block[:BLOCK])


def member(name: str | bytes, data: bytes = b"text\n", kind: bytes = b"0", link: str = "") -> bytes:
    """Make one member of a tar, header and content."""
    return header(name, len(data), kind, link) + padded(data)


def pax(records: Mapping[str, str | bytes], kind: bytes = b"x") -> bytes:
    """Make an extended header."""
    lines = b""
    for key, value in records.items():
        rest = b" " + key.encode() + b"=" + (value if isinstance(value, bytes) else value.encode()) + b"\n"
        length = len(rest) + 1
        while len(rest) + len(str(length)) != length:
            length = len(rest) + len(str(length))
        lines += str(length).encode() + rest
    return member("pax", lines, kind)


def tar_of(*members: bytes) -> bytes:
    return b"".join(members) + END


def tar_with(files: Mapping[str, bytes | str]) -> bytes:
    contents = {name: data.encode() if isinstance(data, str) else data for name, data in files.items()}
    return tar_of(*(member(name, data) for name, data in contents.items()))


def zip_with(files: Mapping[str, bytes | str], mode: int = 0, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    """Make a zip; `mode` says what the files are, such as links."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            info = zipfile.ZipInfo(name)
            info.external_attr = mode << 16
            info.create_system = 3
            info.compress_type = method
            archive.writestr(info, data)
    return out.getvalue()


def twice_in_a_zip(one: str, other: str) -> bytes:
    """Make a zip with two names; zipfile itself warns of the same name twice, so they are patched in."""
    data = zip_with({one: "1", "~" * len(other.encode()): "2"})
    return data.replace(b"~" * len(other.encode()), other.encode())


def _patched_zip(offset: int, value: bytes, *, central: bool) -> bytes:
    """Change a field of the only member's header."""
    data = bytearray(zip_with({"a.md": "some text " * 20}))
    start = data.index(b"PK\x01\x02" if central else b"PK\x03\x04")
    data[start + offset : start + offset + len(value)] = value
    return bytes(data)


def _overlapping_zip() -> bytes:
    """Let two entries of the list of members share one content."""
    data = zip_with({"a.md": "text " * 100, "b.md": "text " * 100})
    second = data.index(b"PK\x01\x02", data.index(b"PK\x01\x02") + 4)
    patched = bytearray(data)
    patched[second + 42 : second + 46] = (0).to_bytes(4, "little")
    return bytes(patched)


def _zip_with_a_huge_list() -> bytes:
    data = bytearray(zip_with({"a.md": "x"}))
    end = data.index(b"PK\x05\x06")
    data[end + 12 : end + 16] = (0xFFFFFFFE).to_bytes(4, "little")
    return bytes(data)


def _encrypted_zip() -> bytes:
    data = bytearray(zip_with({"a.md": "text"}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        data[data.index(mark) + offset] |= 1
    return bytes(data)


@dataclass(frozen=True, slots=True)
class Hostile:
    """An archive that must be refused, and words of the reason."""

    data: bytes
    reason: str


def hostile_archives() -> dict[str, Hostile]:
    """Build the hostile archives, by what is wrong with each; limits are those of `tests/security`."""
    gz, good = COMPRESSIONS["tar.gz"], member("good.md")
    tars = {
        "an absolute path": (member("/etc/cron.d/x"), "an absolute path"),
        "a climbing path": (member("docs/../../x"), "climbs with .."),
        "a climbing path behind a dot": (member("./../x"), "climbs with .."),
        "a drive letter": (member("C:/Windows/x"), "a drive letter"),
        "a drive letter behind a dot": (member("./c:x"), "a drive letter"),
        "a network path": (member("\\\\server\\share\\x"), "a network path"),
        "climbing with backslashes": (member("..\\..\\x"), "climbs with .."),
        "an absolute path with a backslash": (member("\\x"), "an absolute path"),
        "a line feed in a name": (member("a\nb.md"), "a control character"),
        "an escape sequence in a name": (member("a\x1b[2Jb.md"), "a control character"),
        "a NUL in a name": (pax({"path": b"a.md\0.png"}) + member("x"), "a control character"),
        "a long name": (pax({"path": "x" * 300}) + member("x"), "longer than 255 bytes"),
        "a long path": (pax({"path": "ab/" * 500 + "x"}) + member("x"), "longer than 1024 bytes"),
        "a deep path": (pax({"path": "a/" * 70 + "x"}) + member("x"), "more than 64 folders"),
        "no name": (member(""), "an empty name"),
        "a name of dots": (member("./."), "an empty name"),
        "a symlink to an absolute path": (header("a", 0, b"2", "/etc/passwd"), "leads out"),
        "a symlink that climbs out": (header("docs/a", 0, b"2", "../../x"), "leads out"),
        "a hard link that climbs out": (header("docs/a", 0, b"1", "../x"), "leads out"),
        "a hard link to an absolute path": (header("a", 0, b"1", "/etc/shadow"), "leads out"),
        "a file below a symlink": (
            header("docs", 0, b"2", "other") + member("docs/a.md"),
            "a file and a folder of one name",
        ),
        "a link with content": (header("a", 5, b"2", "b") + padded(b"hello"), "a link with content"),
        "a character device": (header("null", 0, b"3"), "a device, pipe or socket"),
        "a block device": (header("sda", 0, b"4"), "a device, pipe or socket"),
        "a pipe": (header("pipe", 0, b"6"), "a device, pipe or socket"),
        "an unknown type": (header("a", 0, b"Z"), "a member of type b'Z'"),
        "a sparse file": (header("a", 0, b"S"), "a sparse file"),
        "a sparse file in an extended header": (
            pax({"GNU.sparse.major": "1", "GNU.sparse.name": "../x"}) + member("a"),
            "a sparse file",
        ),
        "the same name twice": (member("good.md", b"other"), "a second file of that name"),
        "the same name behind a dot": (member("./good.md", b"other"), "a second file of that name"),
        "names that differ in case": (member("GOOD.md"), "differs only in case from 'good.md'"),
        "folders that differ in case": (member("Docs/a") + member("docs/b"), "differs only in case"),
        "names that differ in composition": (
            member("caf\u00e9.md") + member("cafe\u0301.md"),
            "a second file of that name",
        ),
        "a file below a file": (member("good.md/a.md"), "a file and a folder of one name"),
        "a file in place of a folder": (member("a/b") + member("a"), "a file and a folder of one name"),
        "too many members": (b"".join(member(f"{n}", b"") for n in range(200)), "more than 100 members"),
        "a file too large by its header": (header("a", 1 << 40), "bytes, expected at most"),
        "a size in base 256": (header("a", b"\x80" + b"\xff" * 11), "bytes, expected at most"),
        "a negative size": (header("a", b"\xff" * 12), "a number that cannot be read"),
        "a size that is no number": (header("a", b"0x10"), "a number that cannot be read"),
        "a negative size in an extended header": (
            pax({"size": "-512"}) + member("a"),
            "a number that cannot be read",
        ),
        "an extended header of terabytes": (header("pax", 1 << 42, b"x"), "headers of more than"),
        "a long name of gigabytes": (header("././@LongLink", 1 << 32, b"L"), "headers of more than"),
        "extended headers without end": (
            b"".join(pax({"comment": "x" * 400}) for _ in range(3000)),
            "headers of more than",
        ),
        "digits without end in an extended header": (
            member("pax", b"1" * 10_000, b"x") + member("a"),
            "a bad extended header",
        ),
        "a lying length in an extended header": (
            member("pax", b"99 path=x\n", b"x") + member("a"),
            "a bad extended header",
        ),
        "a path for all members": (pax({"path": "x"}, b"g") + member("a"), "for all members at once"),
        "a wrong checksum": (member("a").replace(b"ustar", b"uStar"), "checksum is wrong"),
        "an extended header and no member": (pax({"path": "x"}) + END, "checksum is wrong"),
    }
    found = {f"tar: {name}": Hostile(gz(tar_of(good, data)), why) for name, (data, why) in tars.items()}
    whole = gz(tar_of(good))
    found |= {
        "tar: no end": Hostile(gz(good), "cut off"),
        "tar: cut off in a file": Hostile(gz(good + header("a", 5000) + b"x" * 600), "cut off"),
        "tar: content after the end": Hostile(gz(tar_of(good) + member("b.md")), "content after the end"),
        "tar: cut off in the compression": Hostile(whole[:-12], "bad data"),
        "tar: a wrong checksum of the compression": Hostile(
            whole[:-8] + b"\1\2\3\4" + whole[-4:], "bad data"
        ),
        "tar: rubbish behind the compression": Hostile(whole + b"rubbish", "bad data"),
        "tar: nothing in it": Hostile(gz(END), "no files"),
        "tar: a bomb in a file": Hostile(gz(tar_of(good, member("a", bytes(900_000)))), "times its size"),
        "tar: a bomb behind the end": Hostile(gz(tar_of(good) + bytes(5_000_000)), "times its size"),
        "tar: a bomb of headers": Hostile(gz(pax({"comment": "x"}, b"g") * 9000), "headers of more than"),
        "tar: too large in all": Hostile(
            COMPRESSIONS["tar"](tar_of(*(member(f"{n}", bytes(900_000)) for n in range(9)))),
            "more than 5000000 bytes",
        ),
        "xz: a bomb": Hostile(lzma.compress(tar_of(member("a", bytes(900_000)))), "times its size"),
        "xz: a dictionary of half a gigabyte": Hostile(
            lzma.compress(
                tar_of(good), filters=[{"id": lzma.FILTER_LZMA2, "preset": 0, "dict_size": 1 << 29}]
            ),
            "Memory usage limit exceeded",
        ),
        "bzip2: a bomb": Hostile(bz2.compress(tar_of(member("a", bytes(900_000)))), "times its size"),
        "Zstandard: a bomb": Hostile(zstd.compress(tar_of(member("a", bytes(900_000)))), "times its size"),
        "no archive": Hostile(b"# Just some text, long enough for a block\n" * 50, "what is no archive"),
        "an empty file": Hostile(b"", "an empty file"),
        "gzip of no archive": Hostile(gzip.compress(b"text"), "what is no archive"),
    }
    found |= {
        "zip: an absolute path": Hostile(zip_with({"/etc/x": "x"}), "an absolute path"),
        "zip: a climbing path": Hostile(zip_with({"../x": "x"}), "climbs with .."),
        "zip: climbing with backslashes": Hostile(zip_with({"..\\x": "x"}), "climbs with .."),
        "zip: a drive letter": Hostile(zip_with({"C:\\x": "x"}), "a drive letter"),
        "zip: a NUL in a name": Hostile(
            zip_with({"a.md~.png": "x"}).replace(b"a.md~", b"a.md\0"), "a control character"
        ),
        "zip: the same name twice": Hostile(twice_in_a_zip("a.md", "a.md"), "a second file of that name"),
        "zip: names that differ in case": Hostile(twice_in_a_zip("a.md", "A.md"), "differs only in case"),
        "zip: a symlink that climbs out": Hostile(
            zip_with({"a": "../../etc/passwd"}, stat.S_IFLNK | 0o777), "leads out"
        ),
        "zip: a symlink of a megabyte": Hostile(zip_with({"a": "x" * 10**6}, stat.S_IFLNK), "a link of"),
        "zip: a device": Hostile(zip_with({"a": ""}, stat.S_IFCHR), "a device, pipe or socket"),
        "zip: a folder with content": Hostile(
            zip_with({"a~": "text"}).replace(b"a~", b"a/"), "a folder with content"
        ),
        "zip: encrypted": Hostile(_encrypted_zip(), "an encrypted file"),
        "zip: a strange compression": Hostile(
            zip_with({"a": "text"}, method=zipfile.ZIP_LZMA), "compression method 14"
        ),
        "zip: overlapping files": Hostile(_overlapping_zip(), "overlaps another"),
        "zip: a file past the end": Hostile(
            _patched_zip(20, (10**6).to_bytes(4, "little"), central=True), "runs past the end"
        ),
        "zip: a size that is too small": Hostile(
            _patched_zip(24, (5).to_bytes(4, "little"), central=True), "bad data"
        ),
        "zip: a size that is too large": Hostile(
            _patched_zip(24, (900).to_bytes(4, "little"), central=True), "that its header says"
        ),
        "zip: another name in its header": Hostile(_patched_zip(30, b"b.md", central=False), "bad data"),
        "zip: a wrong checksum": Hostile(_patched_zip(16, b"\1\2\3\4", central=True), "bad data"),
        "zip: a list of members of gigabytes": Hostile(_zip_with_a_huge_list(), "a list of members of"),
        "zip: cut off": Hostile(zip_with({"a.md": "text"})[:-10], "no whole zip"),
        "zip: a bomb": Hostile(zip_with({"a": bytes(900_000)}), "times its size"),
        "zip: many small bombs": Hostile(
            zip_with({f"{n}": bytes(500_000) for n in range(5)}), "times its size"
        ),
        "zip: too many members": Hostile(zip_with({f"{n}": "" for n in range(150)}), "more than 100 members"),
        "zip: nothing in it": Hostile(zip_with({}), "no files"),
    }
    return found


def hostile_bytes(count: int, seed: int) -> Iterator[bytes]:
    """Draw inputs that nobody should trust: rubbish, and archives good and hostile with a few changes."""
    chance = random.Random(seed)
    files = {"docs/a.md": "# A\n", "docs/b/c.md": "text\n" * 50, "README": "x"}
    plain = tar_of(
        pax({"path": "docs/\u00e9.md", "size": "5"}),
        member("docs/x"),
        member("docs/", b"", b"5"),
        header("docs/l", 0, b"2", "a.md"),
        *(member(name, text.encode()) for name, text in files.items()),
    )
    seeds = [compress(plain) for compress in COMPRESSIONS.values()] + [zip_with(files)]
    seeds += [hostile.data for hostile in hostile_archives().values() if len(hostile.data) < 20_000]
    for _ in range(count):
        if chance.random() < 0.05:
            yield chance.randbytes(chance.randrange(2000))
            continue
        inside = chance.random() < 0.4
        data = bytearray(plain if inside else chance.choice(seeds))
        for _ in range(chance.randrange(1, 4)):
            (_repaired if inside and chance.random() < 0.6 else _change)(data, chance)
        # A change inside the compression would be caught by its checksum; the header is what is to be met.
        yield chance.choice(list(COMPRESSIONS.values()))(bytes(data)) if inside else bytes(data)


def _change(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data) + 1)
    match chance.randrange(5):
        case 0 if at < len(data):
            data[at] = chance.randrange(256)
        case 1:
            data[at:at] = chance.randbytes(chance.randrange(1, 9))
        case 2:
            del data[at : at + chance.randrange(1, 600)]
        case 3:
            start = chance.randrange(len(data) + 1)
            data[at:at] = data[start : start + chance.randrange(1, 1200)]
        case _:
            _repaired(data, chance)


def _repaired(data: bytearray, chance: random.Random) -> None:
    """Change one field of a header of a tar, and put its checksum right."""
    blocks = [at for at in range(0, len(data) - BLOCK + 1, BLOCK) if data[at + 257 : at + 262] == b"ustar"]
    if not blocks:
        return
    at = chance.choice(blocks)
    start, end = chance.choice([(0, 100), (124, 136), (156, 157), (157, 257), (257, 265), (345, 500)])
    spot = chance.randrange(start, end)
    data[at + spot] = chance.choice([*b"\0/.\\:017 ", 0x80, 0xFF, chance.randrange(256)])
    data[at + 148 : at + 156] = b" " * 8
    data[at + 148 : at + 156] = b"%06o\0 " % sum(data[at : at + BLOCK])
