"""Ids of pages are those that the programs give them, number for number."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.outline.anchors.github import github_anchors
from rankgate.outline.anchors.python_markdown import python_markdown_anchors

PAGE = "# Steps\n\n## Steps\n\n## Steps 1\n\n## Steps\n\n## A [link](b.md) & `c_d` {#own}\n"
MARKDOWN = (python_markdown_anchors, github_anchors)


@pytest.mark.parametrize(
    ("program", "ids"),
    [
        (python_markdown_anchors, ["steps", "steps_1", "steps-1", "steps_2", "own"]),
        (github_anchors, ["steps", "steps-1", "steps-1-1", "steps-2", "own"]),
    ],
)
def test_each_program_numbers_in_its_own_way(program, ids: list[str]) -> None:  # type: ignore[no-untyped-def]
    assert [one.id for one in program(PAGE)] == ids


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
