"""A comparison of two runs as GitHub Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.reports.markdown_text import code, plain, table

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.reports.comparison import ComparisonReport
    from rankgate.reports.moved_queries import MovedQuery


def comparison_parts(report: ComparisonReport) -> Iterator[str]:
    """Give the paragraphs of a comparison."""
    yield plain(". ".join(filter(None, (report.compared, report.agreement)))) + "."
    if report.rows:
        figures = ("before", "after", "difference", "95 % interval", "p", "worse", "better", "same")
        rows = [
            (
                row.mark,
                code(row.metric, cell=True),
                *map(plain, (row.before, row.after, row.difference, row.interval, row.p)),
                *map(str, (row.worse, row.better, row.same)),
                plain(row.finding),
            )
            for row in report.rows
        ]
        yield table(("", "metric", *figures, "finding"), "ll" + "r" * len(figures) + "l", rows)
    if report.detectable_words:
        yield plain(report.detectable_words) + "."
    for moved in report.moved:
        yield from _moved(moved)
    if report.unmoved:
        yield plain(report.unmoved) + "."
    if report.unjudged:
        yield f"{report.unjudged_words}."
    if report.notes:
        yield "\n".join(f"- {plain(note)}" for note in report.notes)


def _moved(moved: MovedQuery) -> Iterator[str]:
    yield f"### {moved.mark} {code(moved.query)}"
    said = f"{moved.before} → {moved.after} ({moved.difference}), {moved.first}."
    yield f"{code(moved.case)}: {plain(said)}"
    rows = [
        (
            str(hit.rank),
            code(hit.before, cell=True),
            hit.before_mark,
            hit.move,
            code(hit.after, cell=True),
            hit.after_mark,
        )
        for hit in moved.hits
    ]
    yield table(("", "before", "", "", "after", ""), "rllrll", rows)
