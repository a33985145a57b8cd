"""A LangChain vector store has `search`, whose second parameter is the kind of search: it got k there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import rankgate as rg
from rankgate.errors import InputError
from rankgate.model import Query
from rankgate.systems.function.system import FunctionSystem
from support.commands import rankgate
from support.retriever_doubles import BaseStore, PageDocument, ScoredStore

if TYPE_CHECKING:
    from pathlib import Path

APP = """\
from pathlib import Path
from support.retriever_doubles import PageDocument, ScoredStore

TEXT = Path("docs/keys.md").read_text()
at = TEXT.index("Rotate")
store = ScoredStore([PageDocument(TEXT[at:], {"source": "docs/keys.md", "start_index": at})])
"""
SUITE = """\
corpus: docs
gates: [rr@10 >= 1]
cases:
  - {query: rotate, at: "keys.md#Rotation"}
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\nAll.\n\n## Rotation\n\nRotate each month.\n")
    (tmp_path / "store_app.py").write_text(APP)
    (tmp_path / "search.yaml").write_text(SUITE)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_store_is_asked_for_k_and_not_for_a_kind_of_search() -> None:
    store = ScoredStore([PageDocument(f"text {number}", id=str(number)) for number in range(9)])

    ranking = FunctionSystem(store).search(Query("rotate", k=7))

    assert [(hit.id, hit.score) for hit in ranking.hits] == [(str(n), 1 / (n + 1)) for n in range(7)]


def test_a_store_without_scores_is_asked_without() -> None:
    store = BaseStore([PageDocument("a text", id="a")])

    assert [(hit.id, hit.score) for hit in FunctionSystem(store).search(Query("rotate")).hits] == [
        ("a", None)
    ]


def test_its_search_alone_is_refused_with_what_to_give() -> None:
    with pytest.raises(InputError, match="give the vector store itself"):
        FunctionSystem(ScoredStore([]).search)


def test_a_hit_is_found_by_command_and_from_python(project: Path) -> None:
    done = rankgate("test", "search.yaml", "--system", "./store_app.py:store")
    result = rg.evaluate(rg.load_suite("search.yaml"), "./store_app.py:store")

    assert done.code == 0, done.out + done.err
    assert "1 at exact locations; 1 by characters" in done.out
    assert result["rr@10"] == 1.0
