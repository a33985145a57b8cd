"""Ids of pages are those that the programs give them, number for number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.outline.anchors.commonmark import (
    docusaurus_anchors,
    github_anchors,
    hugo_anchors,
    myst_anchors,
)
from rankgate.outline.anchors.docstrings import documented
from rankgate.outline.anchors.python_markdown import TocSettings, python_markdown_anchors
from rankgate.outline.anchors.rst import rst_anchors

PAGE = "# Steps\n\n## Steps\n\n## Steps 1\n\n## Steps\n\n## A [link](b.md) & `c_d` {#own}\n"
MARKDOWN = (python_markdown_anchors, github_anchors, docusaurus_anchors, hugo_anchors, myst_anchors)


@pytest.mark.parametrize(
    ("program", "ids"),
    [
        (python_markdown_anchors, ["steps", "steps_1", "steps-1", "steps_2", "own"]),
        (github_anchors, ["steps", "steps-1", "steps-1-1", "steps-2", "a-link--c_d-own"]),
        (docusaurus_anchors, ["steps", "steps-1", "steps-1-1", "steps-2", "own"]),
        (hugo_anchors, ["steps", "steps-1", "steps-1-1", "steps-2", "own"]),
    ],
)
def test_each_program_numbers_in_its_own_way(program, ids: list[str]) -> None:  # type: ignore[no-untyped-def]
    assert [one.id for one in program(PAGE)] == ids


def test_attributes_are_words_where_the_extension_is_off() -> None:
    found = python_markdown_anchors("## A {: #own }\n", TocSettings(attributes=False))
    assert [one.id for one in found] == ["a-own"]


def test_a_footnote_takes_the_number_of_a_second_section() -> None:
    text = "A\n=\n\nNote [#f]_.\n\n.. [#f] Here.\n\nB\n-\n\nB\n-\n"
    assert [one.id for one in rst_anchors("a.rst", text) if one.level] == ["a", "b", "id2"]


def test_a_title_in_a_docstring_takes_a_number() -> None:
    text = "A\n=\n\n.. autofunction:: app.turn\n\nUse\n---\n\nUse\n---\n"
    source = 'def turn():\n    """Turn.\n\n    Use\n    ===\n\n    Often.\n    """\n'
    with_source = rst_anchors(
        "a.rst", text, modules=lambda name: ("app.py", source) if name == "app" else None
    )
    assert [one.id for one in with_source if one.level] == ["a", "id1", "id2"]


def test_numbers_behind_a_docstring_that_is_not_there_are_not_known() -> None:
    text = "A\n=\n\n.. autofunction:: app.turn\n\nUse\n---\n\nUse\n---\n"
    assert [one.id for one in rst_anchors("a.rst", text) if one.level] == ["a", "use"]


def test_a_name_is_followed_through_imports_and_base_classes() -> None:
    store = "class Base:\n    def put(self):\n        'Puts.'\nclass Store(Base):\n    'It.'\n"
    package = "from .store import Store as Shelf\n"
    files = {"app": ("app/__init__.py", package), "app.store": ("app/store.py", store)}
    found = documented("app.Shelf.put", files.get, members=None)
    assert found is not None
    assert found[0].lines == ("Puts.",)
    assert documented("app.Shelf.gone", files.get, members=None) is None


LINES = [
    "# A",
    "## A",
    "> ## B",
    "- ## C",
    "!!! n",
    "    ## D",
    "<h2 id=e>",
    "```",
    "",
    "x",
    "<div>",
    "</div>",
]


@given(st.lists(st.sampled_from(LINES)))
def test_every_id_lies_in_the_page(lines: list[str]) -> None:
    text = "\n\n".join(lines)
    last = text.count("\n") + 1
    for program in MARKDOWN:
        assert all(1 <= one.start <= one.end <= last for one in program(text))
