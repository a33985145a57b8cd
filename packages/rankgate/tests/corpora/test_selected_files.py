"""`include` and `exclude`: which files of a corpus are documents."""

from __future__ import annotations

import subprocess
from contextlib import chdir
from typing import TYPE_CHECKING, TypeAlias

import pytest

from rankgate.corpora.corpus import Corpus, OpenContext, open_source
from rankgate.errors import InputError
from rankgate.model import CorpusSource
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    Options: TypeAlias = Mapping[str, str | tuple[str, ...]]

KEYS = "Rotate a key twice a year.\nThe old one stays valid for a day.\nAsk for it by its name.\n"
FILES = {
    "guide/start.md": "# Start\n\nHow to start.\n",
    "guide/keys.md": f"# Keys\n\n{KEYS}",
    "release-notes.md": "# 2.0\n\nKeys rotate.\n",
    "js/custom.js": "rotate();\n",
}


@pytest.fixture
def docs(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        path = tmp_path / "docs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def opened(root: Path, options: Options, kind: str = "folder", place: str = "docs") -> Corpus:
    return open_source(CorpusSource(place, kind, options), OpenContext(root, root))


@pytest.mark.parametrize(
    ("options", "left"),
    [
        ({"include": "**/*.md"}, ("guide/keys.md", "guide/start.md", "release-notes.md")),
        (
            {"include": ("**/*.md",), "exclude": ("release-notes.md",)},
            ("guide/keys.md", "guide/start.md"),
        ),
        ({"exclude": ("guide/", "js/**")}, ("release-notes.md",)),
    ],
)
def test_globs_choose_the_documents(docs: Path, options: Options, left: tuple[str, ...]) -> None:
    corpus = opened(docs, options)
    assert corpus.paths() == left
    assert [document.path for document in corpus.documents()] == list(left)
    out = FILES.keys() - set(left)
    assert corpus.skipped.keys() == out
    assert f"{len(out)} file{'s' * (len(out) > 1)} left out by include and exclude" in corpus.notes


def test_globs_that_no_file_fits_are_told(docs: Path) -> None:
    corpus = opened(docs, {"include": ("guide/**", "../**"), "exclude": "realease-notes.md"})
    assert corpus.notes[-2:] == ("no file fits include ../**", "no file fits exclude realease-notes.md")


def test_the_fingerprint_is_that_of_the_files_that_are_left(docs: Path) -> None:
    chosen = opened(docs, {"include": "guide/**"})
    assert chosen.fingerprint == opened(docs, {"exclude": ("js/**", "release-notes.md")}).fingerprint
    (docs / "docs" / "js" / "custom.js").write_text("other();\n")
    assert opened(docs, {"include": "guide/**"}).fingerprint == chosen.fingerprint
    assert chosen.fingerprint != opened(docs, {}).fingerprint


def test_a_commit_and_a_folder_are_chosen_from_alike(docs: Path) -> None:
    git = ("git", "-C", str(docs), "-c", "user.name=a", "-c", "user.email=a@b.c")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "docs")):
        subprocess.run([*git, *words], check=True)
    commit = subprocess.check_output([*git, "rev-parse", "HEAD"], text=True).strip()
    from_commit = opened(docs, {"commit": commit, "under": "docs", "include": "guide/**"}, "git", ".")
    assert from_commit.fingerprint == opened(docs, {"include": "guide/**"}).fingerprint


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"include": "**/*.rst"}, "none of 4 files left by include and exclude"),
        ({"include": ("",)}, "docs: include: found nothing"),
        ({"inclde": "x"}, "did you mean include"),
    ],
)
def test_what_leaves_nothing_is_refused(docs: Path, options: Options, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("*", r"\*")):
        opened(docs, options)


