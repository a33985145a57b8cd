"""An index that rankgate builds can answer a suite of headings without a word on how to cut documents."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.evaluation.flow import evaluate
from rankgate.model import Document, Hit, Query, Ranking
from rankgate.suites.formats import load_suite
from support.commands import rankgate
from support.memory_engine import MEMORY

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILES = {
    "keys.md": "# Keys\n\nMaking one.\n\n## Rotation\n\nTo rotate a key, make another.\n",
    "hooks.md": "# Webhooks\n\nSigned with a key.\n\n## Retries\n\nFive times.\n",
}
HEADINGS = """\
corpus: docs/
gates: [hit@1 >= 1]
cases:
  - query: rotate
    at: keys.md#Rotation
  - query: five
    at: hooks.md:7
"""


class Shelf:
    """A system that keeps the documents it is given, and finds those that hold the query."""

    name = "shelf"
    wants_documents = True
    documents: tuple[Document, ...] = ()

    def build(self, documents: Iterable[Document], _name: str) -> bool:
        self.documents = tuple(documents)
        return True

    def search(self, query: Query) -> Ranking:
        found = [one for one in self.documents if query.text in one.text.lower()]
        return Ranking(tuple(Hit(one.id, one.path, one.lines) for one in found))


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "docs").mkdir()
    for name, text in FILES.items():
        (tmp_path / "docs" / name).write_text(text)
    (tmp_path / "search.yaml").write_text(HEADINGS)
    return tmp_path


def test_a_suite_of_headings_passes_where_nothing_is_said_of_chunks(project: Path) -> None:
    (project / "rankgate.toml").write_text(f"[systems.app]\nkind = '{MEMORY}'\n")
    said = rankgate("test", "search.yaml").printed()
    assert "2 documents cut by section into 4 pieces" in said


def test_hits_on_whole_files_have_all_of_their_lines(project: Path) -> None:
    (project / "rankgate.toml").write_text(f"[systems.app]\nkind = '{MEMORY}'\nchunks = 'file'\n")
    assert "2 documents cut by file into 2 pieces" in rankgate("test", "search.yaml").printed()
    result = evaluate(load_suite(project / "search.yaml"), shelf := Shelf(), chunks="file")
    assert result["hit@1"] == 1
    assert {one.id: str(one.lines) for one in shelf.documents} == {"keys.md": "1-7", "hooks.md": "1-7"}


@pytest.mark.parametrize(
    "targets",
    [
        {"rotate": "at: keys.md", "five": "at: hooks.md"},
        {"rotate": "id: keys.md", "five": "id: hooks.md"},
    ],
)
def test_a_suite_of_files_or_ids_has_whole_files_as_before(project: Path, targets: dict[str, str]) -> None:
    cases = "".join(f"  - {{query: {query}, {target}}}\n" for query, target in targets.items())
    (project / "search.yaml").write_text(f"corpus: docs/\ncases:\n{cases}")
    result = evaluate(load_suite(project / "search.yaml"), shelf := Shelf(), metrics=["ndcg@10"])
    assert result["ndcg@10"] == 1
    assert [one.id for one in shelf.documents] == sorted(FILES)
    texts = {one.id: one.text for one in FolderCorpus.open(project / "docs", root=project).documents()}
    assert {one.id: one.text for one in shelf.documents} == texts


def test_records_are_indexed_as_before(project: Path) -> None:
    folder = project / "beir"
    folder.mkdir()
    records = [
        {"_id": "d1", "title": "", "text": "# Keys\n\nrotate"},
        {"_id": "d2", "title": "", "text": "five"},
    ]
    (folder / "corpus.jsonl").write_text("".join(json.dumps(one) + "\n" for one in records))
    cases = "  - {query: rotate, id: d1}\n  - {query: five, id: d2}\n"
    (project / "search.yaml").write_text(f"corpus: {{beir: beir/}}\ncases:\n{cases}")
    result = evaluate(load_suite(project / "search.yaml"), shelf := Shelf(), metrics=["ndcg@10"])
    assert result["ndcg@10"] == 1
    assert [(one.id, one.path, one.lines) for one in shelf.documents] == [
        ("d1", None, None),
        ("d2", None, None),
    ]
