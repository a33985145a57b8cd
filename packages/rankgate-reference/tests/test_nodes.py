"""The tree of nodes: every line in one of them, ids that stay, and front matter that cannot hurt."""

from __future__ import annotations

from collections import Counter
from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.outline.languages import SUFFIXES
from rankgate_reference.documents import nodes as nodes_module
from rankgate_reference.documents.front_matter import read_front_matter
from rankgate_reference.documents.languages import LANGUAGES
from rankgate_reference.documents.nodes import nodes_of, path_of
from support.timing import least_seconds

LINES = st.sampled_from(
    [
        "# A",
        "## B",
        "### C",
        "## B~2",
        "# 100%23 #x",
        "text of its own",
        "",
        "```",
        "---",
        "Title",
        "=====",
        "- a",
    ]
)
PAGES = st.lists(LINES, max_size=25).map("\n".join)
CODE = st.lists(
    st.sampled_from(
        ["def f():", "class A:", "    def f(self):", "        return 1", "    x = 2", "y = 3", "", "# c"]
    ),
    max_size=25,
).map("\n".join)
GO = """package a

func (k *Key) Rotate() {}

// Key is one.
type Key struct {
\tid int
}

func (k *Key) Drop() {}
"""


def _lines(text: str) -> Counter[str]:
    return Counter(line for line in text.split("\n") if line.strip())


@given(PAGES)
def test_every_line_of_a_page_is_in_the_text_of_one_node(text: str) -> None:
    nodes = nodes_of("a.md", text)
    found = sum((_lines(node.text) for node in nodes), Counter[str]())
    front = read_front_matter(text.split("\n")).lines
    assert found == _lines("\n".join(text.split("\n")[front:]))


@given(CODE)
def test_every_line_of_code_is_in_the_text_of_one_node(text: str) -> None:
    found = sum((_lines(node.text) for node in nodes_of("a.py", text)), Counter[str]())
    assert found == _lines(text)


@given(PAGES, st.sampled_from(["a.md", "x#y/a.md", "a%23.md", "a:b.md"]))
def test_ids_are_unique_and_name_their_file(text: str, path: str) -> None:
    ids = [node.id for node in nodes_of(path, text)]
    assert len(ids) == len(set(ids))
    assert {path_of(one) for one in ids} == {path}


@given(PAGES)
def test_parents_are_there_and_hold_their_children(text: str) -> None:
    nodes = {node.id: node for node in nodes_of("a.md", text)}
    for node in nodes.values():
        if node.parent is None:
            assert node.level == 0
        else:
            above = nodes[node.parent]
            assert above.start <= node.start <= node.end <= above.end


@given(PAGES)
def test_an_edit_at_the_end_leaves_every_id_above_it(text: str) -> None:
    closed = f"{text}\n\n"
    before = [node.id for node in nodes_of("a.md", closed)]
    after = [node.id for node in nodes_of("a.md", f"{closed}more words\n")]
    assert before == after


def test_an_edit_in_one_section_leaves_the_ids_of_the_others() -> None:
    page = "# A\n\n## B\n\none\n\n## C\n\ntwo\n"
    edited = page.replace("one", "one\n\n### New\n\nand more\n")
    before = {node.id for node in nodes_of("a.md", page)}
    assert before == {node.id for node in nodes_of("a.md", edited)} - {"a.md#A/B/New"}


def test_a_heading_that_looks_like_a_number_is_told_from_the_second_of_its_name() -> None:
    ids = [node.id for node in nodes_of("a.md", "# B\n\n# B~2\n\n# B\n")]
    assert ids == ["a.md", "a.md#B", "a.md#B~2", "a.md#B~3"]


def test_paths_that_differ_only_in_an_escape_have_different_ids() -> None:
    assert nodes_of("a#b.md", "x")[0].id != nodes_of("a%23b.md", "x")[0].id


def test_methods_of_go_are_below_their_type_wherever_they_stand() -> None:
    nodes = {node.id: node for node in nodes_of("a.go", GO)}
    assert nodes["a.go::Key.Rotate"].parent == "a.go::Key"
    assert nodes["a.go::Key.Drop"].parent == "a.go::Key"
    assert nodes["a.go::Key.Rotate"].start < nodes["a.go::Key"].start
    found = sum((_lines(node.text) for node in nodes.values()), Counter[str]())
    assert found == _lines(GO)


