"""Ids of records are names and nothing else, whatever they look like."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankgate as rg
from rankgate_reference.finding import Finder
from rankgate_reference.library.library import Library
from rankgate_reference.tools.every import call
from rankgate_reference.tools.tool import Desk

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

pytest.importorskip("tantivy")

IDS = [
    "doc",
    "doc#1",
    "doc::x",
    "doc/x",
    "doc%231",
    "doc%23",
    "doc:1",
    "doc#L1",
    "doc x",
    "doc?",
    "doc\0",
    "doc\0x",
    "./doc",
    "/doc",
    "../doc",
    "a\nb",
    " ",
    "\U0001f600" * 10_000,
    "z" * 70_000,
]
"""Of those that are much alike, each must be told from the others."""

NONE = ["doc#2", "doc::y", "doc:2", "doc:1-1", "doc%3A%3Ax", "doc\ud800", "././doc", "doc/", "x" * 20_000]


def written(file: Path, ids: Iterable[str], more: str = "") -> Path:
    records = [{"id": one, "text": f"word{at} shared {more}"} for at, one in enumerate(ids)]
    file.write_text("".join(f"{json.dumps(record)}\n" for record in records))
    return file


def desk_of(library: Library) -> Desk:
    return Desk(library, lambda _how, query: library.search(query))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Library:
    folder = tmp_path_factory.mktemp("ids")
    return Library.open(written(folder / "a.jsonl", IDS), kind="jsonl", cache=folder / "cache")


@pytest.mark.parametrize("at", range(len(IDS)))
def test_an_id_gives_its_own_record_and_no_other(library: Library, at: int) -> None:
    name, text = IDS[at], f"word{at} shared "
    assert [node.id for node in library.tree(name)] == [name]
    assert library.tree(name)[0].location == rg.Location.of_id(name)
    assert library.read(name) == library.subtree(name) == text
    assert Finder(library).node(name).id == name
    assert [hit.id for hit in library.search(rg.Query(f"word{at}", 1)).hits] == [name]


@pytest.mark.parametrize("at", [at for at, name in enumerate(IDS) if len(name) <= 10_000])
def test_every_tool_takes_an_id_as_it_is(library: Library, at: int) -> None:
    name, text, desk = IDS[at], f"word{at} shared ", desk_of(library)

    def told(tool: str, **given: object) -> Any:
        answer = call(desk, tool, given)
        assert not answer.error, answer.text
        return answer.data

    assert [one["id"] for one in told("get_tree", document=name)["nodes"]] == [name]
    assert [one["text"] for one in told("get_node_content", ids=[name])["nodes"]] == [text]
    assert told("navigate_tree", node=name)["text"] == text
    assert name in [one["id"] for one in told("list_documents", path_prefix=name)["documents"]]
    assert told("find_symbol", name=name)["symbols"] == []
    found = told("search_documents", query=f"word{at}", k=1, filters={"kind": "record"})
    assert [one["id"] for one in found["hits"]] == [name]


def test_the_next_call_names_the_record_that_was_found(library: Library) -> None:
    answer = call(desk_of(library), "search_documents", {"query": f"word{IDS.index('a' + chr(10) + 'b')}"})
    assert "get_node_content(ids=['a\\nb'])" in answer.text


@pytest.mark.parametrize("name", NONE)
def test_what_is_only_like_an_id_is_none(library: Library, name: str) -> None:
    with pytest.raises(rg.SystemFailedError):
        library.tree(name)
    with pytest.raises(rg.InputError):
        Finder(library).node(name)
    assert call(desk_of(library), "get_tree", {"document": name}).error


def test_what_ids_begin_with_is_told_as_such(library: Library) -> None:
    with pytest.raises(rg.InputError, match=r"no such record, and 1 that begin so.*path_prefix='doc/'"):
        Finder(library).node("doc/")


def test_every_record_is_replaced_and_removed_by_its_id(tmp_path: Path) -> None:
    for ids, more in ((IDS, ""), (IDS, "again"), (IDS[::2], "again")):
        library = Library.open(
            written(tmp_path / "a.jsonl", ids, more), kind="jsonl", cache=tmp_path / "cache"
        )
        found = [hit.id for hit in library.search(rg.Query("shared", 100)).hits]
        assert sorted(filter(None, found)) == sorted(ids)
        assert [node.id for node in library.documents()] == sorted(ids)
        library.close()


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(ids=st.sets(st.text("ab#:/%23 .~\0\n", min_size=1, max_size=6), min_size=1, max_size=8))
def test_any_ids_are_told_apart(tmp_path: Path, ids: set[str]) -> None:
    library = Library.open(written(tmp_path / "a.jsonl", ids), kind="jsonl", cache=tmp_path / "cache")
    for name in ids:
        assert [node.id for node in library.tree(name)] == [name]
        assert Finder(library).node(name).id == name
    library.close()
