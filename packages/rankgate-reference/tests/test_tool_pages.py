"""Pages and budgets of the tools: nothing is lost or comes twice, no answer is larger than asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate_reference.answers import tokens_of
from rankgate_reference.library.library import Library
from rankgate_reference.tools.tool import LEAST_BUDGET, Desk
from reference_support.desks import desk_of, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A page of 300 sections three levels deep, one of one long line, and 120 small files."""
    folder = tmp_path_factory.mktemp("large")
    root = folder / "root"
    (root / "many").mkdir(parents=True)
    sections = [
        f"{'#' * (1 + number % 3)} Part {number}\n\nAbout keys, é and {number}.\n" for number in range(300)
    ]
    (root / "long.md").write_text("\n".join(sections))
    (root / "line.md").write_text("# Line\n\n" + "word é " * 20_000)
    for number in range(120):
        (root / f"many/{number:03}.py").write_text(f"def do_{number}():\n    return {number}\n")
    library = Library.open(root, cache=folder / "cache")
    yield desk_of(library)
    library.close()


def test_pages_go_on_however_much_is_said_of_a_node(tmp_path: Path) -> None:
    long = "".join(f"    def {'a' * 60}{number}(self):\n        return 1\n" for number in range(40))
    (tmp_path / "root" / ("d" * 200)).mkdir(parents=True)
    path = f"{'d' * 200}/{'e' * 200}.py"
    (tmp_path / "root" / path).write_text(f'class {"B" * 250}:\n    """{"wörd " * 300}"""\n\n{long}')
    library = Library.open(tmp_path / "root", cache=tmp_path / "cache")
    desk = desk_of(library)
    id_ = library.tree(path)[1].id
    for tool, whole in (("navigate_tree", library.subtree), ("get_node_content", library.read)):
        text, cursor, pages = "", None, 0
        while cursor is not None or not pages:
            argument: Any = {"node": id_} if tool == "navigate_tree" else {"ids": [id_]}
            page = told(desk, tool, **argument, budget=LEAST_BUDGET, cursor=cursor).data
            part = page if tool == "navigate_tree" else page["nodes"][0]
            text, cursor, pages = text + part["text"], part["next_cursor"], pages + 1
            assert part["text"]
        assert text == whole(id_)
    library.close()


def test_pages_of_documents_give_every_document_once(large: Desk) -> None:
    for limit in (1, 7, 50, 10_000):
        found, cursor = [], None
        while True:
            page = told(large, "list_documents", limit=limit, cursor=cursor).data
            found += [one["id"] for one in page["documents"]]
            assert page["total"] == 122
            assert page["left"] == 122 - len(found)
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert found == [node.id for node in large.library.documents()]


def test_the_first_page_counts_the_folders(large: Desk) -> None:
    page = told(large, "list_documents", limit=3)
    assert page.data["folders"] == [{"path_prefix": "many/", "documents": 120}]
    assert page.data["facets"] == {"language": {"python": 120, "markdown": 2}, "type": {"many": 120}}
    assert "language: python (120), markdown (2); type: many (120); kind: " in page.text
    inside = told(large, "list_documents", path_prefix="many/11", limit=100).data
    assert [one["id"] for one in inside["documents"]] == [f"many/11{number}.py" for number in range(10)]


def test_pages_of_a_tree_give_every_node_once(large: Desk) -> None:
    for budget, depth in ((LEAST_BUDGET, 9), (1000, 1000), (250_000, 3)):
        found, cursor = [], None
        while True:
            page = told(large, "get_tree", document="long.md", depth=depth, budget=budget, cursor=cursor).data
            found += [one["id"] for one in page["nodes"]]
            assert page["left"] == 301 - len(found)
            cursor = page["next_cursor"]
            if cursor is None:
                break
        assert found == [node.id for node in large.library.tree("long.md")]


def test_a_tree_that_is_too_large_loses_its_deepest_levels_first(large: Desk) -> None:
    page = told(large, "get_tree", document="long.md", budget=2500)
    assert {one["depth"] for one in page.data["nodes"]} == {0, 1}
    assert len(page.data["nodes"]) == 101
    assert page.data["deeper"] == 200
    assert "(+2 below)" in page.text
    assert "200 nodes deeper than 1 left out" in page.text
    below = told(large, "get_tree", document="long.md#Part 3", budget=2500).data
    assert [one["title"] for one in below["nodes"]] == ["Part 3", "Part 4", "Part 5"]


