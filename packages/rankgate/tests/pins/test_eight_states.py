"""What people and programs read first in each of the eight states, to the byte, on every surface.

Pinned so that moving code cannot change it unnoticed. Only what differs between two runs is replaced: time,
Python and version, lines of our own code.
"""

from __future__ import annotations

import html
import json
import re
from contextlib import chdir
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import pytest

from rankgate.reports.evaluation.summary.states import ReportState
from rankgate.web.catalogue import Catalogue
from support.commands import Done, rankgate
from support.states import STATES, settled, states_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

SCREEN = 25
"""How many lines a person sees of a terminal."""
OUTPUTS = {
    "github-comment": "comment.md",
    "markdown": "told.md",
    "html": "page.html",
    "json": "report.json",
    "junit": "junit.xml",
}
REFUSED = ("suite_error", "internal_error")
EXPECTED = {
    "passed": "✅",
    "failed": "❌",
    "inconclusive": "❔",
    "not enforced": "⚪",
    "no gates": "➖",
    "system error": "🔌",
    "suite error": "⛔",
    "internal error": "💥",
}
"""The sign of each state, as the ruling has it."""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return states_project(tmp_path / "project")


def told(state: str, project: Path, monkeypatch: pytest.MonkeyPatch) -> Done:
    """Bring a state about, and write every report; `view` shows a pair only after its first verdict."""
    code, arguments = STATES[state]
    monkeypatch.delenv("RANKGATE_DETAILS", raising=False)
    monkeypatch.delenv("RANKGATE_TRACEBACK", raising=False)
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project / "summary.md"))
    suite = project / arguments[0]
    with chdir(project):
        if state in REFUSED:
            wrong = suite.read_bytes()
            suite.write_bytes((project / "search.yaml").read_bytes())
            assert rankgate("test", *arguments).code == 0
            (project / "summary.md").unlink()
            suite.write_bytes(wrong)
        if state == "internal_error":
            monkeypatch.setattr("rankgate.gates.scored.run_checks", None)
        outputs = [word for style, name in OUTPUTS.items() for word in ("-o", f"{style}={name}")]
        done = rankgate("test", *arguments, *outputs)
    assert done.code == code, done.err
    return done


def read(project: Path, style: str) -> str:
    return settled((project / OUTPUTS[style]).read_text(encoding="utf-8"))


def page_text(page: str) -> str:
    """Return what the page says first, without its markup."""
    parts = re.findall(
        r'<section class="plain-verdict.*?</section>|<h2>What to do next</h2><ul>.*?</ul>', page
    )
    lines = re.sub(r"</(?:p|h1|h2|li)>", "\n", "".join(parts))
    return settled(html.unescape(re.sub(r"<[^>]+>", "", lines)))


def view_row(project: Path, system: str, suite: str) -> str:
    """Return the row that `view` shows of the latest test."""
    pairs = Catalogue.of(project).index().suites
    (latest,) = [pair.records[0] for pair in pairs if (pair.system, pair.suite) == (system, suite)]
    return f"{ReportState(latest.state).symbol} {latest.state}: {latest.status}\n"


def summary(project: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(read(project, "json"))["summary"]
    return found


@pytest.mark.parametrize("state", STATES)
def test_a_state_is_told_as_before_on_every_surface(
    state: str, project: Path, golden: Callable[[str, str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    done = told(state, project, monkeypatch)
    assert (done.err if state not in REFUSED else done.out) == ""
    golden(f"pins/{state}_terminal", settled(done.out + done.err))
    golden(f"pins/{state}_markdown", read(project, "markdown"))
    golden(f"pins/{state}_comment", read(project, "github-comment"))
    golden(f"pins/{state}_page", page_text((project / "page.html").read_text(encoding="utf-8")))
    system, suite = STATES[state][1][-1], STATES[state][1][0].removesuffix(".yaml")
    system = system if "--system" in STATES[state][1] else "good"
    golden(f"pins/{state}_view", settled(view_row(project, system, suite)))
    golden(f"pins/{state}_summary", json.dumps(summary(project), indent=2, ensure_ascii=False) + "\n")


@pytest.mark.parametrize("state", STATES)
def test_every_surface_says_the_same_headline_reason_and_command(
    state: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = told(state, project, monkeypatch)
    name, said = state.replace("_", " "), summary(project)
    sign, first = EXPECTED[name], said["steps"][0]["command"] if said["steps"] else ""
    assert said["state"] == name
    screen = settled(done.out + done.err).splitlines()[:SCREEN]
    assert screen[0].startswith(f"{sign} {name} · ")
    terminal = " ".join(" ".join(screen).split())
    page = page_text((project / "page.html").read_text(encoding="utf-8"))
    for words in filter(None, (said["headline"], said["reason"], first)):
        assert words in terminal
        assert words in page
    assert page.startswith(f"{sign} {name.capitalize()} · ")
    comment = read(project, "github-comment").splitlines()
    assert comment[2].startswith(f"### {sign} ")
    # A job summary is the comment without the line by which it is found again.
    assert settled((project / "summary.md").read_text(encoding="utf-8")).splitlines() == comment[2:]
    if state in REFUSED:
        errors = [one.get("message") or "" for one in ET.fromstring(read(project, "junit")).iter("error")]
        assert errors[0].startswith(said["headline"].partition(" (and ")[0].partition("; did you mean")[0])


@pytest.mark.parametrize("state", ["failed", "system_error", *REFUSED])
def test_a_failure_has_its_reason_and_its_command_within_eight_lines_or_the_screen(
    state: str, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = told(state, project, monkeypatch)
    said, lines = summary(project), settled(done.out + done.err).splitlines()
    eight = " ".join(" ".join(lines[:8]).split())
    assert said["headline"] in eight
    assert said["reason"] in eight
    assert said["steps"]
    assert said["steps"][0]["command"] in " ".join(" ".join(lines[:SCREEN]).split())


def test_a_terminal_shows_the_colour_of_an_error_and_its_words_without(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    from rankgate.errors import InputError, Problem
    from rankgate.reports.evaluation.refused import refused_report
    from rankgate.reports.evaluation.terminal import render

    report = refused_report("s", "app", InputError(Problem("s.yaml:3", "x", "y")), "s.yaml")
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    coloured, plain = render(report, stream=sys.stderr), render(report, colour=False)
    assert "\x1b[" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == plain
    assert plain.startswith("⛔ suite error · s · app (exit code 2)\n")
