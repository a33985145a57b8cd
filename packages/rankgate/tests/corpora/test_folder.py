"""A folder as a corpus: what is in it, what is left out, and what is refused."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import LIMIT, FolderCorpus
from rankgate.errors import InputError
from rankgate.model import Document

if TYPE_CHECKING:
    from pathlib import Path


def write(folder: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def test_files_have_paths_texts_and_lines(tmp_path: Path) -> None:
    write(tmp_path, {"b.md": "one\r\ntwo", "a/z.md": "\ufeffx\n", "a.md": ""})
    corpus = FolderCorpus.open(tmp_path, root=tmp_path)
    assert corpus.paths() == ("a.md", "a/z.md", "b.md")
    assert [corpus.lines(path) for path in corpus.paths()] == [0, 1, 2]
    assert list(corpus.documents()) == [
        Document("a.md", "", path="a.md"),
        Document("a/z.md", "x\n", path="a/z.md"),
        Document("b.md", "one\ntwo", path="b.md"),
    ]
    assert "a/z.md" in corpus
    assert corpus.notes == ()


def test_what_is_left_out_is_counted(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a.md": "x",
        ".env": "secret",
        ".git/config": "x",
        "x/__pycache__/a.pyc": "x",
        "node_modules/a.md": "x",
        "image.png": b"\x89PNG\0",
        "large.txt": b"x" * (LIMIT + 1),
        "latin.txt": "é".encode("latin-1") + "\ufffd".encode(),
    }
    corpus = FolderCorpus.open(write(tmp_path, files), root=tmp_path)
    assert corpus.paths() == ("a.md", "latin.txt")
    assert corpus.notes == (
        "2 hidden files and folders skipped",
        "2 folders of tools (__pycache__, node_modules) skipped",
        "1 binary files skipped",
        "1 files above 5 MB skipped",
        "1 bytes that are not UTF-8 in 1 files",
    )
    assert corpus.skipped == {"image.png": "binary", "large.txt": "larger than 5000000 bytes"}


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights there")
def test_symbolic_links_are_not_followed(tmp_path: Path) -> None:
    write(tmp_path, {"outside/secret.md": "s", "docs/a.md": "a"})
    (tmp_path / "docs" / "link.md").symlink_to(tmp_path / "outside" / "secret.md")
    (tmp_path / "docs" / "folder").symlink_to(tmp_path / "outside")
    (tmp_path / "docs" / "loop").symlink_to(tmp_path / "docs")
    corpus = FolderCorpus.open(tmp_path / "docs", root=tmp_path)
    assert corpus.paths() == ("a.md",)
    assert corpus.notes == ("3 symbolic links skipped",)


@pytest.mark.skipif(os.name == "nt", reason="symbolic links need rights there")
def test_a_link_does_not_lead_out_of_the_root(tmp_path: Path) -> None:
    write(tmp_path, {"outside/a.md": "s", "project/b.md": "b"})
    (tmp_path / "project" / "docs").symlink_to(tmp_path / "outside")
    with pytest.raises(InputError, match="outside the project"):
        FolderCorpus.open(tmp_path / "project" / "docs", root=tmp_path / "project")


def test_the_fingerprint_names_paths_and_contents(tmp_path: Path) -> None:
    def name(folder: str, files: dict[str, str | bytes]) -> str:
        return FolderCorpus.open(write(tmp_path / folder, files), root=tmp_path).fingerprint

    first = name("1", {"a.md": "x", "b.md": "y"})
    assert name("2", {"b.md": "y", "a.md": "x", ".hidden": "z"}) == first
    assert name("3", {"a.md": "y", "b.md": "x"}) != first
    assert name("4", {"a.md": "x", "c.md": "y"}) != first


def test_a_file_that_changed_is_refused(tmp_path: Path) -> None:
    corpus = FolderCorpus.open(write(tmp_path, {"a.md": "x", "b.md": "x"}), root=tmp_path)
    write(tmp_path, {"a.md": "y"})
    (tmp_path / "b.md").unlink()
    with pytest.raises(InputError, match="a file that changed"):
        corpus.text("a.md")
    with pytest.raises(InputError, match="can no longer be read"):
        corpus.text("b.md")


def test_refusals_say_what_to_do(tmp_path: Path) -> None:
    root = tmp_path / "project"
    write(tmp_path, {"project/a.md": "x", "other/b.md": "x", "project/empty/.hidden": "x"})
    told = {}
    for name in ("../other", "none", "a.md", "empty"):
        with pytest.raises(InputError) as caught:
            FolderCorpus.open(root / name, root=root)
        told[name] = str(caught.value).replace(str(tmp_path), "T")
    assert told == {
        "../other": "corpus T/project/../other: T/other is outside the project, T/project. "
        "Move it there, or set corpora_outside = true in rankgate.toml.",
        "none": "corpus T/project/none: T/project/none does not exist. "
        "Name a folder of text files, relative to the file of the suite.",
        "a.md": "corpus T/project/a.md: T/project/a.md is not a folder. "
        "Name a folder of text files, relative to the file of the suite.",
        "empty": "T/project/empty: found no text files (1 hidden files and folders skipped), "
        "expected a folder of text files",
    }
