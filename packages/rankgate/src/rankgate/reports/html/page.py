"""The report of a test as one HTML file, without network requests.

Markup is complete without the script, which filters the list of queries, opens what a link names and copies
commands. A content security policy allows the file's own style and script by their hashes, and nothing else.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.resources import files
from itertools import repeat

from rankgate.headline import numbers, outcome, query_title, title
from rankgate.report import MetricResult, Report, SliceResult, State
from rankgate.reports.html.markup import bdi, escape, icon, items, link, pairs, table
from rankgate.reports.html.plots import change_bars, history_line, value_bar
from rankgate.reports.html.queries import Room, card, case_word, query_table, row, row_body
from rankgate.reports.sections import FirstScreen, Item, Section, Table, first_screen, further_sections
from rankgate.wording import value_text

CARDS, FOLDED_CARDS, ROWS, INLINE = 10, 40, 2000, 200
"""The numbers of queries to look at that are shown and folded, of rows in the list of all queries, and of
rows whose content is inline. In a longer list the script inserts the content when a row is opened: a browser
needs more than a second to read it at the start.
"""
_STATES = {
    State.PASSED: ("good", "good", "Passed"),
    State.NO_GATES: ("dash", "muted", "No gates"),
    State.FAILED: ("bad", "bad", "Failed"),
    State.INCONCLUSIVE: ("question", "warn", "Inconclusive"),
    State.INVALID: ("stop", "purple", "Invalid"),
    State.SYSTEM_FAILED: ("plug", "orange", "System failed"),
    State.NOT_TESTED: ("dash", "muted", "Not tested"),
    State.CRASHED: ("warn", "crimson", "Crashed"),
}
_MOODS = {"good": ("good", "good"), "bad": ("bad", "bad"), "warning": ("warn", "warn"), "": ("dash", "muted")}
_POLICY = (
    "default-src 'none'; style-src 'sha256-{style}'; script-src 'sha256-{script}'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def render(report: Report) -> str:
    """Return the HTML page of a report."""
    symbol, tone, word = _STATES[report.state]
    screen = first_screen(report)
    time = f"{report.time[:10]} {report.time[11:]}".replace("+00:00", " UTC").strip()
    about = " · ".join(bdi(one) for one in (report.path, time) if one)
    sections = "".join(_sections(report, screen))
    return document(word, title(report), about, (symbol, tone), _verdict(report, screen), sections)


def document(word: str, name: str, about: str, looks: tuple[str, str], verdict: str, sections: str) -> str:
    """Return a page.

    Args:
        word: The first word of its title.
        name: The suite and the system.
        about: The path and the time, as markup.
        looks: The icon of the verdict and its tone.
        verdict: The markup of the verdict.
        sections: The markup below it.
    """
    style, script = _asset("page.css"), _asset("page.js")
    policy = _POLICY.format(style=_digest(style), script=_digest(script))
    name, (symbol, tone) = escape(name), looks
    return f"""<!doctype html>
