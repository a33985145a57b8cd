"""A check of a project: a function from what is known of it to a result, and what must be right before it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from rankgate.cli.doctor.edits import SuggestedEdit, edit_for
from rankgate.cli.doctor.repairs import repair_for
from rankgate.errors import RankgateError
from rankgate.io.secrets import hidden
from rankgate.project.stopped import shown_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.decide import Tested
    from rankgate.model import Suite
    from rankgate.project.configuration import Configuration, SystemEntry
    from rankgate.truth.resolve import Truth


class HealthState(StrEnum):
    """How a check ended."""

    OK = "ok"
    """Nothing is wrong."""
    WRONG = "wrong"
    """Something is, and the result says what and how to mend it."""
    NOT_CHECKED = "not checked"
    """What it needs is wrong, so that it would say nothing."""


@dataclass(frozen=True, slots=True)
class HealthResult:
    """What a check found."""

    name: str = ""
    """What was checked."""
    state: HealthState = HealthState.OK
    """How it ended."""
    said: str = ""
    """What was found, in one sentence without a full stop."""
    command: str = ""
    """The command that mends it, or shows more; empty where there is none."""
    edit: SuggestedEdit | None = None
    """The edit that mends it; None where there is none."""
    action: str = ""
    """What to do outside of the project; empty where a command or an edit mends it."""
    code: str = ""
    """The kind of the error, as on the page of errors; empty where none was raised."""
    more: tuple[str, ...] = ()
    """The other problems of the same file."""

    def __str__(self) -> str:
        mended = str(self.edit or self.action or self.command)
        first = f"{self.name}: {self.said}" + (f" → {mended}" if mended else "")
        return "\n   ".join([first, *self.more])


def wrong(said: str, command: str = "", edit: SuggestedEdit | None = None) -> HealthResult:
    """Return that something is wrong, with what mends it."""
    return HealthResult(state=HealthState.WRONG, said=said, command=command, edit=edit)


@dataclass(slots=True)
class ExaminedSuite:
    """A suite, as far as it could be read."""

    file: Path
    suite: Suite
    """What it asks."""
    corpus: Corpus | None = None
    """Its documents."""
    truth: Truth | None = None
    """Its targets, resolved."""


@dataclass(slots=True)
class ExaminedProject:
    """What is known of a project; checks that pass add what later ones look at."""

    files: Sequence[Path] = ()
    """The suites that were named; empty for those of the configuration."""
    system: str | None = None
    """The system that was named; None for the usual one."""
    configuration: Configuration | None = None
    """What the project says."""
    entry: SystemEntry | None = None
    """What it says of the system."""
    suites: list[ExaminedSuite] = field(default_factory=list)
    tested: Tested | None = None
    """The results of the query that was run."""


class HealthCheck(NamedTuple):
    """One check."""

    name: str
    """What is checked."""
    check: Callable[[ExaminedProject], HealthResult]
    """Checks it. Whatever it raises is what is wrong."""
    needs: tuple[str, ...] = ()
    """The checks without which it would say nothing."""
    command: Callable[[ExaminedProject], str] = lambda _project: ""
    """Returns the command that helps where the check raises and no edit mends it."""


def examine(project: ExaminedProject, checks: Iterable[HealthCheck]) -> tuple[HealthResult, ...]:
    """Return what every check found, in order; one whose needs are not met is not run."""
    results: dict[str, HealthResult] = {}
    for check in checks:
        missing = [name for name in check.needs if results[name].state is not HealthState.OK]
        if missing:
            result = HealthResult(state=HealthState.NOT_CHECKED, said=f"needs {', '.join(missing)}")
        else:
            result = _checked(check, project)
        shown = replace(
            result,
            name=check.name,
            said=hidden(result.said),
            command=hidden(result.command),
            action=hidden(result.action),
            more=tuple(map(hidden, result.more)),
            edit=None if result.edit is None or _has_secrets(result.edit) else result.edit,
        )
        results[check.name] = shown
    return tuple(results.values())


def _has_secrets(edit: SuggestedEdit) -> bool:
    """Check whether a line of an edit has what must not be shown: without it, it is another line."""
    return hidden(edit.old) != edit.old or hidden(edit.new) != edit.new


def _checked(check: HealthCheck, project: ExaminedProject) -> HealthResult:
    try:
        return check.check(project)
    except (RankgateError, OSError) as error:
        shown = shown_error(error)
        problems = shown.problems
        configuration = project.configuration.path if project.configuration else None
        edit = None
        if problems:
            edit = edit_for(problems[0], configuration) or repair_for(problems[0], configuration)
        said = str(problems[0]) if problems else str(shown)
        result = wrong(said, "" if edit else check.command(project), edit)
        return replace(result, code=str(shown.code), more=tuple(map(str, problems[1:])))
