"""Archives: pinned by a hash, unpacked once, and read from the cache with distrust."""

from __future__ import annotations

import hashlib
import json
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
    from collections.abc import Callable
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
                "text files; leave out tool-1.0/, the one folder that everything is in"
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
    (folder,) = (archive.parent / "cache" / "corpora").glob("*/files-*")
    return folder / "tool-1.0"


def test_an_archive_is_unpacked_once(archive: Path) -> None:
    said: list[str] = []
    first, second = opened(archive, said), opened(archive, said)
    assert said == ["unpacking tool.tar.gz"]
    assert first.fingerprint == second.fingerprint


def _change(files: Path) -> None:
    (files / "docs" / "a.md").write_text("tampered")


def _remove(files: Path) -> None:
    (files / "docs" / "a.md").unlink()


def _remove_all(files: Path) -> None:
    import shutil

    shutil.rmtree(files)


def _add(files: Path) -> None:
    (files / "docs" / "new.md").write_text("added")


def _to_binary(files: Path) -> None:
    (files / "docs" / "a.md").write_bytes(b"\0")


def _cut_manifest(files: Path) -> None:
    manifest = files.parents[1] / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:-30])


def _lead_out(files: Path) -> None:
    manifest = files.parents[1] / "manifest.json"
    said = json.loads(manifest.read_bytes())
    manifest.write_text(json.dumps({**said, "files": "../../.."}))


def _other_hash_in_manifest(files: Path) -> None:
    manifest = files.parents[1] / "manifest.json"
    said = json.loads(manifest.read_bytes())
    said["texts"]["docs/a.md"] = hashlib.sha256(b"tampered").hexdigest()
    manifest.write_text(json.dumps(said))
    _change(files)


@pytest.mark.parametrize(
    "damage",
    [_change, _remove, _remove_all, _add, _to_binary, _cut_manifest, _lead_out, _other_hash_in_manifest],
)
@pytest.mark.parametrize("under", [None, "docs"])
def test_a_damaged_entry_is_unpacked_anew(
    archive: Path, damage: Callable[[Path], None], under: str | None
) -> None:
    options = {"under": under} if under else {}
    before = opened(archive, None, **options)
    damage(files_of(archive))
    said: list[str] = []
    after = opened(archive, said, **options)
    assert said == ["unpacking tool.tar.gz"]
    assert after.fingerprint == before.fingerprint
    assert [after.text(path) for path in after.paths()][-1] == "b\n"
    opened(archive, said, **options)
    assert len(said) == 1


def test_a_file_that_changes_while_it_is_used_is_refused(archive: Path) -> None:
    corpus = opened(archive)
    _change(files_of(archive))
    with pytest.raises(InputError, match="a file that changed"):
        corpus.text("docs/a.md")


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
    assert list((archive.parent / "mine" / "corpora").glob("archive-*/manifest.json"))


PROGRAM = """
import sys
from pathlib import Path
from rankgate.corpora.corpus import OpenContext
from rankgate.corpora.corpus import open_source
from rankgate.model import CorpusSource
here = Path(sys.argv[1])
for number in range(int(sys.argv[2])):
    if number % 3 == 2:
        for manifest in (here / "cache").glob("corpora/*/manifest.json"):
            manifest.write_bytes(b"{")
    corpus = open_source(CorpusSource("many.tar", "archive"), OpenContext(here, here, cache=here / "cache"))
    assert len(corpus) == 200
    print(corpus.fingerprint)
"""


def test_processes_at_once_do_not_break_an_entry(tmp_path: Path) -> None:
    tar = tar_with({f"{number}.md": f"text {number}\n" for number in range(200)})
    (tmp_path / "many.tar").write_bytes(tar)
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path), "6"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(3)
    ]
    answers = [process.communicate(timeout=120) for process in running]
    assert [error for _, error in answers] == [""] * 3
    assert len({line for out, _ in answers for line in out.split()}) == 1
    assert sum(len(out.split()) for out, _ in answers) == 18


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
