"""Every kind of error is met through the command line, as the page shows it, and its advice mends it."""

from __future__ import annotations

import os
import re
import shlex
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click
import pytest
from explanations import explanations

from rankgate.cli.main import cli
from rankgate.errors import Code
from support.staged_errors import STAGED, StagedProject, tried

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MENDED = [code for code, staged in STAGED.items() if staged.mend or staged.right]
NOT_MENDED = {
    Code.PORT_TAKEN: "the command would serve until it is stopped",
    Code.CRASHED: "it is ours to mend",
    Code.WRONG_INPUT: "it is the plugin's to say",
    Code.UNREADABLE_FILE: "what stands in the place of the file is the user's",
    Code.UNKNOWN_FORMAT: "the file is in no format",
    Code.OUTSIDE_PROJECT: "moving documents or allowing it is the user's decision",
    Code.NO_SUCH_COMMIT: "the commit is in another clone, if at all",
    Code.GIT_FAILED: "a repository is not made of a folder without its history",
    Code.UNSAFE_ARCHIVE: "an archive that climbs is not to be used",
    Code.WRONG_ADDRESS: "the address is the user's",
    Code.BROKEN_PLUGIN: "the plugin is the user's",
    Code.MISSING_EXTRA: "installing packages is the user's decision",
    Code.NO_CONNECTION: "the server is the user's",
    Code.CERTIFICATE: "the authority is the user's",
    Code.STATUS: "the server is the user's",
    Code.NOT_STARTED: "the program is the user's",
    Code.PARTIAL_ANSWER: "the shards are the user's",
    Code.UNFINISHED_RUN: "the other part may be on another machine; merging is staged with parts-do-not-fit",
    Code.UNKNOWN_JUDGE: "a judge is a model of the user's",
    Code.NO_LABELS: "labels are a person's work",
    Code.WRONG_LABEL: "the name is the user's",
    Code.WRONG_SWEEP: "what varies is the user's",
    Code.UNKNOWN_VARIANT: "which variant is in use is the user's",
}
"""What is met and not mended by the test, each with its reason."""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StagedProject]:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    with ExitStack() as stack:
        staged = StagedProject(tmp_path / "project", monkeypatch, stack)
        monkeypatch.chdir(staged.folder)
        yield staged
        # What a mend takes back may be the folder itself.
        os.chdir(tmp_path)


def _pattern(says: str) -> str:
    """Return an expression for a message, however its lines are broken."""
    words = (".*?".join(map(re.escape, word.split("…"))) for word in says.split())
    return r"\s+".join(words)


@pytest.mark.parametrize("code", STAGED)
def test_an_error_is_met_as_the_page_shows_it_and_its_advice_mends_it(
    code: Code, project: StagedProject
) -> None:
    staged = STAGED[code]
    staged.stage(project)
    exit_code, said = tried(os.path.expandvars(staged.command))
    assert exit_code in (2, 3, 70), said
    assert "Traceback" not in said
    says = explanations()[code].says
    assert re.search(_pattern(f"{says} [{code}]"), said, re.DOTALL), said
    if code not in MENDED:
        return
    if staged.mend is not None:
        staged.mend(project)
    exit_code, said = tried(os.path.expandvars(staged.right or staged.command))
    assert exit_code in (0, 1, 4), said
    assert f"[{code}]" not in said


def test_every_kind_is_staged_or_says_why_not() -> None:
    known = explanations()
    assert {code for code in Code if known[code].unstaged} == set(Code) - set(STAGED)
    assert {code for code in Code if not known[code].says} == set(Code) - set(STAGED)


def test_what_is_not_mended_says_why() -> None:
    assert set(NOT_MENDED) == set(STAGED) - set(MENDED)


@pytest.mark.parametrize("code", Code)
def test_the_commands_and_options_of_an_advice_exist(code: Code) -> None:
    for quoted in re.findall(r"`(rankgate [^`]*)`", explanations()[code].do):
        words = shlex.split(quoted)[1:]
        command: click.Command = cli
        while isinstance(command, click.Group) and words and not words[0].startswith("-"):
            name = words.pop(0)
            if name == "COMMAND":
                return
            found = command.get_command(click.Context(command), name)
            if found is None:
                break
            command = found
        else:
            found = command
        assert found is not None, quoted
        known = {"--help", *(option for one in command.params for option in one.opts)}
        assert {word for word in words if word.startswith("-")} <= known, quoted
