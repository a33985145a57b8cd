"""A judging session as a site: the page, the passages it shows, and the one address that takes judgments."""

from __future__ import annotations

import html
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

from rankgate.errors import InputError
from rankgate.io.problems import Problems
from rankgate.io.records import Count, validated
from rankgate.judging.session.session import Comment, Judgment, Line
from rankgate.reports.text.printable import printable
from rankgate.truth.judgments.labels import Saying
from rankgate.web.access import RefusedError
from rankgate.web.assets import own_line, read_assets, text_digest
from rankgate.web.passages import STEP, Passages
from rankgate.web.server import SiteAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate.judging.session.session import JudgingSession
    from rankgate.judging.units import JudgingUnit
    from rankgate.web.assets import Assets

_POLICY = (
    "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; "
    "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
_UNKNOWN = "nothing is here: the page is at /"
_NO_PASSAGE = "there is no such passage"


@dataclass(frozen=True, slots=True)
class PostedJudgment:
    """A judgment as the page sends it."""

    passage: Count
    """The number of the passage."""
    said: Saying
    """Whether it is graded."""
    grade: int | None = None
    comment: Comment = ""
    """Why."""
    better: tuple[Line, Line] | None = None
    """The lines of a better location."""
    alternative: str | None = None
    """The location that it is an alternative to."""
    showing: Count | None = None
    """The number of the passage that the page shows meanwhile; None where it waits."""

    @property
    def judgment(self) -> Judgment:
        """What is said."""
        return Judgment(self.said, self.grade, self.comment, self.better, self.alternative)


class JudgingSite:
    """One judge's session in the browser."""

    def __init__(self, session: JudgingSession, assets: Assets | None = None) -> None:
        self._session = session
        self._passages = Passages(session)
        assets = judging_assets() if assets is None else assets
        style, script = own_line(assets.style), own_line(assets.script)
        title = html.escape(printable(f"Judge {session.task.title}".strip()))
        self._page = assets.filled({"title": title, "style": style, "script": script}).encode()
        self._policy = _POLICY.format(style=text_digest(style), script=text_digest(script))
        self._shown: dict[str, Callable[[Mapping[str, int]], dict[str, Any]]] = {
            "/state": self._state,
            "/lines": self._lines,
            "/before": self._before,
        }

    def answer(self, path: str, query: str) -> SiteAnswer:
        """Return the page, or the data that it asks for.

        Raises:
            RefusedError: for another address, and for a passage that there is not.
        """
        if path == "/":
            return SiteAnswer(self._page, policy=self._policy)
        shown = self._shown.get(path)
        if shown is None:
            raise RefusedError(HTTPStatus.NOT_FOUND, _UNKNOWN)
        return SiteAnswer.of_json(shown(_numbers(query)))

    def take(self, path: str, body: Mapping[str, Any]) -> SiteAnswer:
        """Write a judgment, or open what was skipped; the answer says that it is on the disk.

        Raises:
            RefusedError: for another address, and for what is no judgment of this session.
            OSError: where it cannot be written.
        """
        if path == "/again" and not body:
            self._session.again()
            return SiteAnswer.of_json(self._state({}))
        if path != "/judgments":
            raise RefusedError(HTTPStatus.NOT_FOUND, _UNKNOWN)
        problems = Problems("judgment")
        posted: PostedJudgment | None = validated(
            body, PostedJudgment, "judgment", problems, unknown="refuse"
        )
        try:
            problems.check()
            if posted is None:
                raise RefusedError(HTTPStatus.BAD_REQUEST, "what was posted is no judgment")
            return SiteAnswer.of_json(self._recorded(posted))
        except InputError as error:
            raise RefusedError(HTTPStatus.BAD_REQUEST, str(error)) from error

    def _recorded(self, posted: PostedJudgment) -> dict[str, Any]:
        unit = self._unit(posted.passage)
        showing = () if posted.showing is None else (self._unit(posted.showing),)
        label = self._session.record(unit, posted.judgment)
        related = [
            {
                "query": printable(one.query),
                "location": printable(one.location),
                "grade": one.grade,
                "sister": one.sister,
                "mismatch": one.mismatch,
            }
            for one in self._session.related(unit)
        ]
        said = {"query": printable(unit.query), "location": printable(unit.location)}
        return {
            "last": {**said, "said": label.said, "grade": label.grade, "related": related},
            "progress": self._progress(),
            "next": self._passage(self._session.next(*showing)),
            # What is shown meanwhile may be an alternative to what was just graded.
            "alternatives": [one for unit in showing for one in self._passages.alternatives(unit)],
        }

    def _state(self, asked: Mapping[str, int]) -> dict[str, Any]:  # noqa: ARG002 - the same for every question
        current = self._session.next()
        following = None if current is None else self._session.next(current)
        task = self._session.task
        return {
            "title": printable(task.title),
            "judge": printable(self._session.judge),
            "grades": [
                {"grade": grade, "name": printable(task.scale.names.get(grade, ""))}
                for grade in task.scale.grades
            ],
            "guidelines": [printable(line) for line in task.guidelines.text.splitlines()],
            "progress": self._progress(),
            "current": self._passage(current),
            "next": self._passage(following),
        }

    def _lines(self, asked: Mapping[str, int]) -> dict[str, Any]:
        unit = self._unit(asked.get("passage"))
        start = asked.get("from", 1)
        return {"lines": self._passages.lines(unit, start, asked.get("to", start + STEP))}

    def _before(self, asked: Mapping[str, int]) -> dict[str, Any]:
        unit = self._unit(asked["passage"]) if "passage" in asked else None
        return {"passage": self._passage(self._session.before(unit))}

    def _unit(self, number: int | None) -> JudgingUnit:
        unit = None if number is None else self._session.unit(number)
        if unit is None:
            raise RefusedError(HTTPStatus.BAD_REQUEST, _NO_PASSAGE)
        return unit

    def _passage(self, unit: JudgingUnit | None) -> dict[str, Any] | None:
        return None if unit is None else self._passages.passage(unit)

    def _progress(self) -> dict[str, Any]:
        found = self._session.progress()
        return {
            "judged": found.judged,
            "skipped": found.skipped,
            "pool": found.pool,
            "remaining": found.remaining.count,
            "words": printable(found.remaining.words),
            "pace": found.pace,
            "left": found.time_left,
        }


@cache
def judging_assets() -> Assets:
    """Read the assets of the page; colours, lines and elements are those of the report."""
    return read_assets(files("rankgate.web") / "page")


def _numbers(query: str) -> dict[str, int]:
    """Read the numbers of an address."""
    try:
        found = parse_qs(query, strict_parsing=bool(query), max_num_fields=5)
        return {name: int(values[-1]) for name, values in found.items() if len(values[-1]) <= 9}
    except ValueError as error:
        raise RefusedError(HTTPStatus.BAD_REQUEST, "the address is to have numbers alone") from error
