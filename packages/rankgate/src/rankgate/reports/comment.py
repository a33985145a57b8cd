"""The report of a test as a pull request comment, which the next run finds by its first line and replaces.

GitHub rejects comments of more than 65,536 characters: what does not fit is left out, and a line says so. The
summary of a job has the same form.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from rankgate import headline
from rankgate.reports.json_report import exit_code
from rankgate.reports.markdown import commands, opening, query_table, ranking, section_body, verdicts
from rankgate.reports.sections import first_screen, further_sections
from rankgate.reports.text.github import Escapes, link
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rankgate.report import Report

LIMIT: Final = 65_000
"""The largest comment, in bytes of UTF-8: that many characters are at most as many bytes."""
QUERIES: Final = 10
"""The number of queries that the comment lists unfolded."""
RANKINGS: Final = 20
"""The number of rankings that it shows."""
_BY: Final = Escapes(line=400, name=160)
_MARKER_LENGTH: Final = 200
_STEPS: Final = (50, 20, 10, 5, 2, 1)
_RESERVED: Final = 2000
"""The bytes that stay free for the last lines and the ends of folds."""
_NO_ROOM: Final = "… more does not fit into a comment."
_FACTS: Final = ("baseline", "commit", "rankgate")


def render(*reports: Report, limit: int = LIMIT, url: str = "", marked: bool = True) -> str:
    """Return the body of a comment about all reports.

    Args:
        reports: The reports.
        limit: The largest number of bytes.
        url: Where to read the HTML report; empty if that is not known.
        marked: Whether to write the line by which the next run finds the comment.
    """
    budget = _Budget(limit)
    parts = [marker(reports)] if marked and budget.take(marker(reports)) else []
    heads = [_BY.text(headline.headline(report)) for report in reports]
    if len(reports) == 1:
        if budget.take(f"### {heads[0]}"):
            parts += [f"### {heads[0]}", *_body(reports[0], budget, url)]
        return "\n\n".join(parts) + "\n"
    shown = sum(1 for head in heads if budget.take(f"- {head}", _RESERVED))
    parts += ["\n".join(f"- {head}" for head in heads[:shown])] if shown else []
    if shown < len(reports):
        parts.append(f"… and {many(len(reports) - shown, 'more report')}")
    # The worst report comes first and is not folded.
    worst = exit_code(reports)
    order = sorted(range(shown), key=lambda at: (reports[at].exit_code != worst, at))
    for number, at in enumerate(order):
        own = _Budget(budget.left // (shown - number))
        fold = number > 0
        head = _BY.html(headline.headline(reports[at]))
        start = f"<details>\n<summary>{head}</summary>" if fold else f"### {heads[at]}"
        if own.take(start, _RESERVED):
            text = "\n\n".join([start, *_body(reports[at], own, url), *(["</details>"] if fold else [])])
            if budget.take(text):
                parts.append(text)
    return "\n\n".join(parts) + "\n"


def marker(reports: Sequence[Report]) -> str:
    """Return the line that names what a comment is about; it is not visible."""
    names = "; ".join(
        f"{quote(report.suite, safe='') or '-'} {quote(report.system, safe='') or '-'}" for report in reports
    )
    if len(names) > _MARKER_LENGTH:
        names = hashlib.sha256(names.encode()).hexdigest()
    return f"<!-- rankgate: {names} -->"


class _Budget:
    """The number of bytes that are left."""

    def __init__(self, left: int) -> None:
        self.left = left

    def take(self, text: str, reserved: int = 0) -> bool:
        """Take the bytes of a text and of the blank line below, if there are enough."""
        size = len(text.encode()) + 2
        if size + reserved > self.left:
            return False
        self.left -= size
        return True

    def fitting(self, make: Callable[[int], str]) -> str:
        """Return the text with the most entries that fits; empty if none does."""
        for most in _STEPS:
            text = make(most)
            if text and self.take(text, _RESERVED):
                return text
        return ""


def _body(report: Report, budget: _Budget, url: str) -> Iterator[str]:
    screen, full = first_screen(report), False
    unfolded: list[Callable[[int], str]] = [lambda _, part=part: part for part in opening(screen, _BY)]  # type: ignore[misc]
    unfolded.append(lambda most: query_table(screen.queries, _BY, min(most, QUERIES)))
    unfolded += [lambda _, part=part: part for part in (*verdicts(screen, _BY), *commands(screen))]  # type: ignore[misc]
    for make in unfolded:
        text = budget.fitting(make)
        full = full or bool(not text and make(1))
        yield from [text] if text else []
    compared = [query for query in screen.queries[:RANKINGS] if query.case.before]
    rankings = [text for query in compared if (text := ranking(query, _BY))]
    if rankings:
        text = budget.fitting(lambda most: _folded("Results before and now", "\n\n".join(rankings[:most])))
        full = full or not text
        yield from [text] if text else []
    shown = [query.case.name for query in screen.queries[:QUERIES]]
    for section in further_sections(report, queries=max(_STEPS), shown=shown):
        text = budget.fitting(
            lambda most, section=section: _folded(section.title, section_body(section, _BY, most))  # type: ignore[misc]
        )
        full = full or not text
        yield from [text] if text else []
    yield from [_NO_ROOM] if full and budget.take(_NO_ROOM) else []
    facts = [f"{name} {_BY.title(report.provenance[name])}" for name in _FACTS if name in report.provenance]
    foot = f"<sub>{' · '.join(filter(None, (link('Report', url), *facts)))}</sub>"
    yield from [foot] if foot != "<sub></sub>" and budget.take(foot) else []


def _folded(title: str, body: str) -> str:
    return f"<details>\n<summary>{_BY.html(title)}</summary>\n\n{body}\n\n</details>"
