"""Every layout of the report of an evaluation, by name."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.reports.evaluation.report import EvaluationReport

FORMATS = {
    "terminal": "for people, in columns",
    "markdown": "GitHub Markdown: the whole report, for a file",
    "junit": "JUnit XML, which every CI can show",
    "json": "the whole report for programs, with full numbers",
    "github": "annotations at the lines of the suite, as GitHub workflow commands",
    "github-comment": "the body of a pull-request comment that the next run replaces",
}
"""What each is for."""
PAGES = {"html": "one page for the browser: charts, every query, every hit with its text"}
"""Layouts that need more than the report: an evaluation writes them, and they are copied from there."""

_TOGETHER = {"junit": "junit", "json": "json_report"}


def laid_out(
    style: str,
    reports: Sequence[EvaluationReport],
    *,
    path_of: Callable[[str], str] = str,
    colour: bool = False,
    url: str = "",
) -> str:
    """Write reports as one document.

    Args:
        style: one of `FORMATS`.
        reports: what to say.
        path_of: turns the path of a suite into the path that the repository has it under.
        colour: True for what goes to the terminal at once.
        url: where the whole report can be read, for a comment; empty where nobody knows.
    """
    # These name the system in every headline.
    if style not in ("json", "github-comment", "markdown", "terminal"):
        reports = told_apart(reports)
    # Each layout is imported when it is asked for.
    if style == "terminal":
        from rankgate.reports.evaluation import terminal

        return "\n".join(terminal.render(report, colour=colour, details=True) for report in reports)
    if style == "markdown":
        from rankgate.reports.evaluation import markdown

        return "\n".join(map(markdown.render, reports))
    if style == "github":
        from rankgate.reports.evaluation import github_annotations

        return github_annotations.render(*reports, path_of=path_of)
    if style == "github-comment":
        from rankgate.reports.evaluation import github_comment

        return github_comment.render(*reports, url=url)
    text: str = import_module(f"rankgate.reports.evaluation.{_TOGETHER[style]}").render(*reports)
    return text


def told_apart(reports: Sequence[EvaluationReport]) -> list[EvaluationReport]:
    """Return reports whose titles name the system as well, where a suite was tested with several."""
    systems: dict[str, set[str]] = {}
    for report in reports:
        systems.setdefault(report.title, set()).add(report.system)
    return [
        replace(report, title=f"{report.title}, {report.system}")
        if len(systems[report.title]) > 1
        else report
        for report in reports
    ]
