"""What agents get from each tool, in this process: hits, hints and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

import rankgate as rg
from rankgate_reference.library.library import Library
from rankgate_reference.tools.every import TOOLS, call
from rankgate_reference.tools.tool import Desk
from reference_support import handbook
from reference_support.desks import desk_of, refused, told

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


ROTATION = "auth/keys.md#API keys/Rotation"


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("handbook")
    library = Library.open(handbook.write(folder / "root"), cache=folder / "cache")
    yield desk_of(library)
    library.close()


def test_every_tool_says_what_it_takes_in_a_schema_that_is_one() -> None:
    import jsonschema

    assert list(TOOLS) == [
        "search_documents",
        "find_symbol",
        "list_documents",
        "get_tree",
        "get_node_content",
        "navigate_tree",
    ]
    for tool in TOOLS.values():
        for schema in (tool.input_schema(), tool.output_schema()):
            jsonschema.Draft202012Validator.check_schema(schema)
        assert all(len(argument.says) > 15 for argument in tool.arguments)
        for name, schema in tool.input_schema()["properties"].items():
            if "default" in schema:
                jsonschema.validate(schema["default"], schema, cls=jsonschema.Draft202012Validator)
            assert name.islower()


def test_a_hit_has_an_id_to_pass_on_a_place_and_the_lines_that_fit(desk: Desk) -> None:
    answer = told(desk, "search_documents", query="rotating keys after 90 days", k=3)
    first = answer.data["hits"][0]
    assert first["id"] == ROTATION
    assert (first["path"], first["start"]) == ("auth/keys.md", 9)
    assert "Rotate a key after 90 days" in first["excerpt"]
    assert f"1. {ROTATION}\n   auth/keys.md:9-" in answer.text
    assert f"get_node_content(ids=[{ROTATION!r}])" in answer.text
    read = told(desk, "get_node_content", ids=[first["id"]])
    assert "client.rotate_key" in read.data["nodes"][0]["text"]


def test_filters_choose_and_an_unknown_one_is_told(desk: Desk) -> None:
    found = told(desk, "search_documents", query="key", filters={"language": ["python", "go"]})
    assert {hit["path"].rpartition(".")[2] for hit in found.data["hits"]} == {"py"}
    found = told(desk, "search_documents", query="key", filters={"colour": "red"})
    assert found.data["hits"] == []
    assert "no node has the facet 'colour'" in found.text
    assert "language" in found.data["warnings"][0]
    listed = told(desk, "list_documents", filters={"tags": "auth", "language": ["markdown", "rst"]})
    assert [one["id"] for one in listed.data["documents"]] == ["auth/keys.md"]


def test_a_mode_without_its_index_is_refused_with_the_reason(desk: Desk) -> None:
    assert "lexical, vector, hybrid" in refused(desk, "search_documents", query="key", mode="psychic")


def test_nothing_found_says_what_to_try(desk: Desk) -> None:
    answer = told(desk, "search_documents", query="xqzvkw")
    assert "Nothing found for 'xqzvkw'" in answer.text
    assert "find_symbol" in answer.text


@pytest.mark.parametrize(
    ("name", "fits"),
    [
        ("sendAll", [("exact", "src/client.py::sendAll")]),
        ("Client.send", [("exact", "src/client.py::Client.send")]),
        ("src.client.Client.send()", [("exact", "src/client.py::Client.send")]),
        ("client.SEND", [("exact", "src/client.py::Client.send"), ("prefix", "src/client.py::sendAll")]),
        ("SENDALL", [("exact", "src/client.py::sendAll")]),
        (
            "send",
            [
                ("suffix", "src/client.py::Client.send"),
                ("prefix", "src/client.py::sendAll"),
            ],
        ),
        ("rot", [("prefix", "src/client.py::Client.rotate_key")]),
        ("src/client.py::Client.send", [("exact", "src/client.py::Client.send")]),
        ("", []),
        ("...", []),
    ],
)
def test_a_symbol_is_found_by_its_name_its_end_and_its_beginning(
    desk: Desk, name: str, fits: list[tuple[str, str]]
) -> None:
    answer = told(desk, "find_symbol", name=name)
    found = [(one["fit"], one["id"]) for one in answer.data["symbols"]]
    assert found == fits
    assert all(one["signature"].startswith(("def ", "class ")) for one in answer.data["symbols"])


def test_a_symbol_that_is_not_there_is_no_error_and_names_what_is_near(desk: Desk) -> None:
    answer = told(desk, "find_symbol", name="rotat_key")
    assert answer.data["total"] == 0
    assert "src/client.py::Client.rotate_key" in answer.text


def test_a_class_is_read_without_its_methods_and_its_tree_with_them(desk: Desk) -> None:
    own = told(desk, "get_node_content", ids=["src/client.py::Client"])
    assert own.data["nodes"][0]["nodes_below"] == 2
    assert "deliver" not in own.text
    assert "below it: send, rotate_key" in own.text
    assert "navigate_tree(node='src/client.py::Client')" in own.text
    whole = told(desk, "navigate_tree", node="src/client.py::Client")
    assert "deliver" in whole.text
    assert whole.data["text"] == desk.library.subtree("src/client.py::Client")


def test_a_place_in_a_file_stands_for_the_innermost_node_around_it(desk: Desk) -> None:
    for place in ("src/client.py:11", "src/client.py:11-12"):
        read = told(desk, "get_node_content", ids=[place])
        assert read.data["nodes"][0]["id"] == "src/client.py::Client.send"
    assert "near it" in refused(desk, "get_node_content", ids=["src/client.py:99999"])


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("auth/keys.md#API keys/Rotations", ROTATION),
        ("auth/keys.md#Rotation", ROTATION),
        ("keys.md", "auth/keys.md"),
        ("/home/me/project/src/client.py", "src/client.py"),
        ("src/clients.py", "src/client.py"),
        ("src/client.py::Client.sent", "src/client.py::Client.send"),
        ("src.client.Client", "src/client.py::Client"),
    ],
)
@pytest.mark.parametrize(
    ("tool", "argument"), [("get_node_content", "ids"), ("navigate_tree", "node"), ("get_tree", "document")]
)
def test_an_unknown_id_is_refused_with_what_is_near(
    desk: Desk, tool: str, argument: str, written: str, near: str
) -> None:
    said = refused(desk, tool, **{argument: [written] if argument == "ids" else written})
    assert "no such node" in said
    assert near in said.partition("near it")[2]


def test_a_link_to_a_line_and_a_path_from_here_are_taken(desk: Desk) -> None:
    for place in ("src/client.py#L11", "src/client.py#L11-L12", "./src/client.py:11"):
        read = told(desk, "get_node_content", ids=[place])
        assert read.data["nodes"][0]["id"] == "src/client.py::Client.send"
    assert told(desk, "get_tree", document="./hooks.md").data["document"] == "hooks.md"


def test_a_folder_is_refused_with_how_to_list_it(desk: Desk) -> None:
    for written in ("src", "src/", "./src"):
        said = refused(desk, "get_tree", document=written)
        assert "found a folder" in said
        assert "list_documents(path_prefix='src/') lists its files" in said


def test_ids_that_are_not_there_are_told_and_the_others_read(desk: Desk) -> None:
    ids = ["src/client.py::Client.sent", ROTATION, "nowhere.md", "auth/keys.md:10"]
    answer = told(desk, "get_node_content", ids=ids)
    # The last is the second by another name.
    assert [one["id"] for one in answer.data["nodes"]] == [ROTATION]
    assert [one.partition(": ")[0] for one in answer.data["errors"]] == [repr(ids[0]), repr(ids[2])]
    assert "Not found: 'src/client.py::Client.sent'" in answer.text
    assert "src/client.py::Client.send" in answer.text
    assert len(refused(desk, "get_node_content", ids=["a", "b"]).split("\n")) == 2
    assert "no such node" in refused(desk, "get_node_content", ids=["a", ROTATION], cursor="3")


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("Special.send", "send"),
        ("handbook.Client", "Client"),
        ("handbook.api.Client.send", "Client.send"),
        ("handbook::Client.send()", "Client.send"),
    ],
)
def test_a_name_that_is_inherited_or_imported_is_found_by_its_end(desk: Desk, name: str, called: str) -> None:
    answer = told(desk, "find_symbol", name=name)
    assert answer.data["symbols"][0]["id"] == f"src/client.py::Client{'.send' if 'send' in called else ''}"
    assert {one["fit"] for one in answer.data["symbols"]} == {"end"}
    assert f"No symbol is called {name!r}" in answer.text
    assert f"for {called!r}" in answer.text


def test_of_equal_names_that_in_the_named_folder_comes_first(tmp_path: Path) -> None:
    for folder in ("a", "b", "c"):
        (tmp_path / "root" / folder).mkdir(parents=True)
        (tmp_path / "root" / folder / "deep.py").write_text("class Thing:\n    pass\n")
    library = Library.open(tmp_path / "root", cache=tmp_path / "cache")
    found = told(desk_of(library), "find_symbol", name="b.Thing").data["symbols"]
    assert [one["path"] for one in found] == ["b/deep.py", "a/deep.py", "c/deep.py"]
    library.close()


def test_a_signature_is_whole_and_without_its_decorators(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/app.py").write_text(
        "@cached(\n    size=3,\n)\n@logged\ndef find(\n    name: str,  # what it is\n    *,\n"
        '    deep: list[int] = [],\n) -> None:\n    """Find it."""\n    return None\n'
    )
    library = Library.open(tmp_path / "root", cache=tmp_path / "cache")
    desk = desk_of(library)
    signature = "def find(name: str, *, deep: list[int] = []) -> None:"
    assert told(desk, "find_symbol", name="find").data["symbols"][0]["signature"] == signature
    excerpt = told(desk, "search_documents", query="find").data["hits"][0]["excerpt"]
    assert excerpt.split("\n")[:2] == [signature, '    """Find it."""']
    library.close()


def test_a_value_that_no_node_has_is_told_with_what_is_near(desk: Desk) -> None:
    asked: list[tuple[str, dict[str, object]]] = [
        ("search_documents", {"query": "key"}),
        ("list_documents", {}),
    ]
    for tool, given_ in asked:
        answer = told(desk, tool, **given_, filters={"language": "pyhton"})
        (warning,) = answer.data["warnings"]
        assert warning.startswith("no node has language 'pyhton'; there are: python")
        assert warning in answer.text
        assert not told(desk, tool, **given_, filters={"language": "python", "kind": "x"}).data["warnings"]


def test_many_values_that_no_node_has_are_counted(desk: Desk) -> None:
    values = [f"language {number}" for number in range(90)]
    answer = told(desk, "list_documents", filters={"language": [*values, *values[:9]]})
    assert len(answer.data["warnings"]) == 6
    assert answer.data["warnings"][-1] == "and 85 more"
    assert len(answer.text) < 2000


def test_what_is_near_is_looked_for_only_for_the_first_of_many_wrong_ids(desk: Desk) -> None:
    errors = told(desk, "get_node_content", ids=[ROTATION, *(f"hook{n}.md" for n in range(9))]).data["errors"]
    assert ["near it: hooks.md" in one for one in errors] == [True] * 5 + [False] * 4


def test_a_prefix_may_begin_as_paths_do_and_one_that_fits_nothing_is_told_what_there_is(desk: Desk) -> None:
    for written in ("auth", "./auth", "/auth/"):
        listed = told(desk, "list_documents", path_prefix=written).data["documents"]
        assert [one["id"] for one in listed] == ["auth/keys.md", "auth/login.md"]
    answer = told(desk, "list_documents", path_prefix="documentation/")
    assert answer.data["total"] == 0
    assert answer.text.startswith("No document of 5 ")
    assert "auth/ (2), src/ (1), tests/ (1)" in answer.text


def test_a_hit_whose_file_was_indexed_anew_meanwhile_is_left_out(desk: Desk) -> None:
    def searched(mode: str, query: rg.Query) -> rg.Ranking:
        del mode
        return rg.Ranking((rg.Hit(id="gone.md#Gone", score=2.0), *desk.library.search(query).hits))

    answer = told(Desk(desk.library, searched), "search_documents", query="rotating keys after 90 days", k=3)
    assert answer.data["hits"][0]["id"] == ROTATION
    assert "gone.md" not in answer.text


def test_a_node_without_a_text_says_where_its_text_is(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root/zeppelin.md").write_text("# Zeppelin\n\nAn airship.\n")
    library = Library.open(tmp_path / "root", cache=tmp_path / "cache")
    text = told(desk_of(library), "search_documents", query="zeppelin").text
    assert "zeppelin.md:1-1 document - Zeppelin; no text of its own, navigate_tree reads" in text
    library.close()


TEXTS = st.text(st.characters(), max_size=30) | st.sampled_from(
    ["\ud800", "a\x00b", "../x", "/etc/passwd", "x" * 20_000, ROTATION, "src/client.py:9", "#", "::", "."]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=4,
)


@given(drawn=st.data())
@pytest.mark.parametrize("tool", list(TOOLS))
def test_whatever_is_given_is_answered_or_refused(desk: Desk, tool: str, drawn: st.DataObject) -> None:
    asked = {}
    for argument in TOOLS[tool].arguments:
        likely = {"text": TEXTS, "texts": st.lists(TEXTS), "number": st.integers(-1, 400)}
        asked[argument.name] = drawn.draw(likely.get(argument.kind, ANYTHING) | st.none() | ANYTHING)
    answer = call(desk, tool, asked)
    assert answer.error == (not answer.data)
    assert answer.text


def test_a_number_of_thousands_of_digits_is_refused(desk: Desk) -> None:
    assert refused(desk, "search_documents", query="a", k=10**5000) == (
        "k: found an endless int, expected a number from 1 to 100"
    )


def test_a_text_that_is_too_long_is_told_so(desk: Desk) -> None:
    said = refused(desk, "search_documents", query="x" * 10_001)
    assert said.endswith("expected at most 10,000 characters")
    assert refused(desk, "get_node_content", ids=["x" * 10_001]).endswith("at most 10,000 characters")


def test_wrong_arguments_are_named_all_at_once(desk: Desk) -> None:
    said = refused(desk, "search_documents", query=7, k=0, filter={}, mode="x")
    assert said.split("\n") == [
        "'filter': found an argument that is not known, expected only query, k, filters, budget, mode",
        "query: found 7, expected a string",
        "k: found 0, expected a number from 1 to 100",
        "mode: found 'x', expected one of lexical, vector, hybrid",
    ]
    assert "no tool" in call(desk, "delete_all", {}).text.lower()
    assert refused(desk, "get_tree") == "document: found nothing, expected a string"
    assert "1 to 100 strings" in refused(desk, "get_node_content", ids=[])
    assert "an object such as" in refused(desk, "search_documents", query="a", filters={"a": 1})


def test_digits_for_a_number_one_text_for_a_list_and_null_for_nothing_are_taken(desk: Desk) -> None:
    assert len(told(desk, "search_documents", query="key", k="2", filters=None).data["hits"]) == 2
    assert told(desk, "get_node_content", ids="hooks.md", budget=None).data["nodes"][0]["id"] == "hooks.md"


@given(cursor=st.text() | st.from_regex(r"\d+(:\d+)?", fullmatch=True))
@pytest.mark.parametrize(
    ("tool", "given_"),
    [
        ("list_documents", {}),
        ("get_tree", {"document": "hooks.md"}),
        ("get_node_content", {"ids": ["hooks.md"]}),
        ("navigate_tree", {"node": "hooks.md"}),
        ("find_symbol", {"name": "send"}),
    ],
)
def test_any_cursor_is_answered_or_refused(
    desk: Desk, tool: str, given_: dict[str, object], cursor: str
) -> None:
    answer = call(desk, tool, {**given_, "cursor": cursor})
    assert answer.error == (not answer.data)
    if answer.error:
        assert answer.text.startswith("cursor: found ")
