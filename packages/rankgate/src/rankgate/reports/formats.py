"""The formats of the report of a test, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.model.report import Report


def _terminal(*reports: Report, colour: bool = False, **_: Any) -> str:
    from rankgate.reports import terminal

    return "\n".join(terminal.render(report, colour=colour, details=True) for report in reports)


def _markdown(*reports: Report, url: str = "", **_: Any) -> str:
    from rankgate.reports import markdown

    return markdown.render(*reports, url=url)


def _junit(*reports: Report, **_: Any) -> str:
    from rankgate.reports import junit

    return junit.render(*reports)


def _json(*reports: Report, **_: Any) -> str:
    from rankgate.reports import json_report

    return json_report.render(*reports)


def _annotations(*reports: Report, path_of: Callable[[str], str] = str, **_: Any) -> str:
    from rankgate.reports import annotations

    return annotations.render(*reports, path_of=path_of)


def _comment(*reports: Report, url: str = "", **_: Any) -> str:
    from rankgate.reports import comment

    return comment.render(*reports, url=url)


FORMATS: Final[dict[str, Callable[..., str]]] = {
    "terminal": _terminal,
    "markdown": _markdown,
    "junit": _junit,
    "json": _json,
    "github": _annotations,
    "github-comment": _comment,
}
"""The function that renders reports in each format. It imports its renderer when it is called."""
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
    return FORMATS[style](*reports, path_of=path_of, colour=colour, url=url)
