"""Markdown: which headings make sections, what they are called, and where they end."""

from __future__ import annotations

import pytest

from rankgate.outline import read_outline


def sections(text: str) -> list[tuple[str, int, int, int]]:
    nodes = read_outline("a.md", text)
    assert nodes is not None
    assert nodes[0].kind == "document"
    return [(node.name, node.level, node.start, node.end) for node in nodes[1:]]


def test_a_section_runs_to_the_next_heading_of_its_level_or_a_higher_one() -> None:
    text = "# A\n\n## B\ntext\n\n### C\n\n## D\n\n# E\n\nend\n"
    assert sections(text) == [
        ("A", 1, 1, 9),
        ("B", 2, 3, 7),
        ("C", 3, 6, 7),
        ("D", 2, 8, 9),
        ("E", 1, 10, 12),
    ]


def test_paths_skip_levels_that_are_not_there() -> None:
    nodes = read_outline("a.md", "# A\n### C\n## B\n")
    assert nodes is not None
    assert [node.path for node in nodes] == [(), ("A",), ("A", "C"), ("A", "B")]


def test_setext_headings_may_take_several_lines() -> None:
    assert sections("Title\n=====\n\nTwo\nlines\n---\ntext") == [("Title", 1, 1, 7), ("Two lines", 2, 4, 7)]


@pytest.mark.parametrize(
    "text",
    [
        "```\n# no\n```\n",
        "~~~md\n# no\n~~~\n",
        "    # no\n",
        "> # no\n",
        "- # no\n",
        "#no\n",
        "<!--\n# no\n-->\n",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert sections(text) == []


@pytest.mark.parametrize(
    ("title", "name"),
    [
        ("The **bold** `code`", "The bold code"),
        ("A [link](x.md) and ![an *image*](x.png)", "A link and an image"),
        ("Q &amp; A", "Q & A"),
        ("Closed ##", "Closed"),
        ("Named {#anchor}", "Named"),
        ("With <b>tags</b>", "With tags"),
        ("snake_case and 2 * 3", "snake_case and 2 * 3"),
        ("A [reference] link", "A reference link"),
    ],
)
def test_titles_lose_their_markup(title: str, name: str) -> None:
    assert sections(f"## {title}\n\n[reference]: x.md\n") == [(name, 2, 1, 3)]


@pytest.mark.parametrize("fence", ["---", "+++"])
def test_front_matter_is_no_text_and_keeps_its_lines(fence: str) -> None:
    assert sections(f"{fence}\ntitle: x\n# no\n{fence}\n# A\n") == [("A", 1, 5, 5)]


def test_line_ends_of_every_system_count_once() -> None:
    assert sections("# A\r\n\r\n# B\r\n") == [("A", 1, 1, 2), ("B", 1, 3, 3)]


def test_an_empty_file_is_a_document_of_one_line() -> None:
    nodes = read_outline("a.md", "")
    assert nodes is not None
    assert [(node.kind, node.start, node.end) for node in nodes] == [("document", 1, 1)]


def test_other_files_have_no_outline() -> None:
    assert read_outline("a.txt", "# A") is None
