"""The reference system over every kind of corpus: given by the suite, or named by root and corpus."""

from __future__ import annotations

import hashlib
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

import rankgate as rg
from rankgate.systems.registry import open_system
from rankgate_reference.documents.given import GivenDocuments
from rankgate_reference.system import open_reference
from support.archives import COMPRESSIONS, tar_with
from support.flows import shown

if TYPE_CHECKING:
    from pathlib import Path

pytest.importorskip("tantivy")

KEYS = "# Keys\n\n## Rotation\n\nRotate a key twice a year.\n\n## Expiry\n\nIt stays valid for a day.\n"
FILES = {
    "top/docs/keys.md": KEYS,
    "top/docs/old,new.md": "# Rotate\n\nA key.\n",
    "top/setup.py": "rotate = 1\n",
}
ARCHIVE = COMPRESSIONS["tar.gz"](tar_with(FILES))
SHA256 = hashlib.sha256(ARCHIVE).hexdigest()
CASES = """
metrics: [rr]
gates: [rr >= 1]
cases:
  - {query: rotate a key, at: "%s#Rotation"}
"""
SELECTED = 'include: ["**/*.md"], exclude: ["**/old*.md"]'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "project"
    (folder / "repository" / "docs").mkdir(parents=True)
    (folder / "repository" / "docs" / "keys.md").write_text(KEYS)
    (folder / "repository" / "docs" / "old,new.md").write_text("# Rotate\n\nA key.\n")
    git = ["git", "-C", str(folder / "repository"), "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "first"]):
        subprocess.run([*git, *words], check=True)
    (folder / "keys.tar.gz").write_bytes(ARCHIVE)
    return folder


def commit(project: Path) -> str:
    words = ["git", "-C", str(project / "repository"), "rev-parse", "HEAD"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def sources(project: Path) -> dict[str, tuple[str, str, str]]:
    """The corpus of a suite, its root, and its options, by kind; then what paths begin with."""
    return {
        "archive": ("keys.tar.gz", f"sha256: {SHA256}", "docs/"),
        "git": ("repository", f"commit: {commit(project)}", "docs/"),
    }


@pytest.mark.parametrize("kind", ["archive", "git"])
def test_a_suite_gives_its_own_corpus(project: Path, kind: str) -> None:
    place, option, top = sources(project)[kind]
    corpus = ", ".join(filter(None, (f"{kind}: {place}", option, SELECTED)))
    (project / "search.yaml").write_text(f"name: keys\ncorpus: {{{corpus}}}{CASES % (top + 'keys.md')}")
    (project / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.docs]\nkind = "reference"\ncorpus = "suite"\n'
    )
    text = shown(project, "rankgate test --system docs")
    assert text.endswith("exit 0\n\n"), text
    assert "1 document" in text
    assert shown(project, "rankgate query docs rotate --suite search.yaml").count("old,new.md") == 0


@pytest.mark.parametrize("kind", ["archive", "git"])
def test_a_root_of_any_kind_is_searched_with_its_options(project: Path, kind: str) -> None:
    place, option, top = sources(project)[kind]
    given = [kind, option.replace(": ", "="), r"include=**/*.md", r"exclude=**/old\,new.md"]
    options = {"root": place, "project": str(project), "corpus": ",".join(filter(None, given))}
    system = open_reference("docs", options)
    assert [one.id for one in system.documents()] == [f"{top}keys.md"]
    assert system.search(rg.Query("rotate a key", 1)).hits[0].id == f"{top}keys.md#Keys/Rotation"
    system.close()


def test_a_system_without_documents_says_so(project: Path) -> None:
    system = open_reference("docs", {"corpus": "suite", "project": str(project)})
    assert "fingerprint" not in system.describe()
    assert system.built_index() is None
    for asked in (lambda: system.search(rg.Query("rotate", 1)), system.documents):
        with pytest.raises(rg.SystemFailedError, match="no documents yet, expected the corpus of a suite"):
            asked()
    system.close()


def test_a_root_beside_the_corpus_of_the_suite_is_refused(project: Path) -> None:
    with pytest.raises(rg.InputError, match="none with the corpus of the suite"):
        open_reference("docs", {"corpus": "suite", "root": str(project)})


def test_chunks_are_refused_for_what_makes_nodes_of_its_own(project: Path) -> None:
    (project / "search.yaml").write_text(f"name: keys\ncorpus: repository/{CASES % 'docs/keys.md'}")
    (project / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.docs]\nkind = "reference"\ncorpus = "suite"\nchunks = "section"\n'
    )
    text = shown(project, "rankgate test --system docs")
    assert "docs.chunks: found 'section', expected whole documents" in text
    assert text.endswith("exit 2\n\n"), text


def documents(*texts: str) -> list[rg.Document]:
    return [rg.Document(f"{number}.md", text, path=f"{number}.md") for number, text in enumerate(texts)]


def test_what_was_built_before_is_not_built_again_and_another_corpus_is(project: Path) -> None:
    system: Any = open_system("docs", {"kind": "reference", "corpus": "suite", "project": str(project)})
    is_indexer = isinstance(system, rg.Indexer)
    assert is_indexer
    assert system.build(documents("# One\n"), "file-1") is True
    assert system.build(documents("# One\n"), "file-1") is False
    assert system.search(rg.Query("one", 5)).hits[0].id == "0.md#One"
    assert system.build(documents("# Two\n", "# Three\n"), "file-2") is True
    assert [hit.id for hit in system.search(rg.Query("one", 5)).hits] == []
    assert system.search(rg.Query("three", 5)).hits[0].id == "1.md#Three"
    system.close()


def test_a_folder_that_is_searched_by_its_root_takes_no_documents(project: Path) -> None:
    system = open_reference("docs", {"root": "repository", "project": str(project)})
    assert not isinstance(system, rg.Indexer)
    system.close()


def test_records_that_are_given_keep_their_ids_and_titles(project: Path) -> None:
    given = [
        rg.Document("doc#1", "the text", title="Rotate a key"),
        rg.Document("doc#2", "another", title=""),
    ]
    assert GivenDocuments(given).records
    system: Any = open_reference("docs", {"corpus": "suite", "project": str(project)})
    system.build(given, "file-1")
    assert system.search(rg.Query("rotate", 5)).hits[0].id == "doc#1"
    before = system.describe()["fingerprint"]
    system.build([given[0], rg.Document("doc#2", "another", title="Other")], "file-2")
    assert system.describe()["fingerprint"] != before
    with pytest.raises(rg.InputError, match="no documents"):
        system.build([], "file-3")
    system.close()
