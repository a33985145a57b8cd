"""Releases of several packages as one corpus, from a requirements file with hashes."""

from __future__ import annotations

import hashlib
import os
from contextlib import chdir
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.corpora.joined import JoinedCorpus
from rankgate.corpora.releases.sdists import read_releases
from rankgate.errors import FormatError, InputError
from rankgate.model import CorpusSource
from support.archives import COMPRESSIONS, tar_with
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

KEYS = "Rotate a key twice a year.\nThe old one stays valid for a day.\nAsk for it by its name.\n"


def sdist(**files: str) -> bytes:
    return COMPRESSIONS["tar.gz"](tar_with({f"top/{name}": text for name, text in files.items()}))


ONE = sdist(**{"docs/a.md": "# A\n\nalpha\n", "one/code.py": "def one():\n    return 1\n"})
TWO = sdist(
    **{
        "docs/a.md": f"# A\n\n{KEYS}",
        "README.md": "# Two\n",
    }
)
NEWER = sdist(
    **{
        "docs/a.md": f"# A\n\nSomething new.\n\n{KEYS}",
        "README.md": "# Two\n",
    }
)
FORM = "name==version --hash=sha256:… of its sdist"
CLEARED = ("PIP_", "UV_", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")


def pinned(data: bytes) -> str:
    return f"--hash=sha256:{hashlib.sha256(data).hexdigest()}"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in os.environ:
        if name.upper().startswith(CLEARED):
            monkeypatch.delenv(name)
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    project = tmp_path / "project"
    project.mkdir()
    (project / "rankgate.toml").write_text("")
    (project / "releases.txt").write_text(
        f"# What is searched.\none==1.0 {pinned(ONE)}\nTwo_Tools==2.0 \\\n    {pinned(TWO)}  # the second\n"
    )
    files = {"one-1.0.tar.gz": ONE, "two_tools-2.0.tar.gz": TWO, "two_tools-2.1.tar.gz": NEWER}
    links = tmp_path / "links"
    links.mkdir()
    for name, data in files.items():
        (links / name).write_bytes(data)
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return project


def opened(project: Path, place: str = "releases.txt", **options: str | tuple[str, ...]) -> JoinedCorpus:
    corpus = open_source(CorpusSource(place, "sdists", options), OpenContext(project, project))
    assert isinstance(corpus, JoinedCorpus)
    return corpus


def test_each_release_has_a_folder_of_its_name(project: Path) -> None:
    corpus = opened(project)
    assert corpus.paths() == (
        "one/docs/a.md",
        "one/one/code.py",
        "two-tools/README.md",
        "two-tools/docs/a.md",
    )
    assert corpus.text("two-tools/docs/a.md") == f"# A\n\n{KEYS}"
    assert corpus.lines("one/docs/a.md") == 3
    assert "one/docs/a.md" in corpus
    assert "docs/a.md" not in corpus
    assert len(corpus) == 4
    assert [(one.id, one.path) for one in corpus.documents()] == [(path, path) for path in corpus.paths()]


def test_the_fingerprint_is_that_of_a_folder_with_the_same_files(project: Path) -> None:
    corpus = opened(project)
    for path in corpus.paths():
        copy = project / "copy" / path
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(corpus.text(path))
    copied = open_source(CorpusSource("copy"), OpenContext(project, project))
    assert copied.fingerprint == corpus.fingerprint


def test_files_are_chosen_by_their_whole_paths(project: Path) -> None:
    corpus = opened(project, include="*/docs/**", exclude=("one/**", "three/**"))
    assert corpus.paths() == ("two-tools/docs/a.md",)
    assert corpus.skipped["one/docs/a.md"] == "in exclude (one/**)"
    assert "one: 2 files left out by include and exclude" in corpus.notes
    assert corpus.notes[-1] == "no file fits exclude three/**"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("one>=1.0\n", "releases.txt:1: found 'one>=1.0', expected name==version"),
        (f"one==1.0 {pinned(ONE)}\nOne==1.1 {pinned(TWO)}\n", "releases.txt:2: found one a second time"),
        ("# nothing\n", "found no release"),
        (
            f"one==1.0 {pinned(ONE)} {pinned(TWO)}\n",
            "releases.txt:1: found 2 hashes of one==1.0, expected .* take those of wheels out",
        ),
        (f"one==1.0 {pinned(ONE)[:-1]}\n", "releases.txt:1: found the hash 'sha256:.*64 hexadecimal digits"),
        ("one==1.0 --hash=sha512:00\n", "releases.txt:1: found the hash 'sha512:00'"),
        ("one==1.0 --pre\n", "releases.txt:1: found 'one==1.0 --pre'"),
    ],
)
def test_a_list_that_is_not_right_is_refused(project: Path, text: str, said: str) -> None:
    (project / "releases.txt").write_text(text)
    with pytest.raises(FormatError, match=said):
        read_releases(project / "releases.txt")


