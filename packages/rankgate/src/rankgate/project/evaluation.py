"""Everything that came of an evaluation, as the command line, pytest and Python get it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.model import Cause
from rankgate.truth.gone import refuse_gone

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.checks import Checks
    from rankgate.gates.scored import Against, Scored
    from rankgate.model import ExitCode, Suite, SuiteVerdict, Verdict
    from rankgate.reports.evaluation.failures import Failure
    from rankgate.reports.evaluation.report import EvaluationReport
    from rankgate.runs.store.tables import Run
    from rankgate.scoring.scores import Scores
    from rankgate.truth.judgments.table import Judgments


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """Everything that came of an evaluation. Printed, it is the terminal report."""

    scored: Scored
    """All of it: the suite, what should be found, what was, what it is worth, and the verdicts."""
    report: EvaluationReport
    """What is said of it."""
    corpus: Corpus | None = None
    """What the suite's locations are in."""
    k: int | None = None
    """How many hits were asked for, where that is not what the metrics of the suite need."""

    @property
    def suite(self) -> Suite:
        """The cases."""
        return self.scored.suite

    @property
    def judgments(self) -> Judgments:
        """What should be found."""
        return self.scored.judgments

    @property
    def run(self) -> Run:
        """What was found."""
        return self.scored.run

    @property
    def scores(self) -> Scores:
        """What it is worth."""
        return self.scored.scores

    @property
    def checks(self) -> Checks:
        """The hard checks, the scenarios and the invariants."""
        return self.scored.checks

    @property
    def verdict(self) -> SuiteVerdict:
        """What all gates say together: the same for the same state on the command line and in pytest."""
        return self.scored.verdict

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The gates, judged."""
        return self.scored.verdicts

    @property
    def against(self) -> Mapping[str | None, Against]:
        """What the run is held against, by the name that gates give; None is the system's own baseline."""
        return self.scored.baselines

    def __getitem__(self, expression: str) -> float | None:
        """Return the value of a metric over all queries where it is defined.

        Raises:
            InputError: where more targets are gone from the documents than may be: no assertion passes over
                what is left of a suite.
        """
        if self.verdict.cause is Cause.GONE:
            refuse_gone(self.scored.gone, self.report.gone.allowed, self.suite.path)
        return self.scores[expression]

    @property
    def failures(self) -> tuple[Failure, ...]:
        """The queries that failed, each with its reasons."""
        return self.report.failures

    @property
    def exit_code(self) -> ExitCode:
        """What a command exits with."""
        return self.verdict.exit_code

    @property
    def passed(self) -> bool:
        """True where nothing that is enforced failed."""
        return self.exit_code == 0

    def __str__(self) -> str:
        from rankgate.reports.evaluation.terminal import render

        return render(self.report, details=True)
