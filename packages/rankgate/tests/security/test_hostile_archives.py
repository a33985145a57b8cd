"""Hostile archives: one error names the file, and nothing is written outside the folder."""

from __future__ import annotations

import io
import stat
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.corpora import archive
from rankgate.corpora.archive import unpack
from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.errors import FormatError
from rankgate.model import CorpusSource
from support.archives import COMPRESSIONS, header, member, pax, tar_of, tar_with, zip_with

if TYPE_CHECKING:
    from pathlib import Path

GOOD = member("good.md")
GZIP = COMPRESSIONS["tar.gz"]
HOSTILE = {
    "a path that climbs": tar_of(GOOD, member("docs/../../x")),
    "a symbolic link that climbs": tar_of(GOOD, header("docs/a", 0, b"2", "../../x")),
    "a symbolic link to an absolute path": tar_of(GOOD, header("a", 0, b"2", "/etc/passwd")),
    "a hard link that climbs": tar_of(GOOD, header("docs/a", 0, b"1", "../x")),
    "a device": tar_of(GOOD, header("null", 0, b"3")),
    "a pipe": tar_of(GOOD, header("pipe", 0, b"6")),
    "a file below a file": tar_of(GOOD, member("good.md/a.md")),
    "a file of a terabyte": GZIP(tar_of(GOOD, header("zeros", 1 << 35))),
    "a size of 2 ** 87": tar_of(GOOD, header("a", b"\x80" + b"\xff" * 11)),
    "a negative size": tar_of(GOOD, header("a", b"\xff" * 12)),
    "an extended header of terabytes": tar_of(GOOD, header("pax", 1 << 33, b"x")),
    "a name of gigabytes": tar_of(GOOD, header("././@LongLink", 1 << 32, b"L")),
    "extended headers without end": GZIP(tar_of(GOOD, pax({"comment": "x"}) * 3000)),
    "a tar that is cut off": GZIP(tar_of(GOOD, member("a", bytes(range(256)) * 99)))[:-300],
    "text": b"# Just some text, long enough for a block\n" * 50,
    "nothing": b"",
    "a path that climbs in a zip": zip_with({"../x": "x"}),
    "a link that climbs in a zip": zip_with({"a": "../../etc/passwd"}, stat.S_IFLNK | 0o777),
    "a zip that is cut off": zip_with({"a.md": "text"})[:-10],
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_archive_is_refused_with_its_name(tmp_path: Path, name: str) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "docs.tgz").write_bytes(HOSTILE[name])
    room = OpenContext(tmp_path / "project", tmp_path / "project", cache=tmp_path / "cache")
    before = {path for path in tmp_path.rglob("*") if path.is_file()}
    with pytest.raises(FormatError, match=r"^corpus archive docs\.tgz: .*unpack it yourself") as caught:
        open_source(CorpusSource("docs.tgz", "archive"), room)
    assert [problem.code for problem in caught.value.problems] == ["unsafe-archive"]
    assert {path for path in tmp_path.rglob("*") if path.is_file()} == before


def test_more_than_the_limit_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "LARGEST", 19)
    files = {f"{number}.md": "xx" for number in range(10)}
    for packed in (GZIP(tar_with(files)), zip_with(files)):
        with pytest.raises(FormatError, match="more than 19 bytes"):
            unpack(io.BytesIO(packed), tmp_path, "x")
    assert list(tmp_path.iterdir()) == []


def test_headers_have_a_limit_in_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "HEADERS", 100_000)
    packed = tar_of(*(pax({"comment": "x" * 5000}) + member(f"{number}.md") for number in range(30)))
    with pytest.raises(FormatError, match="headers of more than 100,000 bytes"):
        unpack(io.BytesIO(packed), tmp_path, "x")


def test_absolute_paths_are_written_below_the_folder(tmp_path: Path) -> None:
    unpack(io.BytesIO(tar_of(member("/etc/cron.d/x"))), tmp_path / "tar", "x")
    unpack(io.BytesIO(zip_with({"/etc/cron.d/x": "x"})), tmp_path / "zip", "x")
    assert (tmp_path / "tar/etc/cron.d/x").is_file()
    assert (tmp_path / "zip/etc/cron.d/x").is_file()


def test_links_that_stay_inside_are_left_out(tmp_path: Path) -> None:
    packed = tar_of(
        member("docs/a.md"), header("b.md", 0, b"2", "a.md"), header("c.md", 0, b"1", "docs/a.md")
    )
    assert unpack(io.BytesIO(packed), tmp_path, "x") == {
        "b.md": "a symbolic link",
        "c.md": "a hard link",
    }
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["a.md"]


@given(st.binary(max_size=2000), st.sampled_from(sorted(COMPRESSIONS)))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, compression: str
) -> None:
    for tried in (data, COMPRESSIONS[compression](data), b"PK\x03\x04" + data):
        try:
            unpack(io.BytesIO(tried), tmp_path_factory.mktemp("files"), "x")
        except FormatError:
            continue
