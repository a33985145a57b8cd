"""The eight states of a report, each with a sign and a colour of its own, never the colour alone."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from rankgate.errors import ExitCode
from rankgate.model import State

if TYPE_CHECKING:
    from typing import Self

    from rankgate.model import SuiteVerdict


class ReportState(StrEnum):
    """How an evaluation ended, in the words of every report.

    >>> [state.symbol for state in ReportState]
    ['✅', '❌', '❔', '⚪', '➖', '🔌', '⛔', '💥']
    """

    symbol: str
    """Its sign, two columns wide, which stands for nothing else."""
    colour: str
    """The name of its colour."""

    def __new__(cls, value: str, symbol: str = "", colour: str = "") -> Self:
        """Make a state that knows its sign and its colour."""
        self = str.__new__(cls, value)
        self._value_, self.symbol, self.colour = value, symbol, colour
        return self

    PASSED = "passed", "✅", "green"
    """Every gate that is enforced passed: exit code 0."""
    FAILED = "failed", "❌", "red"
    """A gate or a check failed: exit code 1."""
    INCONCLUSIVE = "inconclusive", "❔", "yellow"
    """A gate could not be decided: exit code 4, or 0 where that only warns; or the test was stopped."""
    NOT_ENFORCED = "not enforced", "⚪", "blue"
    """There are gates, and none of them counts yet or for this system: exit code 0."""
    NO_GATES = "no gates", "➖", "grey"
    """Nothing says what must hold: exit code 0."""
    SYSTEM_ERROR = "system error", "🔌", "orange"
    """The system did not answer, or none of its hits has a location: exit code 3."""
    SUITE_ERROR = "suite error", "⛔", "purple"
    """The suite, the call or a gate is wrong, or too many targets are gone: exit code 2."""
    INTERNAL_ERROR = "internal error", "💥", "crimson"
    """A fault of rankgate itself: exit code 70."""


_STATES = {
    State.PASSED: ReportState.PASSED,
    State.FAILED: ReportState.FAILED,
    State.INCONCLUSIVE: ReportState.INCONCLUSIVE,
    State.REFUSED: ReportState.SUITE_ERROR,
    State.SYSTEM_FAILED: ReportState.SYSTEM_ERROR,
}
_CODES = {
    ExitCode.CRASHED: ReportState.INTERNAL_ERROR,
    ExitCode.WRONG_CALL: ReportState.SUITE_ERROR,
    ExitCode.SYSTEM_FAILED: ReportState.SYSTEM_ERROR,
    ExitCode.GATE_FAILED: ReportState.FAILED,
    ExitCode.PASSED: ReportState.PASSED,
}


def report_state(verdict: SuiteVerdict) -> ReportState:
    """Return the state that a verdict is told as.

    >>> from rankgate.model import SuiteVerdict
    >>> report_state(SuiteVerdict())
    <ReportState.NO_GATES: 'no gates'>
    """
    if verdict.exit_code is ExitCode.CRASHED:
        return ReportState.INTERNAL_ERROR
    idle = ReportState.NOT_ENFORCED if verdict.gates else ReportState.NO_GATES
    return _STATES.get(verdict.state, idle)


def refused_state(code: ExitCode) -> ReportState:
    """Return the state of a test that came to no verdict; one that was stopped is inconclusive."""
    return _CODES.get(code, ReportState.INCONCLUSIVE)
