"""Archives: pinned by a hash, unpacked once, and read from the cache with distrust."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.corpus import Corpus, OpenContext, open_source
from rankgate.errors import FormatError, InputError, LocationError
from rankgate.model import CorpusSource
from support.archives import COMPRESSIONS, header, member, tar_of, tar_with, zip_with

if TYPE_CHECKING:
    from pathlib import Path

FILES = {"tool-1.0/README.md": "# Tool\n", "tool-1.0/docs/a.md": "a\n", "tool-1.0/docs/b.md": "b\n"}


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    path = tmp_path / "tool.tar.gz"
    path.write_bytes(COMPRESSIONS["tar.gz"](tar_with(FILES)))
    return path


def opened(path: Path, said: list[str] | None = None, **options: str) -> Corpus:
    here = path.parent
    room = OpenContext(here, here, cache=here / "cache", progress=None if said is None else said.append)
    return open_source(CorpusSource(path.name, "archive", options), room)


def test_the_one_folder_at_the_top_is_taken_off(archive: Path) -> None:
    assert opened(archive).paths() == ("README.md", "docs/a.md", "docs/b.md")
    assert opened(archive, under="docs").paths() == ("a.md", "b.md")


def test_a_folder_beside_a_file_stays(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zip_with({"docs/a.md": "a", "LICENSE": "l"}))
    assert opened(tmp_path / "a.zip").paths() == ("LICENSE", "docs/a.md")


def test_the_first_bytes_tell_what_it_is_and_not_the_name(tmp_path: Path) -> None:
    for ending, compress in COMPRESSIONS.items():
        (tmp_path / "x.zip").write_bytes(compress(tar_with({"a.md": ending, "b.md": ""})))
        assert opened(tmp_path / "x.zip").text("a.md") == ending


def test_a_hash_that_is_not_the_archives_is_refused(archive: Path) -> None:
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert len(opened(archive, sha256=found.upper())) == 3
    with pytest.raises(FormatError) as caught:
        opened(archive, sha256="0" * 64)
    assert str(caught.value) == (
        f"corpus archive tool.tar.gz: found sha256 {found}, expected sha256 {'0' * 64}; "
        "fetch the archive again, or write its sha256 if the change is meant"
    )


def test_an_archive_without_a_hash_says_which_to_write(archive: Path) -> None:
    found = hashlib.sha256(archive.read_bytes()).hexdigest()
    assert opened(archive).notes == (f"not pinned: write sha256: {found} to hold it",)
    assert opened(archive, sha256=found).notes == ()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (
            {"sha": "0"},
            (
                "corpus archive tool.tar.gz: found the option 'sha', expected one of sha256, under, "
                "include, exclude; did you mean sha256?"
            ),
        ),
        (
            {"sha256": "12"},
            "corpus archive tool.tar.gz: sha256: found '12', expected a SHA-256, 64 hexadecimal digits",
        ),
        ({"under": ""}, "corpus archive tool.tar.gz: under: found nothing, expected a value"),
        (
            {"under": "dcos"},
            (
                "corpus archive tool.tar.gz: found no text files under 'dcos', expected a folder of text "
                "files; did you mean docs?"
            ),
        ),
        (
            {"under": "tool-1.0/docs"},
            (
                "corpus archive tool.tar.gz: found no text files under 'tool-1.0/docs', expected a folder of "
                "text files; there are docs"
            ),
        ),
        (
            {"under": "xyz"},
            (
                "corpus archive tool.tar.gz: found no text files under 'xyz', expected a folder of text "
                "files; there are docs"
            ),
        ),
    ],
)
def test_wrong_options_say_what_to_do(archive: Path, options: dict[str, str], told: str) -> None:
    with pytest.raises(InputError) as caught:
        opened(archive, None, **options)
    assert str(caught.value) == told


def test_a_folder_inside_cannot_climb(archive: Path) -> None:
    for under in ("../x", "/etc", ".."):
        with pytest.raises(LocationError):
            opened(archive, under=under)


def test_an_archive_outside_the_project_is_refused(archive: Path) -> None:
    root = archive.parent / "project"
    root.mkdir()
    with pytest.raises(InputError, match="outside the project"):
        open_source(CorpusSource("../tool.tar.gz", "archive"), OpenContext(root, root))
    with pytest.raises(InputError, match="does not exist"):
        open_source(CorpusSource("none.tar.gz", "archive"), OpenContext(root, root))


def test_links_are_left_out_and_counted(tmp_path: Path) -> None:
    tar = tar_of(
        member("a.md"),
        header("b.md", 0, b"2", "a.md"),
        header("docs/c.md", 0, b"1", "a.md"),
        header("docs/.d.md", 0, b"2", "c.md"),
        member("docs/e.md"),
    )
    (tmp_path / "a.tar").write_bytes(tar)
    corpus = opened(tmp_path / "a.tar")
    assert corpus.skipped == {"b.md": "a symbolic link", "docs/c.md": "a hard link"}
    assert corpus.notes[:2] == ("1 symbolic links skipped", "1 hard links skipped")
    assert opened(tmp_path / "a.tar", under="docs").skipped == {"c.md": "a hard link"}


def files_of(archive: Path) -> Path:
    (folder,) = (archive.parent / "cache" / "unpacked").glob("archive-*/files")
    return folder


def test_an_archive_is_unpacked_once(archive: Path) -> None:
    said: list[str] = []
    first, second = opened(archive, said), opened(archive, said)
    assert said == ["unpacking tool.tar.gz"]
    assert first.fingerprint == second.fingerprint


def test_a_file_that_changes_while_it_is_used_is_refused(archive: Path) -> None:
    corpus = opened(archive)
    (files_of(archive) / "docs" / "a.md").write_text("tampered")
    with pytest.raises(InputError, match="a file that changed"):
        corpus.text("docs/a.md")


def test_a_damaged_entry_names_the_folder_to_remove(archive: Path) -> None:
    opened(archive)
    entry = files_of(archive).parent
    (entry / "about.json").write_text("{")
    with pytest.raises(FormatError, match=f"a damaged entry of the cache .*remove {entry}"):
        opened(archive)


def test_an_archive_that_is_rejected_leaves_nothing_in_the_cache(tmp_path: Path) -> None:
    (tmp_path / "a.tar").write_bytes(tar_of(member("a.md"), member("../b.md")))
    with pytest.raises(FormatError):
        opened(tmp_path / "a.tar")
    assert list((tmp_path / "cache" / "unpacked").iterdir()) == []


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root may write anywhere")
def test_a_cache_that_cannot_be_written_says_what_to_do(archive: Path) -> None:
    (archive.parent / "cache").mkdir(mode=0o500)
    with pytest.raises(InputError, match="RANKGATE_CACHE"):
        opened(archive)


def test_a_cache_that_is_a_file_says_what_to_do(archive: Path) -> None:
    (archive.parent / "cache").write_text("x")
    with pytest.raises(InputError, match="name another folder in RANKGATE_CACHE"):
        opened(archive)


def test_the_environment_names_the_cache(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RANKGATE_CACHE", str(archive.parent / "mine"))
    open_source(CorpusSource(archive.name, "archive"), OpenContext(archive.parent, archive.parent))
    assert list((archive.parent / "mine" / "unpacked").glob("archive-*/about.json"))


PROGRAM = """
import sys
from pathlib import Path
from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.model import CorpusSource
here = Path(sys.argv[1])
corpus = open_source(CorpusSource("many.tar", "archive"), OpenContext(here, here, cache=here / "cache"))
assert len(corpus) == 200
print(corpus.fingerprint)
"""


def test_processes_at_once_do_not_break_an_entry(tmp_path: Path) -> None:
    tar = tar_with({f"{number}.md": f"text {number}\n" for number in range(200)})
    (tmp_path / "many.tar").write_bytes(tar)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    answers = [process.communicate(timeout=120) for process in running]
    assert [error for _, error in answers] == [""] * 4
    assert len({line for out, _ in answers for line in out.split()}) == 1
    assert [path.name[:8] for path in (tmp_path / "cache" / "unpacked").iterdir()] == ["archive-"]


@pytest.mark.parametrize(
    ("name", "under", "count"),
    [
        ("kubernetes-en", None, 1673),
        ("kubernetes-en", "content/en/docs/concepts", 176),
        ("rust-book", None, 115),
        ("rust-book", "src", 112),
        ("prometheus", None, 72),
    ],
)
def test_real_documentation_is_read(
    shared_data: Path, tmp_path: Path, name: str, under: str | None, count: int
) -> None:
    folder = shared_data / "docs"
    manifest = (shared_data / "MANIFEST.tsv").read_text(encoding="utf-8")
    (line,) = [row.split("\t") for row in manifest.splitlines() if row.startswith(f"docs/{name}.tar.gz\t")]
    options = {"sha256": line[2], **({"under": under} if under else {})}
    source = CorpusSource(f"{name}.tar.gz", "archive", options)
    corpus = open_source(source, OpenContext(folder, folder, cache=tmp_path))
    assert len(corpus) == count
    assert corpus.notes == ()