def test_fenced_code_stays_with_its_section() -> None:
    nodes = nodes_of("a.md", "# A\n\n```sh\n# not a heading\n```\n\n## B\n")
    assert [node.title for node in nodes] == ["A", "A", "B"]
    assert "# not a heading" in nodes[1].text


def test_facets_come_from_the_folder_the_suffix_the_kind_and_the_front_matter() -> None:
    page = "---\ntags: [auth, keys]\n---\n# A\n"
    assert nodes_of("guides/a.md", page)[1].facets == {
        "type": ("guides",),
        "language": ("markdown",),
        "tags": ("auth", "keys"),
        "kind": ("section",),
    }


def test_a_file_that_cannot_be_parsed_is_one_node_with_a_note() -> None:
    notes: list[str] = []
    (node,) = nodes_of("a.py", "def (:\n", notes)
    assert node.text == "def (:"
    assert len(notes) == 1
    assert notes[0].startswith("a.py: one node")


def test_front_matter_is_not_part_of_any_text() -> None:
    nodes = nodes_of("a.md", "---\ntitle: Keys\n---\n\nIntro.\n\n# One\n\n# Two\n")
    assert nodes[0].title == "Keys"
    assert all("title" not in node.text for node in nodes)


@pytest.mark.parametrize(
    "text",
    [
        "---\na: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n---\n",
        "---\n" + "k: " + "[" * 100_000 + "\n---\n",
        "---\n" + "\n".join(f"k{n}: v" for n in range(150)) + "\n---\n",
        "---\nk: [" + ",".join("v" * 10 for _ in range(500_000)) + "]\n---\n",
        "---\n" + "a: 1\n" * 1_000_000,
        "---\nk:\n" + "- v\n" * 190 + "---\n",
        "---\nk: !!python/object:os.system x\n---\n",
    ],
)
def test_front_matter_of_any_size_is_read_soon_into_little(text: str) -> None:
    lines = text.split("\n")
    assert least_seconds(partial(read_front_matter, lines), enough=2) < 2
    found = read_front_matter(lines)
    assert sum(len(value) for values in found.values.values() for value in values) < 110_000
    assert len(found.values) <= 200


def test_front_matter_that_never_ends_is_text() -> None:
    (node,) = nodes_of("a.md", "---\nkey: value\n")
    assert node.text == "---\nkey: value"


def test_a_huge_heading_is_not_repeated_in_every_node_below_it() -> None:
    nodes = nodes_of("a.md", f"# {'x' * 100_000}\n\n" + "## a\n" * 50)
    assert len(nodes) == 52
    assert max(len(title) for node in nodes for title in (node.title, *node.trail)) <= 500


def test_a_huge_name_of_a_class_is_not_repeated_in_every_method() -> None:
    methods = "".join(f"    def f{at}(self): ...\n" for at in range(50))
    nodes = nodes_of("a.py", f"class {'x' * 100_000}:\n{methods}")
    assert len(nodes) == 52
    assert max(len(node.symbol) for node in nodes) < 1100


def test_large_front_matter_of_a_page_with_many_nodes_holds_for_the_document_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    page = "---\ntags: [keys, auth]\n---\n" + "# a\n" * 20
    assert nodes_of("a.md", page)[-1].facets["tags"] == ("keys", "auth")
    monkeypatch.setattr(nodes_module, "_MOST_FACETS", 100)
    notes: list[str] = []
    nodes = nodes_of("a.md", page, notes)
    assert nodes[0].facets["tags"] == ("keys", "auth")
    assert "tags" not in nodes[1].facets
    assert notes == ["a.md: its front matter holds for the document alone, and not for 21 nodes"]


def test_a_file_of_too_many_pieces_is_one_node_with_a_note(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes_module, "_MOST_NODES", 10)
    notes: list[str] = []
    (node,) = nodes_of("a.md", "# a\n" * 20, notes)
    assert node.text.count("# a") == 20
    assert notes == ["a.md: one node, as its outline has 21 and 10 is the most"]