def test_every_release_without_its_hash_says_which_to_write(project: Path) -> None:
    (project / "releases.txt").write_text("one==1.0\n\nTwo_Tools==2.0\n")
    with pytest.raises(InputError) as raised:
        opened(project)
    said = str(raised.value)
    assert f"releases.txt:1: found one==1.0 without a hash, expected {FORM}" in said
    assert f"; write one==1.0 {pinned(ONE)}" in said
    assert f"; write Two_Tools==2.0 {pinned(TWO)}" in said


@pytest.mark.parametrize("before", ["\ufeff", "", "\t"])
def test_tabs_and_the_mark_of_an_editor_change_nothing(project: Path, before: str) -> None:
    (project / "releases.txt").write_text(f"{before}one==1.0\t{pinned(ONE)}\n", encoding="utf-8")
    assert [*read_releases(project / "releases.txt")] == ["one"]


def test_targets_do_not_move_to_a_list_that_pins_nothing(project: Path) -> None:
    """The suite names the list alone, and could not be opened any more."""
    (project / "later.txt").write_text(f"one==1.0 {pinned(ONE)}\ntwo-tools==2.1\n")
    suite = project / "s.yaml"
    suite.write_text("corpus: {sdists: releases.txt}\ncases:\n- query: b\n  at: two-tools/docs/a.md:3-5\n")
    with chdir(project):
        assert rankgate("suite", "mend", "s.yaml", "--yes").code == 0
        said = rankgate("suite", "mend", "s.yaml", "--to", "later.txt", "--yes")
    assert said.code == 2
    assert f"write two-tools==2.1 {pinned(NEWER)}" in " ".join((said.out + said.err).split())
    assert "releases.txt" in suite.read_text()


def test_a_password_in_an_address_is_not_shown(project: Path) -> None:
    text = f"--index-url https://me:hunter2@example.com/simple\none==1.0 {pinned(ONE)}\n"
    (project / "releases.txt").write_text(text)
    with pytest.raises(FormatError) as raised:
        opened(project)
    assert "releases.txt:1: found the option '--index-url', expected name==version" in str(raised.value)
    assert "hunter2" not in str(raised.value)


def test_another_hash_is_refused(project: Path) -> None:
    (project / "releases.txt").write_text(f"one==1.0 {pinned(TWO)}\n")
    with pytest.raises((FormatError, InputError), match="sha256"):
        opened(project)


def test_a_list_outside_the_project_is_refused(project: Path) -> None:
    (project.parent / "outside.txt").write_text(f"one==1.0 {pinned(ONE)}\n")
    with pytest.raises(InputError, match="outside the project"):
        opened(project, "../outside.txt")


def test_targets_move_to_another_list_of_releases(project: Path) -> None:
    (project / "later.txt").write_text(f"one==1.0 {pinned(ONE)}\ntwo-tools==2.1 {pinned(NEWER)}\n")
    suite = project / "s.yaml"
    suite.write_text(
        "corpus:\n  sdists: releases.txt\n  include: ['*/docs/**']\n"
        "cases:\n- query: b\n  at: two-tools/docs/a.md:3-5\n"
    )
    with chdir(project):
        assert rankgate("suite", "mend", "s.yaml", "--yes").code == 0
        said = rankgate("suite", "mend", "s.yaml", "--to", "later.txt", "--yes")
    assert said.code == 0, said.out + said.err
    assert suite.read_text() == (
        "corpus:\n  sdists: later.txt\n  include: ['*/docs/**']\n"
        "cases:\n- query: b\n  at: two-tools/docs/a.md:5-7\n"
    )
