"""Ids of pages: declared ids, and the slugs of GitHub and Python-Markdown, number for number."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from rankgate.outline.slugs import known_anchors, markdown_anchors


def test_repeated_titles_are_numbered_as_github_and_python_markdown_do() -> None:
    anchors = markdown_anchors("# Steps\n\n## Steps\n\n## Steps 1\n\n## Steps\n")
    lines: dict[int, list[str]] = {}
    for one in anchors:
        lines.setdefault(one.start, []).append(one.id)
    assert lines == {
        1: ["steps"],
        3: ["steps-1", "steps_1"],
        5: ["steps-1-1", "steps-1"],
        7: ["steps-2", "steps_2"],
    }


def test_an_id_that_two_programs_give_to_different_headings_is_ambiguous() -> None:
    found = known_anchors("a.md", "# Steps\n\n## Steps\n\n## Steps 1\n")
    assert sorted(found) == ["steps", "steps-1-1", "steps_1"]


def test_declared_ids_are_found_whatever_the_site() -> None:
    text = (
        "## One {#one}\n\n## Two {: #two .wide }\n\n## <a id='three'></a>Three\n\n<h2 id=four>Four</h2>\n\n"
        "Text. {: #five }\n\n<a name='six'></a>\n\n```\n<a id='no'></a> {#neither}\n```\n`<a id='nor'>`\n"
    )
    found = {one.id: (one.start, one.end) for one in known_anchors("a.md", text).values()}
    assert found == {
        "one": (1, 2),
        "two": (3, 4),
        "three": (5, 6),
        "four": (7, 16),
        "five": (9, 9),
        "six": (11, 11),
    }


def test_headings_in_quotes_and_lists_have_ids_and_end_no_section_outside() -> None:
    found = known_anchors("a.md", "# A\n\n> ## B\n> text\n\n- # C\n\n  text\n\nend\n")
    assert {name: (one.start, one.end) for name, one in found.items()} == {
        "a": (1, 10),
        "b": (3, 4),
        "c": (6, 9),
    }


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
    assert all(1 <= one.start <= one.end <= last for one in markdown_anchors(text))