@pytest.mark.parametrize("path", ["a.yaml", "a.sql", "a.lua", "a.py"])
def test_only_pages_have_front_matter(path: str) -> None:
    text = "---\nkey: value\n---\nother: text\n"
    assert "key: value" in nodes_of(path, text)[0].text
    assert "key" not in nodes_of(path, text)[0].facets


@pytest.mark.parametrize("end", ["\r\n", "\r"])
def test_the_ends_of_lines_make_no_difference(end: str) -> None:
    page = "\ufeff---\ntitle: Keys\n---\n# One\n\ntext\n\n## Two\n\nmore\n"
    assert nodes_of("a.md", page.replace("\n", end)) == nodes_of("a.md", page)


def test_front_matter_of_other_forms_is_read() -> None:
    found = read_front_matter(
        [
            "---",
            "about: >",
            "  Keys that",
            "  rotate.",
            "tags: [auth,",
            "  'a, b']",
            "# a comment",
            "",
            "---",
        ]
    )
    assert found.values == {"about": ("Keys that rotate.",), "tags": ("auth", "a, b")}
    assert (found.lines, found.unread) == (9, 0)


@pytest.mark.parametrize(
    ("lines", "unread"),
    [
        (["author:", "  name: Ann", "  mail: a@b.c"], 2),
        ([f"tags: [{', '.join(f't{at}' for at in range(230))}]"], 30),
        (["tags:", *("- t" for _ in range(190))], 0),
        ([f"about: {'x' * 501}"], 1),
        ([f"k{at}: {'x' * 400}" for at in range(100)], 51),
    ],
)
def test_what_is_left_out_of_front_matter_is_counted_and_said(lines: list[str], unread: int) -> None:
    assert read_front_matter(["---", *lines, "---"]).unread == unread
    notes: list[str] = []
    nodes_of("a.md", "\n".join(["---", *lines, "---", "# A"]), notes)
    said = f"a.md: {unread} lines or values of its front matter are left out"
    assert notes == ([said] if unread else [])


def test_every_file_that_is_outlined_as_code_has_a_language() -> None:
    assert set(SUFFIXES) <= LANGUAGES.keys()


@pytest.mark.parametrize(
    ("path", "text", "own"),
    [
        (
            "a.go",
            "package a\n\n// Key is one.\n// It has an id.\ntype Key struct{}\n",
            "// Key is one.\n// It has an id.\ntype Key struct{}",
        ),
        (
            "A.java",
            "/* Licence. */\n\n/**\n * A key.\n */\nclass Key {}\n",
            "/**\n * A key.\n */\nclass Key {}",
        ),
        ("a.rb", "# A key.\nclass Key\nend\n", "# A key.\nclass Key\nend"),
        ("a.py", "#!/bin/python\n# A key.\ndef key():\n    pass\n", "# A key.\ndef key():\n    pass"),
        ("a.c", "#include <a.h>\nint key() { return 1; }\n", "int key() { return 1; }"),
        ("a.rs", "//! Keys.\nstruct Key;\n", "struct Key;"),
        ("a.ts", "const a = 1; /* one */\nfunction key() {}\n", "function key() {}"),
    ],
)
def test_the_comment_right_above_a_symbol_is_its_own(path: str, text: str, own: str) -> None:
    document, symbol = nodes_of(path, text)
    assert symbol.text == own
    assert _lines(document.text) + _lines(symbol.text) == _lines(text)
    assert text.split("\n")[symbol.start - 1] == own.split("\n", maxsplit=1)[0]


def test_a_comment_above_a_method_is_not_text_of_its_class() -> None:
    text = "class Key {\n  id = 1;\n\n  // Ends it.\n  revoke() {}\n}\n"
    _, key, revoke = nodes_of("a.ts", text)
    assert "Ends it" not in key.text
    assert revoke.text == "  // Ends it.\n  revoke() {}"
    assert (revoke.start, revoke.own_end, key.start, key.own_end) == (4, 5, 1, 3)
