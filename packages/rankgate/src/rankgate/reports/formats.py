"""The formats of the report of a test, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.report import Report

FORMATS: Final = ("terminal", "markdown", "junit", "json", "github", "github-comment")
"""The formats in which several reports are one document."""
PAGES: Final = ("html",)
"""The formats that have one file per report."""


def laid_out(
    style: str,
    reports: Sequence[Report],
    *,
    path_of: Callable[[str], str] = str,
    colour: bool = False,
    url: str = "",
) -> str:
    """Return reports as one document.

    Args:
        style: One of `FORMATS`.
        reports: The reports.
        path_of: Returns the path below the repository's root for a path in a report.
        colour: Whether to use colours if the text is for a terminal.
        url: Where to read the HTML report; empty if that is not known.
    """
    from rankgate.reports import annotations, comment, json_report, junit, markdown, terminal

    if style == "terminal":
        return "\n".join(terminal.render(report, colour=colour, details=True) for report in reports)
    if style == "github":
        return annotations.render(*reports, path_of=path_of)
    if style == "markdown":
        return markdown.render(*reports, url=url)
    if style == "github-comment":
        return comment.render(*reports, url=url)
    return junit.render(*reports) if style == "junit" else json_report.render(*reports)
