"""A suite as pytest sees it: a file with an item for each case, gate, scenario and invariant."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest._code.code import ReprEntry, ReprExceptionInfo, ReprFileLocation, ReprTraceback
from _pytest.outcomes import OutcomeException

from rankgate.errors import ExitCode, RankgateError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rankgate.evaluation.session.items import ItemResult
    from rankgate.evaluation.session.suite_session import SuiteSession


EXIT_CODE = "rankgate exit code"
"""The property of a report that has the verdict on a suite."""
_PYTESTS_OWN = (KeyboardInterrupt, OutcomeException, pytest.exit.Exception)
"""What ends a test and is no matter of ours."""


class FellShortError(Exception):
    """Raised by an item that fails, with why."""

    def __init__(self, end: ItemResult) -> None:
        super().__init__(end.reasons[0])
        self.end = end


class SuiteFile(pytest.File):
    """A suite. It is read when it is collected; its system is opened when the first item is run."""

    suite_session: SuiteSession
    notes: tuple[str, ...] = ()
    refused: ExitCode = ExitCode.WRONG_CALL
    """What ``rankgate test`` would exit with, where it cannot be collected."""
    _size: int = 0

    def collect(self) -> Iterable[pytest.Item]:
        """Read the suite, and make its items."""
        try:
            from rankgate.evaluation.session.suite_session import SuiteSession

            self.suite_session = SuiteSession.of(self.path, self.config.getoption("--rankgate-system"))
            self.config.add_cleanup(self.suite_session.close)
            items = list(self._items())
        except _PYTESTS_OWN:
            raise
        except BaseException as error:  # noqa: BLE001 - shown in one line
            shown = _shown_error(error)
            self.refused = shown.exit_code
            raise self.CollectError(shown.coded) from None
        self._size = len(items)
        return items

    def _items(self) -> Iterable[pytest.Item]:
        if "numprocesses" in vars(self.config.option):
            self.add_marker(pytest.mark.xdist_group(self.nodeid))
        suite, suite_session = self.suite_session.suite, self.suite_session
        for case in suite.cases:
            end = self._end(suite_session.case, case.id)
            yield CaseItem.from_parent(self, name=case.id, where=case.where, end=end)
        for number, gate in enumerate(suite_session.gates):
            end = partial(suite_session.gate, number)
            yield GateItem.from_parent(self, name=f"gate: {gate.text}", where=gate.where, end=end)
        for number, scenario in enumerate(suite.scenarios):
            end = self._end(suite_session.scenario, number)
            name = f"scenario: {scenario.name}"
            yield SuiteItem.from_parent(self, name=name, where=scenario.where, end=end)
        for number, invariant in enumerate(suite.invariants):
            end = self._end(suite_session.invariant, number)
            name = f"invariant: {invariant.name}"
            yield SuiteItem.from_parent(self, name=name, where=invariant.where, end=end)

    def _end(self, how: Callable[..., ItemResult], what: str | int) -> Callable[[], ItemResult]:
        """Return what says how an item ended, by itself or as part of the suite where all of it is run."""
        return lambda: how(what, whole=self.whole)

    @property
    def cases(self) -> int:
        """How many cases there are, selected or not."""
        return len(self.suite_session.suite.cases)

    def note_partial(self, gates: int, cases: int) -> None:
        """Remember to say that gates were left out."""
        left = f"{gates} gate{'s' if gates > 1 else ''} left out"
        why = f"{cases} of {self.cases} cases are selected, and a gate is over all of them"
        self.notes = (f"{self.nodeid}: {left}: {why}; name a gate to have it judged",)

    @cached_property
    def mine(self) -> list[pytest.Item]:
        """The items that are run, all over."""
        return [item for item in self.session.items if item.parent is self]

    @property
    def whole(self) -> bool:
        """True where everything of the suite is run, so that it has a verdict."""
        return len(self.mine) == self._size

    def exit_code(self, item: pytest.Item) -> int | None:
        """Return what ``rankgate test`` would exit with, for the last item of a suite that is run whole."""
        return int(self.suite_session.verdict().exit_code) if self.whole and item is self.mine[-1] else None

    def ask_ahead(self) -> None:
        """Ask all that is selected at once, unless other workers will run some of it."""
        mine = self.mine
        if not self._all_here(mine):
            return
        if any(isinstance(item, GateItem) for item in mine):
            self.suite_session.ask(case.id for case in self.suite_session.suite.cases)
        self.suite_session.ask(item.name for item in mine if isinstance(item, CaseItem))

    def _all_here(self, mine: list[pytest.Item]) -> bool:
        worker = getattr(self.config, "workerinput", None)
        if worker is None or worker.get("rankgate_dist") in ("loadfile", "loadscope", "each"):
            return True
        # Some pairs of pytest and pytest-xdist do not group what is marked: a group shows in the node's id.
        return all(item.nodeid.endswith(f"@{self.nodeid}") for item in mine)


def _shown_error(error: BaseException) -> RankgateError:
    from rankgate.project.stopped import shown_error

    return shown_error(error)


class SuiteItem(pytest.Item):
    """One thing that a suite asks for."""

    def __init__(self, *, where: str, end: Callable[[], ItemResult], **rest: Any) -> None:
        super().__init__(**rest)
        self._end = end
        self._where = where
        self.cured = ""
        """What to say where it may fall short and does not any more."""

    def runtest(self) -> None:
        """Ask, unless it was asked before, and say how it ended."""
        from rankgate.evaluation.session.items import ItemStatus

        file = self.parent
        assert isinstance(file, SuiteFile)  # noqa: S101 - it is made by one
        self.user_properties += [("rankgate", note) for note in file.notes]
        try:
            file.ask_ahead()
            code, end = file.exit_code(self), self._end()
        except _PYTESTS_OWN:
            raise
        except BaseException as error:  # noqa: BLE001 - shown in one line
            shown = _shown_error(error)
            self._note_code(file, int(shown.exit_code))
            raise shown from (None if shown is error else error)
        if code is not None:
            self._note_code(file, code)
        if end.unreviewed:
            self.user_properties.append(("rankgate unreviewed", file.nodeid))
        if end.ended is ItemStatus.OPEN:
            pytest.skip(end.reasons[0])
        if end.ended is ItemStatus.CURED and not self.config.option.runxfail:
            self.cured = f"{end.reasons[0]} ({end.excuse})"
        if end.ended is ItemStatus.EXCUSED:
            # With --runxfail this does nothing.
            pytest.xfail(f"{end.reasons[0]} ({end.excuse})")
        if end.ended in (ItemStatus.FAILED, ItemStatus.EXCUSED):
            raise FellShortError(end)

    def _note_code(self, file: SuiteFile, code: int) -> None:
        """Keep what ``rankgate test`` would exit with, where every worker's report has it."""
        self.user_properties.append((EXIT_CODE, f"{file.nodeid}: {code}"))

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what is wrong and the ranking, and no traceback."""
        error = excinfo.value
        if isinstance(error, FellShortError):
            shown = self._shown(error.end.reasons)
            if error.end.rankings:
                shown.addsection(error.end.title, "\n".join(error.end.rankings), "-")
            return shown
        if isinstance(error, RankgateError | pytest.xfail.Exception):
            return self._shown(str(error).splitlines())
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        """Return where it was written."""
        line = self._line
        # Were this the end of the node's id, its dots would be shown as colons.
        return self.path, None if line is None else line - 1, f"{self.name} ({self.path.name})"

    @property
    def _line(self) -> int | None:
        parts = self._where.rsplit(":", 2)
        return int(parts[1]) if len(parts) == 3 and parts[1].isdigit() else None

    def _shown(self, reasons: Iterable[str]) -> ReprExceptionInfo:
        lines = list(reasons)
        file = str(self.path.relative_to(Path.cwd()) if self.path.is_relative_to(Path.cwd()) else self.path)
        location = ReprFileLocation(file, self._line or 1, lines[0])
        entry = ReprEntry([f"E   {line}" for line in lines], None, None, location, "long")
        return ReprExceptionInfo(ReprTraceback([entry], None, "long"), location)


class CaseItem(SuiteItem):
    """A case."""


class GateItem(SuiteItem):
    """A gate: over all cases of its suite, whichever are selected."""
