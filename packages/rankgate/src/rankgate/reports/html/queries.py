"""Queries of the HTML report: cards, rows and rankings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rankgate.headline import change_text, expected_target, query_title, rank_text, seconds_text, value_text
from rankgate.model.report import CaseResult, CaseState, Change, Report, ShownHit, ShownTarget
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
)
from rankgate.reports.html.plots import moves
from rankgate.reports.sections import QueryItem

_ROOM = 900_000
"""The number of characters that all rankings may take, so that a page of 2,000 queries stays below 4 MB."""
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
    sides: tuple[str, str] = ("baseline", "now")
    """The names of both rankings."""

    def rankings(self, case: CaseResult) -> str:
        """Return the results of a query, or nothing if there is no room for them."""
        if not case.hits:
            return ""
        if self.left <= 0:
            self.cut += 1
            return ""
        shown = _rankings(case, self.sides)
        self.left -= len(shown)
        return shown


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
    place = f"{bdi(case.where)} · " if case.where else ""
    own = f'<a href="#{id_}" aria-label="Link to the query {escape(item.title)}">link</a>'
    # A change of the value alone is in `item.change` already.
    figure = "" if value in item.change else f'<p class="about">{escape(report.primary)} {value}</p>'
    return (
        f'<article class="card query" id="{id_}" tabindex="-1"><header>{case_icon(case)}<div>'
        f"<h3>{bdi(item.title)}</h3>"
        f'<p class="about"><span class="word {_LOOKS[word][1]}">{word}</span> · '
        f"{_labels(case)}{place}{own}</p></div>"
        f'<div class="ranks">{escape(item.change)}{figure}</div></header>{_facts(case)}'
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
    return f"{_facts(case)}{room.rankings(case)}{_more(case, report)}{own}"


def table(cases: Sequence[CaseResult], report: Report) -> str:
    """Return queries as a table, with a link to each."""
    rows = "".join(
        f"<tr><td>{case_icon(case, 'small')} {link(case.name, query_title(case))}</td>"
        f'<td data-label="category">{bdi(case.category)}</td>'
        f'<td data-label="rank">{escape(rank_text(case))}</td>'
        f'<td data-label="{escape(report.primary)}" class="number">{_value(case, report.primary)}</td></tr>'
        for case in cases
    )
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in ("query", "category", "rank"))
    head += f'<th scope="col" class="number">{escape(report.primary)}</th>'
    return f'<table class="cards"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>'


def _value(case: CaseResult, metric: str, unit: str = "") -> str:
    before, now = case.before.get(metric), case.values.get(metric)
    return value_text(now, unit) if before is None or before == now else change_text(before, now, unit)


def _labels(case: CaseResult) -> str:
    return "".join(f"{bdi(name)} · " for name in (case.category, *case.tags) if name)


def _filters(case: CaseResult) -> Iterator[str]:
    for key, value in case.filters.items():
        yield f"{key}: {value if isinstance(value, str) else ', '.join(value)}"


def _facts(case: CaseResult) -> str:
    """Return why a case failed, what it expects, and what came first instead."""
    words = query_words(case.query)
    rows = []
    if case.error:
        rows.append(("error", bdi(case.error)))
    expected = expected_target(case)
    if expected is not None:
        found = next((hit for hit in case.hits if hit.rank == expected.rank), None)
        rows.append(("expected", _target(expected) + (_text(found, words) if found else "")))
    elif case.known is None and not case.targets:
        rows.append(
            ("expected", "no results" if not case.checks else bdi("; ".join(c.check for c in case.checks)))
        )
    if case.first is not None and (expected is None or expected.rank != 1):
        rows.append(("first", _hit_name(case.first) + _text(case.first, words)))
    elif not case.hits and not case.error:
        rows.append(
            ("first", "no results" if not case.returned else f"{case.returned:,} results, not in this page")
        )
    reasons = [bdi(reason) for reason in case.reasons]
    if case.known is not None:
        until = f" (until {case.known.until})" if case.known.until else ""
        passes = " It passes now: remove xfail." if case.known.passes else ""
        reasons.append(bdi(f"known miss: {case.known.reason}{until}.{passes}"))
    return items(reasons, "reasons") + pairs(rows)


def _text(hit: ShownHit, words: frozenset[str]) -> str:
    shown = _shown(hit, words)
    return f'<p class="snippet" dir="auto">{shown}</p>' if shown else ""


def _shown(hit: ShownHit, words: frozenset[str], most: int = 280) -> str:
    return snippet(hit.text, words, most) if hit.text else ""


def _target(target: ShownTarget) -> str:
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
    return f'{location(target.location, target.title)} <span class="note">{bdi(", ".join(notes))}</span>'


def _hit_name(hit: ShownHit) -> str:
    return location(hit.location, hit.title) + f" {_judged(hit)}"


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
    if len(case.targets) > 1:
        rows.append(("all expected", items(_target(target) for target in case.targets)))
    if case.checks:
        listed = (f"{_sign(check.passed)} {bdi(check.check)}: {bdi(check.found)}" for check in case.checks)
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


def _sign(passed: bool) -> str:
    return icon("good", "good", "passed", "tiny") if passed else icon("bad", "bad", "failed", "tiny")


def _rankings(case: CaseResult, sides: tuple[str, str]) -> str:
    """Return the results, beside those of the baseline if they are known."""
    words = query_words(case.query)
    now = items((_result(hit, words, bool(case.hits_before)) for hit in case.hits), "ranking", "ol")
    if not case.hits_before:
        return now
    kept = {hit.before for hit in case.hits}
    old = items(
        (_result(hit, words, False, "" if hit.rank in kept else "gone") for hit in case.hits_before),
        "ranking",
        "ol",
    )
    return (
        f'<div class="sides"><div><p class="about">{escape(sides[0])}</p>{old}</div>{moves(case)}'
        f'<div><p class="about">{escape(sides[1])}</p>{now}</div></div>'
    )


def _result(hit: ShownHit, words: frozenset[str], compared: bool, note: str = "") -> str:
    if compared:
        note = "new" if hit.before is None else "" if hit.before == hit.rank else f"was {hit.before}"
    if hit.duplicate:
        note = f"{note}, duplicate" if note else "duplicate"
    noted = f' <span class="note">{note}</span>' if note else ""
    return (
        f'<span class="rank">{hit.rank}</span><div>{_judged(hit)} {location(hit.location, hit.title)}'
        f'<p class="snippet" dir="auto">{_shown(hit, words, 200)}</p></div>{noted}'
    )
