"""From the files of an evaluation to what its page shows: every query with its targets, hits and texts."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.gates.scored import AnswerSummary
from rankgate.model import Answer
from rankgate.model.wording import many
from rankgate.reports.evaluation.failures import filters_text
from rankgate.reports.page.figures import PageBaseline, QueryValues
from rankgate.reports.page.hits import MOST_HITS, HitLayout
from rankgate.reports.page.model import PageMetric, PageQuery, PageTarget, ReportPage
from rankgate.reports.page.texts import PageLimits, Texts
from rankgate.reports.rankings import absent_text, expected, hit_text, named_targets
from rankgate.reports.text.commands import Commands
from rankgate.reports.text.marks import BAD, GOOD, moved_from
from rankgate.reports.text.printable import file_line, printable
from rankgate.runs.store.hits import read_hits

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.gates.scored import Scored
    from rankgate.model import Case
    from rankgate.reports.evaluation.report import CaseRow, EvaluationReport
    from rankgate.reports.page.hits import TextOf
    from rankgate.reports.text.marks import Mark, Unmarked
    from rankgate.runs.store.hits import HitRow
    from rankgate.scoring.metric import Metric
    from rankgate.scoring.placements import JudgedHits
    from rankgate.truth.judgments.table import Judgments


def page_of(
    scored: Scored,
    report: EvaluationReport,
    *,
    text_of: TextOf | None = None,
    commands: Commands | None = None,
    room: PageLimits | None = None,
) -> ReportPage:
    """Gather what a page shows.

    Args:
        scored: The cases, what should be found, the answers, and what they were worth.
        report: What is said of them; the page shows the cases that it lists.
        text_of: Gives some lines of a file of the corpus, or all of a record; None where they are not there.
        commands: How to do it again.
        room: How much the page may hold.
    """
    suite, run, scores = scored.suite, scored.run, scored.scores
    listed, cut = _listed(suite.cases, report.cases), bool(report.left_out.queries)
    cases, rows = [case for case, _ in listed], {case.id: row for case, row in listed}
    before = PageBaseline.of(scored.own_baseline, scored.titles, rows if cut else None)
    hits = read_hits(run, rows if cut else None, MOST_HITS)
    texts = Texts(room or PageLimits())
    shown = HitLayout(texts, scored.judged_hits.only(rows), text_of, scored.titles)
    telling = [case.id for case in cases if rows[case.id].failure or case.id in before.changed]
    told = set(telling)
    shown.take(run, hits, (telling, [case.id for case in cases if case.id not in told]))
    gathering = _QueryLayout(
        shown, before, QueryValues.of(scores, rows), scored.answers, commands or Commands("")
    )
    queries = tuple(gathering.query(case, rows[case.id], hits.get(case.id, ())) for case in cases)
    notes = texts.notes()
    longer = sum(answer.hits > MOST_HITS for query, answer in gathering.answers.items() if query in rows)
    if longer:
        notes.append(f"of {many(longer, 'query', 'queries')} only the first {MOST_HITS} hits are shown")
    return ReportPage(
        report=replace(report, cases=(), failures=()),
        metrics=tuple(map(_metric, scores.metrics)),
        queries=queries,
        texts=tuple(texts.found),
        top_grade=_top(scored.judgments),
        command=commands.test if commands else "",
        notes=tuple(notes),
    )


def _metric(metric: Metric) -> PageMetric:
    limits = metric.range
    lowest = limits.lowest if limits is not None and math.isfinite(limits.lowest) else None
    less = metric.less_is_better
    return PageMetric(printable(metric.label), metric.unit, less, metric.scale, lowest, metric.statistic)


def _top(judgments: Judgments) -> float | None:
    """Return the top of the grade scale: the declared one, or the highest grade that was given."""
    grades = judgments.targets["grade"]
    if not (grades <= 0).any():
        return None
    return max(judgments.max_grade or 0.0, *grades.top_k(1)) or 1.0


def _listed(cases: Sequence[Case], rows: Sequence[CaseRow]) -> list[tuple[Case, CaseRow]]:
    """Return the cases that a report lists, each with its row; both are in the order of the suite."""
    if len(cases) == len(rows):
        return list(zip(cases, rows, strict=True))
    found: list[tuple[Case, CaseRow]] = []
    left = iter(rows)
    row = next(left, None)
    for case in cases:
        if row is None:
            break
        if row.case == printable(case.id) and row.query == printable(case.query):
            found.append((case, row))
            row = next(left, None)
    return found


@dataclass(frozen=True, slots=True)
class _QueryLayout:
    """What queries are laid out with."""

    shown: HitLayout
    before: PageBaseline
    values: QueryValues
    answers: Mapping[str, AnswerSummary]
    commands: Commands

    @property
    def placed(self) -> JudgedHits:
        """Where the targets ended up."""
        return self.shown.placed

    def query(self, case: Case, row: CaseRow, hits: Sequence[HitRow]) -> PageQuery:
        """Lay out a query."""
        number = self.values.numbers.get(case.id)
        answer = Answer.MISSING if number is None else Answer(self.values.ends[number])
        about = self.answers.get(case.id, AnswerSummary(None, 0, None))
        targets, numbers = self._targets(case, answer, about.hits)
        old = self.before.locations(case.id)
        compared = case.id in self.before.numbers
        moves = [moved_from(hit_text(hit), hit.rank, old) if compared else "" for hit in hits]
        return PageQuery(
            case=row.case,
            query=row.query,
            mark=GOOD if row.failure is None else row.failure.mark,
            ended=_ended(row, answer),
            category=row.category,
            tags=tuple(map(printable, sorted(case.tags))),
            where=file_line(case.where),
            filters=filters_text(case),
            reasons=() if row.failure is None else row.failure.reasons,
            ms=None if about.seconds is None else round(about.seconds * 1000, 3),
            values=() if number is None else self.values.values[number],
            shown=() if number is None else self.values.shown[number],
            targets=targets,
            hits=tuple(
                self.shown.hit(case, hit, numbers, move) for hit, move in zip(hits, moves, strict=True)
            ),
            returned=many(about.hits, "hit"),
            before=self.before.query(case, () if number is None else self.values.values[number]),
            ask=self.commands.ask_case(case.id),
            weight=case.weight,
            group=printable(case.group or ""),
            exhaustive=case.exhaustive or case.expect_empty,
        )

    def _targets(
        self, case: Case, answer: Answer, returned: int
    ) -> tuple[tuple[PageTarget, ...], dict[int, int]]:
        """Lay out the targets of a case, and say where each stands in the list."""
        titles = self.shown.titles
        relevant = named_targets(case, self.placed, titles=titles)
        wrong = named_targets(case, self.placed, relevant=False, titles=titles)
        ends = expected(case, self.placed, returned, titles)
        if case.id in self.placed.estimated:
            # What is like the answer is an estimate: one line says so, whatever texts it rests on.
            (one,) = ends
            found = [PageTarget(one.location, "", one.rank, one.ended, one.mark)]
            numbers = {int(str(row["target"])): 0 for row, _ in relevant}
        else:
            found = [
                self._target(case, named, end.rank, end.ended, end.mark)
                for named, end in zip(relevant, ends, strict=True)
            ]
            numbers = {int(str(row["target"])): at for at, (row, _) in enumerate(relevant)}
        for row, location in wrong:
            rank = self.placed.ranks.get((case.id, int(str(row["target"]))))
            said = absent_text(returned) if rank is None else f"rank {rank} (judged irrelevant)"
            numbers[int(str(row["target"]))] = len(found)
            found.append(self._target(case, (row, location), rank, said, "" if rank is None else BAD))
        if answer is not Answer.OK:
            said = (
                "the run does not have the query" if answer is Answer.MISSING else "the system did not answer"
            )
            found = [replace(one, ended=said, mark="") for one in found]
        return tuple(found), numbers

    def _target(
        self,
        case: Case,
        named: tuple[Mapping[str, object], str],
        rank: int | None,
        ended: str,
        mark: Mark | Unmarked,
    ) -> PageTarget:
        row, location = named
        unreviewed = "" if row["reviewed"] else " (unreviewed)"
        return PageTarget(
            location=printable(location) + unreviewed,
            grade=f"{float(str(row['grade'])):g}",
            rank=rank,
            ended=ended,
            mark=mark,
            before=self.before.rank(case.id, int(str(row["target"]))),
            group=printable(str(row["group"] or "")),
        )


def _ended(row: CaseRow, answer: Answer) -> str:
    if answer is not Answer.OK:
        return str(answer.value)
    if row.failure is None:
        return "passed"
    if row.known is not None:
        return "known"
    return "failed" if row.failure.blocks else "short"
