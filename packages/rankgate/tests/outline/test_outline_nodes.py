"""What every outline has: the document first, the order of lines, and what stands above each node."""

from __future__ import annotations

import pytest

from rankgate.outline import KINDS, OutlineNode, read_outline
from rankgate.outline.nodes import document, nested


def outlined(path: str, text: str) -> tuple[OutlineNode, ...]:
    nodes = read_outline(path, text)
    assert nodes is not None
    return nodes


def above(path: str, text: str) -> list[tuple[str, str | None]]:
    """Each node by its dotted path, with that of the node above it."""
    nodes = outlined(path, text)
    return [(node.qualified, None if node.parent is None else nodes[node.parent].qualified) for node in nodes]


def test_the_document_is_first_and_has_nothing_above_it() -> None:
    (first, *rest) = outlined("a.md", "# A\n\n## B\n\n# C\n")
    assert (first.kind, first.name, first.path, first.start, first.end) == ("document", "a.md", (), 1, 5)
    assert (first.level, first.parent) == (0, None)
    assert [node.parent for node in rest] == [0, 1, 0]


def test_sections_stand_below_the_section_around_them() -> None:
    text = "### Deep\n# A\n### C\n## B\n### C\n# A\n## B\n"
    assert above("a.md", text) == [
        ("", None),
        ("Deep", ""),
        ("A", ""),
        ("A.C", "A"),
        ("A.B", "A"),
        ("A.B.C", "A.B"),
        ("A", ""),
        ("A.B", "A"),
    ]
    nodes = outlined("a.md", text)
    # Of two sections with one path, the one around it is meant.
    assert [node.parent for node in nodes[-2:]] == [0, 6]


def test_python_nests_through_statements() -> None:
    text = "class A:\n    if 1:\n        def f(self):\n            class B:\n                x = 1\n"
    assert above("a.py", text) == [("", None), ("A", ""), ("A.f", "A"), ("A.f.B", "A.f")]


def test_what_shares_a_line_is_not_mistaken_for_what_is_inside() -> None:
    text = "class A: x = 1\nclass B: y = 1; z = 2\n"
    assert above("a.py", text) == [("", None), ("A", ""), ("B", "")]
    one_line = "function a() {} function b() { function c() {} }\n"
    assert above("a.js", one_line) == [("", None), ("a", ""), ("b", ""), ("b.c", "b")]


def test_a_method_that_stands_apart_belongs_to_its_type_wherever_that_stands() -> None:
    text = "package a\nfunc (s *Store) Put() {}\ntype Store struct{}\nfunc (e Else) Put() {}\n"
    assert above("a.go", text) == [
        ("", None),
        ("Store.Put", "Store"),
        ("Store", ""),
        ("Else.Put", ""),
    ]


def test_a_type_apart_is_looked_for_below_the_node_around() -> None:
    text = "mod m {\n    impl Store {\n        fn put() {}\n    }\n    struct Store;\n}\nstruct Store;\n"
    assert above("a.rs", text) == [
        ("", None),
        ("m", ""),
        ("m.Store.put", "m.Store"),
        ("m.Store", "m"),
        ("Store", ""),
    ]


def test_nodes_come_by_their_lines_whatever_order_they_are_given_in() -> None:
    inner, outer = OutlineNode("method", "f", ("A", "f"), 2, 2, 2), OutlineNode("class", "A", ("A",), 2, 2, 1)
    later = OutlineNode("class", "B", ("B",), 3, 4, 1)
    nodes = nested(document("a", "1\n2\n3\n4\n"), [later, inner, outer])
    assert [(node.name, node.parent) for node in nodes] == [("a", None), ("A", 0), ("f", 1), ("B", 0)]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "x = 1\n\ndef f():\n    pass\n"),
        ("a.js", "x = 1\n\nfunction f() {\n}\n"),
        ("a.md", "text\n\n# f\nmore\n"),
        ("a.rst", "text\n\nf\n=\n"),
    ],
)
def test_line_ends_of_every_system_and_a_byte_order_mark_change_nothing(
    path: str, text: str, end: str
) -> None:
    nodes = outlined(path, "\ufeff" + text.replace("\n", end))
    assert [(node.name, node.start, node.end) for node in nodes] == [(path, 1, 4), ("f", 3, 4)]


def test_the_kinds_are_few() -> None:
    assert len(KINDS) == len(set(KINDS)) == 13