def test_records_have_no_paths_to_choose_by(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text('{"id": "1", "text": "a"}\n')
    with pytest.raises(InputError, match="include or exclude with jsonl, expected a corpus of files"):
        opened(tmp_path, {"exclude": "1"}, "jsonl", "a.jsonl")


def test_a_target_in_a_file_that_is_left_out_says_why(docs: Path) -> None:
    (docs / "s.yaml").write_text(
        "corpus: {folder: docs, exclude: [release-notes.md]}\ncases: [{query: q, at: release-notes.md}]\n"
    )
    with chdir(docs):
        said = rankgate("suite", "lint", "s.yaml")
    assert said.code == 2
    words = " ".join((said.out + said.err).split())
    assert "It is there but in exclude (release-notes.md), and was skipped; change the globs" in words


def test_a_target_that_was_anchored_and_is_left_out_now_says_why(docs: Path) -> None:
    """It is not gone, and following its text finds nothing."""
    (docs / "rankgate.toml").write_text("")
    suite = docs / "s.yaml"
    suite.write_text("corpus: docs\ncases: [{query: q, at: release-notes.md}]\n")
    with chdir(docs):
        assert rankgate("suite", "fix", "s.yaml", "--yes").code == 0
        suite.write_text(
            suite.read_text().replace("corpus: docs", "corpus: {folder: docs, include: 'guide/**'}")
        )
        lint, mend = rankgate("suite", "lint", "s.yaml"), rankgate("suite", "fix", "s.yaml")
    assert "It is there but not in include, and was skipped" in " ".join(lint.out.split())
    assert "the file is there but not in include" in " ".join(mend.out.split())


def test_the_commit_that_was_anchored_is_found_although_globs_changed_since(docs: Path) -> None:
    (docs / "rankgate.toml").write_text("")
    suite = docs / "s.yaml"
    suite.write_text("corpus: {folder: docs}\ncases: [{query: q, at: 'guide/keys.md:3-5'}]\n")
    git = ("git", "-C", str(docs), "-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run([*git, "init", "-q"], check=True)
    with chdir(docs):
        assert rankgate("suite", "fix", "s.yaml", "--yes").code == 0
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "docs"], check=True)
        suite.write_text(suite.read_text().replace("folder: docs", "folder: docs, exclude: [js/**]"))
        said = rankgate("suite", "fix", "s.yaml", "--yes")
    assert "found by the anchors" in " ".join((said.out + said.err).split())


SEARCH = """\
def search(query, k):
    return [{"path": f"old/{name}.md", "start": 1, "end": 3} for name in ("a", "b", "c", "d", "e", "f")]
"""


def test_hits_in_files_that_are_left_out_are_not_mapped_to_others_of_their_name(docs: Path) -> None:
    """A prefix that made documents of them would turn wrong hits into right ones."""
    for name in "abcdef":
        for folder in ("old", "new"):
            (docs / "docs" / folder).mkdir(exist_ok=True)
            (docs / "docs" / folder / f"{name}.md").write_text(f"# {name}\n\nText {folder}.\n")
    (docs / "app.py").write_text(SEARCH)
    (docs / "rankgate.toml").write_text('[systems.app]\nfunction = "./app.py:search"\n')
    cases = "\n".join(f"- {{query: {name}, at: 'new/{name}.md:1-3'}}" for name in "abc")
    (docs / "s.yaml").write_text(f"corpus: {{folder: docs, exclude: [old/**]}}\ncases:\n{cases}\n")
    with chdir(docs):
        done = rankgate("test", "s.yaml", "--system", "app", "--details")
    said = " ".join(done.out.split())
    assert "18 of 18 results are left out of the corpus, such as old/a.md" in said
    assert "(in exclude (old/**))" in said
    assert "prefix" not in said


def test_documents_that_were_edited_are_found_in_the_history_by_the_files_that_count(docs: Path) -> None:
    """A file that is left out and changes must not hide the commit that was anchored."""
    (docs / "rankgate.toml").write_text("")
    (docs / "s.yaml").write_text(
        "corpus: {folder: docs, exclude: [js/**]}\ncases: [{query: q, at: 'guide/keys.md:3-5'}]\n"
    )
    git = ("git", "-C", str(docs), "-c", "user.name=a", "-c", "user.email=a@b.c")
    subprocess.run([*git, "init", "-q"], check=True)
    with chdir(docs):
        assert rankgate("suite", "fix", "s.yaml", "--yes").code == 0
        subprocess.run([*git, "add", "."], check=True)
        subprocess.run([*git, "commit", "-qm", "docs"], check=True)
        keys = docs / "docs" / "guide" / "keys.md"
        keys.write_text(f"# Keys\n\nA new paragraph.\n\n{KEYS}")
        (docs / "docs" / "js" / "custom.js").write_text("other();\n")
        said = rankgate("suite", "fix", "s.yaml", "--yes")
    assert "found by the anchors" in " ".join((said.out + said.err).split())
    assert "guide/keys.md:5-7" in (docs / "s.yaml").read_text()
