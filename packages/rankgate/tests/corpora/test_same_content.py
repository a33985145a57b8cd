"""The same files have the same fingerprint, wherever they come from."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.corpus import Corpus, OpenContext, open_source
from rankgate.model import CorpusSource
from support.archives import COMPRESSIONS, tar_with, zip_with

if TYPE_CHECKING:
    from pathlib import Path

FILES: dict[str, bytes | str] = {
    "README.md": "# Top\r\n",
    "docs/a.md": "# A\n",
    "docs/b/é.md": "text é\n",
    "docs/.hidden": "x",
    "docs/.drafts/c.md": "x",
    "docs/image.png": b"\x89PNG\0",
    "docs/latin.txt": b"caf\xe9",
    "docs/node_modules/d.js": "x",
    "src/large.txt": b"x" * 5_000_001,
}


@pytest.fixture
def places(tmp_path: Path) -> dict[str, CorpusSource]:
    """Put the same files into a folder, a commit and archives."""
    folder = tmp_path / "folder"
    for name, data in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    found = {
        "folder": CorpusSource("folder"),
        "git": CorpusSource("folder", "git", {"commit": _commit(folder)}),
    }
    for ending, compress in COMPRESSIONS.items():
        (tmp_path / f"a.{ending}").write_bytes(compress(tar_with(FILES)))
        found[ending] = CorpusSource(f"a.{ending}", "archive")
    (tmp_path / "a.zip").write_bytes(zip_with(FILES))
    found["zip"] = CorpusSource("a.zip", "archive")
    return found


def _commit(folder: Path) -> str:
    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words],
            cwd=folder,
            env={**os.environ, "GIT_CONFIG_GLOBAL": os.devnull},
            capture_output=True,
            check=True,
        )
        return done.stdout.decode().strip()

    git("init", "--quiet")
    git("add", "--all", "--force")
    git("commit", "--quiet", "--message", "all")
    return git("rev-parse", "HEAD")


def opened(source: CorpusSource, tmp_path: Path, **options: str) -> Corpus:
    named = CorpusSource(source.place, source.kind, {**source.options, **options})
    if source.kind == "folder" and options:
        named = CorpusSource(f"{source.place}/{options['under']}")
    return open_source(named, OpenContext(tmp_path, tmp_path, cache=tmp_path / "cache"))


def test_the_same_files_have_the_same_fingerprint(places: dict[str, CorpusSource], tmp_path: Path) -> None:
    corpora = {name: opened(source, tmp_path) for name, source in places.items()}
    assert len(corpora) == 8
    assert {corpus.fingerprint for corpus in corpora.values()} == {corpora["folder"].fingerprint}
    for corpus in corpora.values():
        assert corpus.paths() == ("README.md", "docs/a.md", "docs/b/é.md", "docs/latin.txt")
        assert corpus.text("README.md") == "# Top\n"
        assert corpus.lines("docs/a.md") == 1
        assert corpus.skipped == corpora["folder"].skipped
        assert not corpus.records


def test_a_folder_inside_is_the_same_too(places: dict[str, CorpusSource], tmp_path: Path) -> None:
    corpora = {name: opened(source, tmp_path, under="./docs/") for name, source in places.items()}
    assert {corpus.fingerprint for corpus in corpora.values()} == {corpora["folder"].fingerprint}
    for name, corpus in corpora.items():
        assert corpus.paths() == ("a.md", "b/é.md", "latin.txt")
        notes = [note for note in corpus.notes if not note.startswith("not pinned")]
        assert notes == list(corpora["folder"].notes), name


def test_a_hidden_folder_can_be_meant(places: dict[str, CorpusSource], tmp_path: Path) -> None:
    corpora = [opened(source, tmp_path, under="docs/.drafts") for source in places.values()]
    assert {corpus.paths() for corpus in corpora} == {("c.md",)}
    assert len({corpus.fingerprint for corpus in corpora}) == 1


def test_the_fingerprint_of_the_decision_is_right(tmp_path: Path) -> None:
    (tmp_path / "a.zip").write_bytes(zip_with({"a.md": "a\n", "docs/b.md": "b\n"}))
    assert opened(CorpusSource("a.zip", "archive"), tmp_path).fingerprint.startswith("dfbfbe53fc34")
