"""The process that asks while a project is watched: it keeps systems open, and ends when their files change.

Requests and answers are lines of JSON. What a system prints goes to standard error, as does the progress.
"""

from __future__ import annotations

import json
import os
import sys
from contextlib import ExitStack
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.cli.options import asking_of
from rankgate.errors import CrashedError, ExitCode
from rankgate.evaluation.session.watched import ChangedSystemError, WatchedFiles, WatchedPair
from rankgate.evaluation.stopped import shown_error
from rankgate.model.wording import many
from rankgate.suites.suite_part import CaseSelection

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from rankgate.errors import RankgateError
    from rankgate.evaluation.configuration import SystemEntry
    from rankgate.evaluation.settings import RunOptions
    from rankgate.reports.evaluation.report import EvaluationReport

START = """
import json, sys
sys.path[:] = json.loads(sys.argv[1])
from rankgate.cli.stages.watch_worker import serve
serve()
"""
"""What the process runs."""


@dataclass(frozen=True, slots=True)
class WatchedCall:
    """What is tested again and again."""

    suites: tuple[str, ...]
    """The files of the suites."""
    systems: tuple[str | None, ...]
    """The names of the systems; None for the one that the configuration tests."""
    options: dict[str, Any]
    """The options of the command, as the command line reads them."""
    reports: tuple[tuple[str, str], ...] = ()
    """Reports that are written each time: their formats and files."""
    width: int | None = None
    """How many columns the terminal has; None where there is no terminal."""


@dataclass(frozen=True, slots=True)
class WatchedRound:
    """What came of one test of all that is watched."""

    screen: str = ""
    """What people are shown."""
    exit_code: int = ExitCode.CRASHED
    """The worst exit code."""
    files: tuple[str, ...] = ()
    """The files that it was made of."""
    folders: tuple[str, ...] = ()
    """The folders of which every file counts."""
    projects: tuple[str, ...] = ()
    """The folders of which every file of code or settings counts, where it could not be told which."""
    changed: bool = False
    """True where nothing was asked, since a new process must ask."""

    @property
    def watched(self) -> WatchedFiles:
        """The files that it was made of."""
        return WatchedFiles(*(frozenset(map(Path, one)) for one in (self.files, self.folders, self.projects)))


def serve() -> None:
    """Read the call, then test all of it for every line that is read, until there are no more."""
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    # Python takes a compiled file for that of a source of the same size, written in the same second.
    sys.dont_write_bytecode = True
    try:
        _serve(sys.stdin, answers)
    except KeyboardInterrupt:
        sys.exit(ExitCode.INTERRUPTED)


def _serve(requests: TextIO, answers: TextIO) -> None:
    call = WatchedCall(**json.loads(requests.readline()))
    with ExitStack() as stack:
        pairs = [stack.enter_context(one) for one in _pairs(call)]
        for line in requests:
            done = asdict(_tested(call, pairs, json.loads(line)))
            answers.write(json.dumps(done) + "\n")
            answers.flush()


def _pairs(call: WatchedCall) -> list[WatchedPair]:
    selection = CaseSelection(call.options["limit"], tuple(call.options["only"]))

    def asking(entry: SystemEntry, root: Path) -> RunOptions:
        return asking_of(entry, call.options, None, "refuse", root)

    every = product(call.suites, call.systems)
    return [WatchedPair(Path(path), system, selection, asking) for path, system in every]


def _tested(call: WatchedCall, pairs: Sequence[WatchedPair], edited: Sequence[str]) -> WatchedRound:
    from rankgate.reports.evaluation.terminal import render

    reports: list[EvaluationReport] = []
    screens: list[str] = []
    watched = WatchedFiles()
    for pair in pairs:
        more = ""
        try:
            metrics, timings = tuple(call.options["metrics"]), bool(call.options["timings"])
            reports.append(_unkept(pair.evaluate(metrics, timings=timings).report))
        except ChangedSystemError:
            return WatchedRound(changed=True)
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # noqa: BLE001 - whatever it was, the next edit may mend it
            shown = shown_error(error)
            reports.append(_refused(pair, shown))
            more = f"\n{shown.found}\n" if isinstance(shown, CrashedError) and shown.found else ""
            watched |= WatchedFiles(projects=frozenset({_project(pair.path)}))
        watched |= pair.watched
        words = render(reports[-1], details=call.options["details"], width=call.width, stream=sys.stderr)
        screens.append(words + more)
    _write(call, reports)
    files, folders, projects = (
        tuple(sorted(map(str, one))) for one in (watched.files, watched.folders, watched.projects)
    )
    code = int(ExitCode.worst(report.exit_code for report in reports))
    return WatchedRound("\n".join([f"{_head(pairs, edited)}\n", *screens]), code, files, folders, projects)


def _unkept(report: EvaluationReport) -> EvaluationReport:
    """Return a report without commands that go on from what was kept: a watch keeps nothing."""
    from rankgate.reports.evaluation.summary.commands import RESUME

    summary = report.summary
    steps = tuple(replace(one, command=one.command.removesuffix(f" {RESUME}")) for one in summary.steps)
    lines = tuple(replace(one, command=one.command.removesuffix(f" {RESUME}")) for one in summary.lines)
    return replace(report, summary=replace(summary, steps=steps, lines=lines))


def _head(pairs: Sequence[WatchedPair], edited: Sequence[str]) -> str:
    """Return a line that says when and why it was tested, and how many questions that took."""
    asked, known = (sum(getattr(one.memory, name) for one in pairs) for name in ("asked", "known"))
    words = many(asked, "query asked", "queries asked")
    if known:
        words += f", {many(known, 'answer')} known"
    names = f"{', '.join(edited[:2])}{f' and {len(edited) - 2} more' if edited[2:] else ''} edited: "
    return f"{datetime.now().astimezone():%H:%M:%S} {names if edited else ''}{words}"


def _refused(pair: WatchedPair, error: RankgateError) -> EvaluationReport:
    from rankgate.reports.evaluation.refused import refused_report

    path = pair.path
    return refused_report(path.stem, pair.system or "", error, str(path) if path.is_file() else "")


def _project(path: Path) -> Path:
    """Return the folder in which a project is mended that could not be tested."""
    from rankgate.errors import RankgateError
    from rankgate.evaluation.configuration import configuration_for

    try:
        return configuration_for(path).root
    except RankgateError:
        # It is the configuration that is wrong.
        return Path.cwd()


def _write(call: WatchedCall, reports: Sequence[EvaluationReport]) -> None:
    from rankgate.cli.github import Repository, report_url
    from rankgate.cli.stages.report import write_report
    from rankgate.reports.evaluation.formats import laid_out

    for style, path in call.reports:
        words = laid_out(style, reports, path_of=Repository().path_of, url=report_url(reports))
        write_report(Path(path), words)
