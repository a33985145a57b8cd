"""Queries of the HTML report: cards, rows and rankings."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankgate.headline import change_text, expected_target, query_title, rank_text, seconds_text
from rankgate.report import CaseResult, CaseState, Change, Report, ShownHit, ShownTarget
from rankgate.reports.html.markup import (
    anchor,
    bdi,
    escape,
    icon,
    items,
    link,
    location,
    pairs,
    query_words,
    snippet,
    table,
)
from rankgate.reports.html.plots import moves
from rankgate.reports.sections import QueryItem
from rankgate.wording import value_text

_ROOM = 900_000
"""The number of characters that all rankings may take, so that a page of 2,000 queries stays below 4 MB."""
_IMAGES = 1_000_000
"""The number of characters that the images of results may take beside that."""
_IMAGE = re.compile(r"data:image/(?:png|jpeg|gif|webp|avif|svg\+xml);base64,[A-Za-z0-9+/]+=*")
_LOOKS = {
    "failed": ("bad", "bad"),
    "error": ("plug", "orange"),
    "known miss": ("dash", "muted"),
    "regressed": ("down", "warn"),
    "unknown": ("question", "warn"),
    "improved": ("up", "good"),
    "passed": ("good", "good"),
}


@dataclass(slots=True)
class Room:
    """Limits the size of the rankings on a page."""

    left: int = _ROOM
    cut: int = 0
    """The number of queries without rankings."""
    images: int = _IMAGES
    """The number of characters that images may still take."""
    images_cut: int = 0
    sides: tuple[str, str] = ("baseline", "now")
    """The names of both rankings."""

    def rankings(self, case: CaseResult) -> str:
        """Return the results of a query, or nothing if there is no room for them."""
        if not case.hits:
            return ""
        if self.left <= 0:
            self.cut += 1
            return ""
        before = self.images
        shown = _rankings(case, self)
        self.left -= len(shown) - (before - self.images)
        return shown

    @property
    def note(self) -> str:
        """Return what is left out, as markup."""
        cut = [f"the rankings of {self.cut:,} queries"] if self.cut else []
        cut += [f"{self.images_cut:,} images"] if self.images_cut else []
        return f"<p>To limit the size of this page, {' and '.join(cut)} are left out.</p>" if cut else ""

    def image(self, name: str, url: str) -> str:
        """Return an image of a result, or nothing if there is no room for it."""
        if len(url) > self.images:
            self.images_cut += 1
            return ""
        self.images -= len(url)
        return f'<img src="{escape(url)}" alt="{escape(name)}">'


def case_word(case: CaseResult) -> str:
    """Return the one word that says most about a case."""
    if case.known is not None:
        return "known miss"
    if case.state is not CaseState.PASSED:
        return str(case.state)
    return (
        str(case.change) if case.change in (Change.REGRESSED, Change.UNKNOWN, Change.IMPROVED) else "passed"
    )


def case_icon(case: CaseResult, size: str = "") -> str:
    """Return the icon of a case, with its word for screen readers."""
    word = case_word(case)
    name, tone = _LOOKS[word]
    if word == "passed" and case.rank is None and case.targets:
        # No gate failed, but a tick beside "not found" would confuse.
        name, tone = _LOOKS["known miss"]
    return icon(name, tone, word, size)


def card(item: QueryItem, report: Report, room: Room) -> str:
    """Return a query that needs attention, with its rankings folded."""
    case = item.case
    word, id_, value = case_word(case), anchor(case.name), _value(case, report.primary)
    labels = "".join(f"{bdi(name)} · " for name in (case.category, *case.tags) if name)
    place = f"{bdi(case.where)} · " if case.where else ""
    own = f'<a href="#{id_}" aria-label="Link to the query {escape(item.title)}">link</a>'
    reasons = tuple(text for label, text in item.details if label == "failed")
    # A change of the value alone is in `item.change` already.
    figure = "" if value in item.change else f'<p class="about">{escape(report.primary)} {value}</p>'
    return (
        f'<article class="card query" id="{id_}" tabindex="-1"><header>{case_icon(case)}<div>'
        f"<h3>{bdi(item.title)}</h3>"
        f'<p class="about"><span class="word {_LOOKS[word][1]}">{word}</span> · '
        f"{labels}{place}{own}</p></div>"
        f'<div class="ranks">{escape(item.change)}{figure}</div></header>{_facts(case, room, reasons)}'
        f"<details><summary>{'Results before and now' if case.hits_before else 'Results'}</summary>"
        f"{room.rankings(case)}{_more(case, report)}</details></article>"
    )


def row(case: CaseResult, report: Report, body: str | None) -> str:
    """Return a line of the list of all queries, which opens if it has a body, else links to the card."""
    words = {case_word(case), str(case.change or "")} | (set() if case.known else {str(case.state)})
    more = [*case.tags, *_filters(case), case.name, case.where, *(target.location for target in case.targets)]
    category = f'<span class="tag">{bdi(case.category)}</span>' if case.category else ""
    line = (
        f'{case_icon(case, "small")}<span class="name">{bdi(query_title(case))} {category}</span>'
        f'<span class="ranks">{escape(rank_text(case, report.primary))}</span>'
        f'<span class="number">{value_text(case.values.get(report.primary))}</span>'
    )
    data = f'data-words="{escape(",".join(sorted(words)))}" data-category="{escape(case.category)}"'
    data += f' data-more="{escape(" ".join(more))}"'
    if body is None:
        return f'<li {data}><a class="line" href="#{anchor(case.name)}">{line}</a></li>'
    return (
        f'<li {data}><details id="{anchor(case.name)}"><summary class="line">{line}</summary>'
        f'<div class="query">{body}</div></details></li>'
    )


def row_body(case: CaseResult, report: Report, room: Room) -> str:
    """Return what a line of the list shows when it is opened."""
    own = f'<p class="about"><a href="#{anchor(case.name)}">Link to this query</a></p>'
    return f"{_facts(case, room, case.reasons)}{room.rankings(case)}{_more(case, report)}{own}"


def query_table(cases: Sequence[CaseResult], report: Report) -> str:
    """Return queries as a table, with a link to each."""
    rows = (
        (
            f"{case_icon(case, 'small')} {link(case.name, query_title(case))}",
            bdi(case.category),
            escape(rank_text(case)),
            _value(case, report.primary),
        )
        for case in cases
    )
    return table(("query", "category", "rank", report.primary), rows, (3,))


def _value(case: CaseResult, metric: str, unit: str = "") -> str:
    before, now = case.before.get(metric), case.values.get(metric)
    return value_text(now, unit) if before is None or before == now else change_text(before, now, unit)


def _filters(case: CaseResult) -> Iterator[str]:
    for key, value in case.filters.items():
        yield f"{key}: {value if isinstance(value, str) else ', '.join(value)}"


def _facts(case: CaseResult, room: Room, reasons: Sequence[str]) -> str:
    """Return why a case failed, what it expects, and what came first instead."""
    words = query_words(case.query)
    rows = []
    if case.error:
        rows.append(("error", bdi(case.error)))
    expected = expected_target(case)
    if expected is not None:
        found = next((hit for hit in case.hits if hit.rank == expected.rank), None)
        rows.append(("expected", _shown_hit(_target(expected, found), found, words, room)))
    elif case.known is None and not case.targets:
        rows.append(
            ("expected", "no results" if not case.checks else bdi("; ".join(c.check for c in case.checks)))
        )
    if case.first is not None and (expected is None or expected.rank != 1):
        name = f"{location(case.first.location, case.first.title)} {_judged(case.first)}"
        rows.append(("first", _shown_hit(name, case.first, words, room)))
    elif not case.hits and not case.error:
        rows.append(
            ("first", "no results" if not case.returned else f"{case.returned:,} results, not in this page")
        )
    why = [bdi(reason) for reason in reasons]
    if case.known is not None:
        until = f" (until {case.known.until})" if case.known.until else ""
        passes = " It passes now: remove xfail." if case.known.passes else ""
        why.append(bdi(f"known miss: {case.known.reason}{until}.{passes}"))
    return items(why, "reasons") + pairs(rows)


def _shown_hit(name: str, hit: ShownHit | None, words: frozenset[str], room: Room) -> str:
    """Return a result below its name, which is markup, beside its images."""
    if hit is None:
        return name
    shown, images = _shown(hit, words, 280), _images(hit, room)
    text = name + (f'<p class="snippet" dir="auto">{shown}</p>' if shown else "")
    return f'<div class="result">{images}<div>{text}</div></div>' if images else text


def _shown(hit: ShownHit, words: frozenset[str], most: int) -> str:
    """Return the fields of a result that the suite shows, without images and the title, and its text."""
    fields = [
        _field(*one) for one in hit.fields.items() if one[1] != hit.title and not _IMAGE.fullmatch(one[1])
    ]
    return " · ".join((*fields, *([snippet(hit.text, words, most)] if hit.text else [])))


def _field(name: str, value: str) -> str:
    """Return a field; a URL is a link, because the page loads nothing."""
    if value.startswith(("https://", "http://")):
        return f'<a href="{escape(value)}" rel="noreferrer">{bdi(name)}</a>'
    return f'<span class="about">{bdi(name)}</span> {bdi(value)}'


def _images(hit: ShownHit, room: Room) -> str:
    return "".join(room.image(name, value) for name, value in hit.fields.items() if _IMAGE.fullmatch(value))


def _target(target: ShownTarget, found: ShownHit | None = None) -> str:
    rank = f"rank {target.rank}" if target.rank is not None else "not found"
    if target.missing:
        rank = f"missing target: {target.missing}"
    notes = [rank] if target.before in (None, target.rank) else [rank, f"was {target.before}"]
    if target.grade != 1:
        notes.append(f"grade {target.grade:g}")
    if target.moved_to:
        notes.append(f"now at {target.moved_to}")
    if target.source not in ("person", "import"):
        notes.append(target.source)
    title = target.title or (found.title if found is not None else "")
    return f'{location(target.location, title)} <span class="note">{bdi(", ".join(notes))}</span>'


def _judged(hit: ShownHit) -> str:
    if hit.grade is None and not hit.targets:
        return ""
    relevant = hit.grade is None or hit.grade > 0
    return (
        icon("good", "good", "relevant", "tiny") if relevant else icon("bad", "bad", "not relevant", "tiny")
    )


def _more(case: CaseResult, report: Report) -> str:
    """Return what else is known about a case."""
    units = {metric.metric: metric.unit for metric in report.metrics}
    rows = [(escape(name), _value(case, name, units.get(name, ""))) for name in case.values]
    expected = [target for target in case.targets if target.grade > 0]
    if len(expected) > 1:
        rows.append(("all expected", items(map(_target, expected))))
    if case.checks:
        good, bad = (icon(one, one, word, "tiny") for one, word in (("good", "passed"), ("bad", "failed")))
        listed = (
            f"{good if check.passed else bad} {bdi(check.check)}: {bdi(check.found)}" for check in case.checks
        )
        rows.append(("checks", items(listed)))
    if case.unjudged:
        rows.append(("judged", f"{case.unjudged} of {case.top} results unjudged"))
    if case.unstable:
        rows.append(("unstable", "two runs of the baseline differ"))
    rows += (("filter", bdi(text)) for text in _filters(case))
    if case.weight != 1:
        rows.append(("weight", f"{case.weight:g}"))
    if case.notes:
        rows.append(("notes", bdi(case.notes)))
    if case.seconds is not None:
        rows.append(("time", seconds_text(case.seconds)))
    return pairs(rows, "facts small")


def _rankings(case: CaseResult, room: Room) -> str:
    """Return the results, beside those of the baseline if they are known."""
    words = query_words(case.query)
    now = items((_result(hit, words, room, bool(case.hits_before)) for hit in case.hits), "ranking", "ol")
    if not case.hits_before:
        return now
    kept = {hit.before for hit in case.hits}
    old = items(
        (_result(hit, words, room, False, "" if hit.rank in kept else "gone") for hit in case.hits_before),
        "ranking",
        "ol",
    )
    return (
        f'<div class="sides"><div><p class="about">{escape(room.sides[0])}</p>{old}</div>{moves(case)}'
        f'<div><p class="about">{escape(room.sides[1])}</p>{now}</div></div>'
    )


def _result(hit: ShownHit, words: frozenset[str], room: Room, compared: bool, note: str = "") -> str:
    if compared:
        note = "new" if hit.before is None else "" if hit.before == hit.rank else f"was {hit.before}"
    if hit.duplicate:
        note = f"{note}, duplicate" if note else "duplicate"
    noted = f' <span class="note">{note}</span>' if note else ""
    place = f"{_judged(hit)} {location(hit.location, hit.title)}"
    return (
        f'<span class="rank">{hit.rank}</span>{_images(hit, room)}<div>{place}'
        f'<p class="snippet" dir="auto">{_shown(hit, words, 200)}</p></div>{noted}'
    )
