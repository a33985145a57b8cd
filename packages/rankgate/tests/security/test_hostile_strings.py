"""Hostile strings stay text: in every layout, on both streams, in a terminal and in a job of GitHub.

`just hostile 100000` tries as many; these are a few thousand of them, and the checks themselves.
"""

from __future__ import annotations

import pytest

from rankgate.reports.text.github import without_commands
from support.hostile import Printed, try_strings, try_texts
from support.hostile_strings import COMMANDS, CONTROLS, HTML, MARKDOWN
from support.workflow_commands import obeyed


def test_a_project_of_hostile_strings_is_shown_as_text_by_every_command() -> None:
    assert try_strings(0, cases=20) == []


@pytest.mark.parametrize("seed", range(3))
def test_hostile_strings_are_text_wherever_layouts_have_some(seed: int) -> None:
    assert try_texts(seed, 700) == []


def test_the_checks_see_elements_comments_mentions_and_controls() -> None:
    for text in ("<b>x</b>", "[a](http://evil.test)", "| a |\n| - |", "- a", "# h", "www.evil.test"):
        shown, plain = Printed(), Printed()
        shown.markdown("text", text)
        plain.markdown("text", "plain words")
        assert shown.elements != plain.elements, text
    shown = Printed()
    shown.markdown("text", "x <!-- y --> @everyone")
    shown.stream("line", "\x1b[31m\u202e ::error::x")
    shown.stream("line", "a ##[group]x")
    assert len(shown.problems) == 4


@pytest.mark.parametrize("text", [*COMMANDS, *CONTROLS, *HTML, *MARKDOWN])
def test_no_single_one_is_obeyed(text: str) -> None:
    for whole in (text, f" {text}", f"a\n{text}\nb", f"a\r{text}"):
        assert obeyed(without_commands(whole)) == []
