"""A suite held beside the latest test of a system, to propose and to write changes of what it expects."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import InputError
from rankgate.model.wording import shortest
from rankgate.project.review.impact import ReviewRules, hidden, judged
from rankgate.project.review.plan import plan
from rankgate.project.review.plan_text import PlannedEffect
from rankgate.project.review.subject import Answers, ReviewSubject
from rankgate.project.review.writing import apply, refuse_failed
from rankgate.project.settings import RunOptions, judging_rules, settings_of
from rankgate.suites.asked_suite import asked_suite
from rankgate.suites.editing.revision import revised_suite, suite_text
from rankgate.truth.anchors import Anchors, anchors_path, read_anchors
from rankgate.truth.locations.resolve import resolve_all

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from datetime import date

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.scored import Against, Scored
    from rankgate.model import Suite
    from rankgate.project.project import Project
    from rankgate.project.review.impact import JudgedSuite
    from rankgate.project.review.plan import Plan
    from rankgate.project.review.subject import Change
    from rankgate.project.settings import Settings
    from rankgate.runs.store.run_folder import StoredRun


@dataclass(frozen=True, slots=True, eq=False)
class SuiteUpdate:
    """A suite under review, and all it takes to say what a change of it would do."""

    subject: ReviewSubject
    """The suite, its corpus, and what the system answered."""
    written: str
    """The text of its file, as it was read."""
    plan: Plan
    """What is proposed."""
    run: StoredRun | None = None
    """The answers; None where the suite cannot be tested as it is."""
    rules: ReviewRules | None = None
    """What they are judged by."""
    before: JudgedSuite | None = None
    """What they are worth today."""
    untested: str = ""
    """Why the suite cannot be tested as it is, where it cannot."""

    @property
    def about(self) -> str:
        """Return what the suite was held beside."""
        if self.subject.answers is None or self.run is None:
            return f"which cannot be tested as it is ({self.untested})"
        when = f" of {self.run.manifest.finished}" if self.run.manifest.finished else ""
        return f"beside the test of {self.subject.answers.system}{when}"

    def effect(self, changes: Sequence[Change]) -> PlannedEffect:
        """Return what some changes would do, and write nothing."""
        suite = self.subject.suite
        revised = revised_suite(self.written, suite, [change.edit for change in changes])
        if self.run is None or self.rules is None or self.before is None:
            return PlannedEffect(tuple(changes), revised, None)
        after = judged(asked_suite(revised.suite), self.subject.corpus, self.run, self.rules)
        return PlannedEffect(tuple(changes), revised, hidden(self.before, after))

    def write(self, effect: PlannedEffect) -> bool:
        """Write what some changes do; tell whether the anchors beside the suite were written, too.

        Raises:
            FormatError: where the suite was changed meanwhile; nothing is written then.
        """
        edits = [change.edit for change in effect.changes]
        return apply(self.subject.suite, self.written, effect.revised, edits)


def review(
    project: Project,
    suite: Suite,
    system: str | None,
    folder: Path | None,
    tell: Callable[[str], None],
    today: date | None = None,
) -> SuiteUpdate:
    """Hold a suite beside the latest test of a system, or a run in a folder.

    A suite that cannot be tested, as locations of it are not in its corpus, needs no run: what is proposed
    then is what makes it fit to be tested again.

    Raises:
        InputError: for a run that is not whole, is of another suite or corpus, or has errors.
        FormatError: for a suite in a format that cannot be changed in place.
    """
    written, asked = suite_text(suite), asked_suite(suite)
    entry = project.configuration.entry(system)
    corpus = project.corpus(suite)
    anchors = read_anchors(anchors_path(str(suite.path))) or Anchors()
    today = today or datetime.now(UTC).date()
    try:
        resolve_all(asked, corpus)
    except InputError as error:
        subject = ReviewSubject(suite, corpus, None, today, anchors, tell)
        why = str(error.problems[0]) if error.problems else str(error)
        return SuiteUpdate(subject, written, plan(subject), untested=why)
    run = project.latest_run(asked, entry.name, folder)
    again = f"rankgate test {shortest(Path(str(suite.path)).resolve())} --system {entry.name}"
    refuse_failed(run, again)
    settings = settings_of(entry, asked, RunOptions(k=run.manifest.k), project.configuration.corpus_root)
    rules = _rules(asked, corpus, run, replace(settings, today=today))
    before = judged(asked, corpus, run, rules)
    answers = Answers(entry.name, before.scored, before.short)
    subject = ReviewSubject(suite, corpus, answers, today, anchors, tell)
    return SuiteUpdate(subject, written, plan(subject), run, rules, before)


def _rules(suite: Suite, corpus: Corpus | None, run: StoredRun, settings: Settings) -> ReviewRules:
    from rankgate.project.baselines.held import held_against
    from rankgate.project.probes import probe
    from rankgate.truth.locations.probe_plan import plan as plan_walks

    rules = judging_rules(suite, settings)
    probed = probe(suite, run, plan_walks(suite, corpus)).checks

    def compare(scored: Scored) -> Mapping[str | None, Against]:
        return held_against(scored, rules.gates, settings.baselines, rules.depth, corpus)

    return ReviewRules(rules, probed, compare)