@pytest.mark.parametrize("node", ["long.md", "line.md", "long.md#Part 3", "many/007.py"])
@pytest.mark.parametrize("budget", [LEAST_BUDGET, 1000, 250_000])
def test_pages_of_a_text_put_together_are_the_text(large: Desk, node: str, budget: int) -> None:
    for tool, whole in (("navigate_tree", large.library.subtree), ("get_node_content", large.library.read)):
        text, cursor = "", None
        while True:
            argument: Any = {"node": node} if tool == "navigate_tree" else {"ids": [node]}
            page = told(large, tool, **argument, budget=budget, cursor=cursor).data
            part = page if tool == "navigate_tree" else page["nodes"][0]
            text += part["text"]
            assert part["characters_left"] == len(whole(node)) - len(text)
            cursor = part["next_cursor"]
            if cursor is None:
                break
            assert part["text"]
        assert text == whole(node)


def test_pages_of_symbols_give_every_symbol_once(large: Desk) -> None:
    found, cursor = [], None
    while True:
        page = told(large, "find_symbol", name="do_", k=7, cursor=cursor).data
        found += [one["id"] for one in page["symbols"]]
        cursor = page["next_cursor"]
        if cursor is None:
            break
    assert found == [one for _, one in large.library.symbols("do_")]
    assert len(set(found)) == 120


def test_nodes_that_do_not_fit_are_listed(large: Desk) -> None:
    ids = [f"many/{number:03}.py::do_{number}" for number in range(60)]
    answer = told(large, "get_node_content", ids=ids, budget=500)
    read = [one["id"] for one in answer.data["nodes"]]
    assert 2 < len(read) < 60
    assert [*read, *answer.data["left_out"]] == ids
    assert f"{60 - len(read)} nodes left out by the budget" in answer.text


@given(
    budget=st.integers(LEAST_BUDGET, 3000),
    asked=st.sampled_from(
        [
            ("search_documents", {"query": "keys and part", "k": 100}),
            ("search_documents", {"query": "word", "k": 3}),
            ("get_tree", {"document": "long.md"}),
            ("get_tree", {"document": "long.md", "depth": 9}),
            ("get_node_content", {"ids": ["line.md#Line", "long.md#Part 0"]}),
            ("get_node_content", {"ids": [f"many/{number:03}.py" for number in range(100)]}),
            ("navigate_tree", {"node": "long.md"}),
            ("navigate_tree", {"node": "line.md"}),
        ]
    ),
)
def test_no_answer_is_larger_than_its_budget(
    large: Desk, budget: int, asked: tuple[str, dict[str, object]]
) -> None:
    name, given = asked
    assert tokens_of(told(large, name, **given, budget=budget).text) <= budget


def test_a_budget_holds_where_paths_and_titles_are_long_and_not_ascii(tmp_path: Path) -> None:
    folder = tmp_path / "root" / ("深" * 60)
    folder.mkdir(parents=True)
    sections = [f"{'#' * (1 + number % 4)} {'標題' * 40} {number}\n\nkey 內容\n" for number in range(30)]
    for number in range(10):
        (folder / f"{'文' * 70}{number}.md").write_text("\n".join(sections))
    library = Library.open(tmp_path / "root", cache=tmp_path / "cache")
    desk, document = desk_of(library), library.documents()[0].id
    asked: list[tuple[str, dict[str, object]]] = [
        ("search_documents", {"query": "key " + "鍵" * 200, "k": 100}),
        ("search_documents", {"query": "key", "filters": {"深" * 300: "x", "language": ["y" * 300, "z"]}}),
        (
            "search_documents",
            {"query": "key", "filters": {"type": ["深" * 60, *("鍵" * 99 + x for x in "abcd")]}},
        ),
        ("get_tree", {"document": document}),
        ("get_node_content", {"ids": [one.id for one in library.tree(document)]}),
        ("get_node_content", {"ids": [document, *(f"{'無' * 100}{number}" for number in range(50))]}),
        ("navigate_tree", {"node": document}),
    ]
    assert len(told(desk, "search_documents", query="key", k=100).data["hits"]) == 100
    for name, given_ in asked:
        for budget in (600, 1000, 4000):
            assert tokens_of(told(desk, name, **given_, budget=budget).text) <= budget, (name, budget)
    library.close()


def test_hits_that_do_not_fit_are_counted(large: Desk) -> None:
    answer = told(large, "search_documents", query="keys", k=100, budget=LEAST_BUDGET)
    assert 0 < len(answer.data["hits"]) < 100
    assert answer.data["left_out"] == 100 - len(answer.data["hits"])
    assert f"{answer.data['left_out']} more hits left out" in answer.text
    assert len(told(large, "search_documents", query="keys", k=100).data["hits"]) == 100
