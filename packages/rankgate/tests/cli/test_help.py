"""``rankgate --help`` begins with what a newcomer needs; a wrong word is answered with the right one."""

from __future__ import annotations

import re

import pytest

from rankgate.cli.main import COMMANDS, GROUPS
from rankgate.cli.suite import COMMANDS as OF_SUITES
from support.commands import rankgate

LISTED = [name for names in GROUPS.values() for name in names.split()]


def test_every_command_is_in_one_group() -> None:
    assert sorted(LISTED) == sorted(COMMANDS)


def test_the_help_lists_commands_in_the_order_of_first_use_with_first_steps() -> None:
    shown = rankgate("--help").printed()
    places = [shown.index(f"\n  {name} ") for name in LISTED]
    assert places == sorted(places)
    assert shown.index("Begin:") < shown.index("Gate:")
    assert "First steps: rankgate init, then rankgate test." in shown


def test_the_help_of_suites_has_one_list() -> None:
    assert "\nCommands:\n" in rankgate("suite", "--help").printed()


@pytest.mark.parametrize("name", [name for name in OF_SUITES if name not in COMMANDS])
def test_a_command_of_suites_is_answered_with_how_it_is_called(name: str) -> None:
    done = rankgate(name, "my suite.yaml")
    assert done.code == 2
    assert f"rankgate suite {name} 'my suite.yaml'" in done.err
    assert "No such command" not in done.err


@pytest.mark.parametrize(("wrong", "right"), [("--detail", "--details"), ("--sytem", "--system")])
def test_a_misspelt_option_is_answered_with_the_right_one(wrong: str, right: str) -> None:
    done = rankgate("test", wrong)
    assert done.code == 2
    assert right in done.err.partition("No such option")[2]


def test_an_option_that_is_like_no_other_is_answered_with_none() -> None:
    done = rankgate("test", "--lines", "3")
    # Some versions of click put quotes around it, others a colon before it.
    assert re.search(r"No such option:? '?--lines'?", done.err)
    assert "Did you mean" not in done.err