<html lang="en" data-ready>
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{word}: {name}</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">Skip to the report</a>
<header class="top">
<b class="brand">rankgate</b><span class="suite">{name}</span><span class="about">{about}</span>
</header>
<main id="main" tabindex="-1">
<section class="verdict {tone}">{icon(symbol, tone, size="large")}
<div>{verdict}</div></section>
{sections}
</main>
<script>{script}</script>
</body>
</html>
"""


def _verdict(report: Report, screen: FirstScreen) -> str:
    """Return how the test ended, its figures, and what to do next."""
    parts = [f"<h1>{escape(outcome(report)[:1].upper() + outcome(report)[1:])}</h1>"]
    if figures := numbers(report):
        parts.append(f'<p class="figures">{escape(figures)}</p>')
    parts.append(items((f"<pre>{escape(problem)}</pre>" for problem in screen.problems), "problems"))
    parts.append(items((bdi(line) for line in (*screen.facts, *screen.changes)), "lines"))
    if screen.test is not None:
        lines = (bdi(line) for item in screen.test.items for line in (item.text, *item.details))
        parts.append(f"<h2>{screen.test.title}</h2>{items(lines, 'lines')}")
    commands = items((f"<code>{escape(command)}</code>" for command in screen.next), "commands")
    parts.append(f'<div class="next"><h2>Next</h2>{commands}</div>' if commands else "")
    return "".join(parts)


def _sections(report: Report, screen: FirstScreen) -> Iterator[str]:
    room = Room()
    if report.comparison is not None and report.comparison.name != "baseline":
        room = Room(sides=(report.comparison.name, report.system))
    if overview := _overview(report):
        yield f'<section class="overview" aria-label="Metrics">{overview}</section>'
    carded = screen.queries[: CARDS + FOLDED_CARDS]
    if carded:
        cards, total = [card(one, report, room) for one in carded], len(screen.queries)
        yield part("queries", "Queries to look at", "".join(cards[:CARDS]), total)
        if more := "".join(cards[CARDS:]):
            if total > len(cards):
                more += f'<p><a href="#all">{total - len(cards):,} more below, in all queries</a></p>'
            yield folded("more-queries", "More queries to look at", more, total - CARDS)
    if screen.gates:
        yield part("failed-gates", "Gates that did not pass", _list(screen.gates))
    if screen.probes:
        yield part("failed-probes", "Failed scenarios and invariants", _list(screen.probes))
    if report.recommendations:
        yield part("recommendations", "Recommendations", _recommendations(report))
    yield from _further(report, {one.case.name for one in carded}, room)


def _further(report: Report, carded: set[str], room: Room) -> Iterator[str]:
    """Return the folded sections."""
    last = {}
    for section in further_sections(report, shown=frozenset(report.attention)):
        if section.name in ("metrics", "recommendations"):
            continue
        if section.name == "queries":
            yield folded("improved", "Improved queries", content(section, report), _count(section))
        elif section.table is not None and section.name.startswith("slices-"):
            key = section.name.removeprefix("slices-")
            rows = [one for one in report.slices if one.key == key]
            yield folded(section.name, section.title, _slices(rows, section.table, report), len(rows))
        elif section.name in ("notes", "provenance"):
            last[section.name] = content(section, report)
        else:
            yield folded(section.name, section.title, content(section, report), _count(section))
    if report.cases:
        yield folded("all", "All queries", all_queries(report, carded, room), len(report.cases))
    if notes := last.get("notes", "") + room.note:
        yield folded("notes", "Notes", notes)
    if "provenance" in last:
        yield folded("provenance", "Provenance", last["provenance"])


def part(name: str, heading: str, body: str, count: int = 0) -> str:
    """Return a part of the page with a heading and a count, if that is not 0."""
    number = f' <span class="count">{count:,}</span>' if count else ""
    return f'<section id="{name}"><h2>{escape(heading)}{number}</h2>{body}</section>'


def folded(name: str, heading: str, body: str, count: int = 0) -> str:
    """Return a part of the page that is closed at first."""
    number = f' <span class="count">{count:,}</span>' if count else ""
    return (
        f'<details class="part" id="{escape(name)}"><summary><h2>{escape(heading)}{number}</h2></summary>'
        f'<div class="content">{body}</div></details>'
    )


def _count(section: Section) -> int:
    return len(section.queries) or len(section.items) or (len(section.table.rows) if section.table else 0)


def _overview(report: Report) -> str:
    """Return the metrics, and a plot of the change of each query."""
    tiles, compared = "", report.comparison
    if len(report.metrics) > 1 or any(report.history.values()):
        tiles = f"<dl>{''.join(_metric(metric, report) for metric in report.metrics)}</dl>"
    if compared is None:
        return tiles
    counts = f"{compared.regressed:,} regressed, {compared.improved:,} improved"
    label = f"Change of {report.primary} per query: {counts}"
    if plot := change_bars(report.cases, report.primary, label):
        caption = f"<figcaption>{escape(label)}, {compared.unchanged:,} unchanged</figcaption>"
        return f'{tiles}<figure class="card">{caption}{plot}</figure>'
    return tiles


def _metric(metric: MetricResult, report: Report) -> str:
    """Return a metric with its baseline and its history."""
    value, before = (value_text(one, metric.unit) for one in (metric.value, metric.before))
    about = [f"{metric.count:,} queries"]
    if metric.new_count:
        about.append(f"{metric.new_count:,} new: {value_text(metric.new, metric.unit)}")
    if metric.undefined:
        about.append(f"{metric.undefined:,} undefined")
    if metric.effective is not None:
        about.append(f"effective: {metric.effective:,.1f}")
    was, compared = "", report.comparison
    if metric.before is not None and compared is not None:
        was = f' <span class="was">{escape(compared.name)} {before}</span>'
    past = (*report.history.get(metric.metric, ()), metric.value)
    line = history_line(past, f"{metric.metric} in the last {len(past)} tests, now {value}")
    return (
        f"<div><dt>{escape(metric.metric)}</dt><dd><b>{'≈ ' if metric.estimated else ''}{value}</b>{was}"
        f'<span class="about">{" · ".join(about)}</span>{line}</dd></div>'
    )


def _list(found: Sequence[Item]) -> str:
    listed = []
    for item in found:
        where = f' <span class="about">{bdi(item.where)}</span>' if item.where else ""
        details = items(map(bdi, item.details))
        listed.append(f"{icon(*_MOODS[item.mood], size='small')}<div>{bdi(item.text)}{where}{details}</div>")
    return items(listed, "card list")


def _recommendations(report: Report) -> str:
    by_name = {case.name: case for case in report.cases}
    listed = []
    for one in report.recommendations:
        links = [link(name, query_title(by_name[name])) for name in one.queries if name in by_name]
        more = f" and {len(links) - 5:,} more" if len(links) > 5 else ""
        queries = f'<p class="about">{", ".join(links[:5])}{more}</p>' if links else ""
        listed.append(f"<div><b>{bdi(one.fact)}</b><p>{bdi(one.action)}</p>{queries}</div>")
    return items(listed, "card list", "ol")


def _slices(rows: Sequence[SliceResult], shown: Table, report: Report) -> str:
    """Return slices as a table, with a bar for the primary metric and a link that filters the queries."""
    largest = max((value for one in rows for value in one.values.values() if value is not None), default=1.0)
    cells = []
    for one, (name, count, *others) in zip(rows, shown.rows, strict=True):
        value, before = one.values.get(report.primary), one.before.get(report.primary)
        named = f'<a href="#all" data-find="{escape(name)}">{bdi(name)}</a>'
        cells.append((named, bdi(count), value_bar(value, before, max(largest, 1.0)), *map(bdi, others)))
    head = (*shown.head[:2], " ", *shown.head[2:])
    return table(head, cells, [number + (number > 1) for number in shown.numbers])


def content(section: Section, report: Report) -> str:
    """Return the queries, the items or the table of a section."""
    if section.queries:
        return query_table([one.case for one in section.queries], report)
    if section.table is None:
        return _list(section.items)
    if not any(section.table.head):
        return pairs((escape(name), bdi(value)) for name, value in section.table.rows)
    return shown_table(section.table)


def shown_table(shown: Table) -> str:
    """Return a table of a section."""
    return table(shown.head, (map(bdi, row) for row in shown.rows), shown.numbers)


def all_queries(report: Report, carded: set[str], room: Room) -> str:
    """Return all queries with a filter; of a very large suite those to look at and the first others."""
    shown, left_out = report.cases, ""
    if len(shown) > ROWS:
        first = carded.union(report.attention[:ROWS])
        others = [case.name for case in shown if case.name not in first]
        first.update(others[: max(ROWS - len(first), 0)])
        shown = tuple(case for case in shown if case.name in first)
        left_out = f"<p>{len(report.cases) - len(shown):,} queries are only in the JSON report.</p>"
    bodies = [None if case.name in carded else row_body(case, report, room) for case in shown]
    if len(shown) <= INLINE:
        rows = "".join(map(row, shown, repeat(report), bodies))
        return f'{_filter(report)}<ul id="rows">{rows}</ul>'
    rows = "".join(row(case, report, body and "") for case, body in zip(shown, bodies, strict=True))
    # All text in the bodies is escaped, so only their own end tags could end the script element.
    later = json.dumps(bodies, ensure_ascii=False).replace("</", "<\\/")
    data = f'<script type="application/json" id="bodies">{later}</script>'
    return f'{_filter(report)}<ul id="rows" class="long">{rows}</ul>{left_out}{data}'


def _filter(report: Report) -> str:
    words = {case_word(case) for case in report.cases} | {
        str(case.change) for case in report.cases if case.change
    }
    order = (
        "failed",
        "error",
        "regressed",
        "unknown",
        "improved",
        "unchanged",
        "new",
        "passed",
        "known miss",
    )
    states = [word for word in order if word in words]
    categories = sorted({case.category for case in report.cases if case.category})
    chosen = [("state", "All states", states), ("category", "All categories", categories)]
    fields = "".join(
        f'<select id="{name}" aria-label="{name}"><option value="">{every}</option>'
        f"{''.join(f'<option>{escape(option)}</option>' for option in options)}</select>"
        for name, every, options in chosen
        if len(options) > 1
    )
    return (
        '<div class="filter" hidden><input id="search" type="search" '
        'placeholder="Search queries, tags and targets" '
        f'aria-label="Search queries">{fields}<output id="shown" aria-live="polite"></output></div>'
    )


@cache
def _asset(name: str) -> str:
    text = (files("rankgate.reports.html") / "assets" / name).read_text(encoding="utf-8")
    return f"\n{text.strip()}\n"


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
