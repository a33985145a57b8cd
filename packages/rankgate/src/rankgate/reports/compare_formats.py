"""The report of a comparison for a terminal, as Markdown, JSON and an HTML page."""

from __future__ import annotations

import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Final

from rankgate.headline import query_title, rank_text
from rankgate.report import Change, MetricResult, Report, State
from rankgate.reports.compare import (
    DEPTH,
    FEWEST,
    Finding,
    errors_text,
    figures,
    finding_text,
    measured_text,
)
from rankgate.reports.sections import QueryItem, Section, Table, hit_text, query_item
from rankgate.reports.text.printable import printable, printable_json
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.report import CaseResult
    from rankgate.reports.compare import ComparedMetric, ComparedPair, CompareReport

SHOWN: Final = 3
"""The number of regressed and of improved queries that a terminal shows without `details`."""
LISTED: Final = 100
"""The number that it shows with `details`, and that Markdown lists."""
CARDS: Final = 10
"""The number of regressed and of improved queries that the page shows as cards."""
_NAME: Final = 24
_COUNTS: Final = ("improved", "regressed", "unchanged")
_HEAD: Final = ("metric", "before → after", "difference", "95 % interval", "p", *_COUNTS, "finding")


def render(report: CompareReport, style: str, *, details: bool = False) -> str:
    """Return a comparison for a terminal, with `details` if wanted, or as markdown, json or html."""
    if style == "terminal":
        return terminal(report, details=details)
    if style == "json":
        return printable_json(asdict(report))
    return {"markdown": markdown, "html": html}[style](report)


# --- what all formats show -------------------------------------------------------------------------------


def headline(pair: ComparedPair) -> str:
    """Return the first line of a pair: the first metric, and what the test shows."""
    names = f"{pair.after} compared with {pair.before}"
    if not pair.metrics:
        return f"{names}: no query has values in both"
    first = pair.metrics[0]
    before, after, difference, *_ = figures(first)
    return f"{names}: {first.metric} {before} → {after} ({difference}), {finding_text(first)}"


def facts(pair: ComparedPair, compared: int) -> Iterator[str]:
    """Return the lines below the headline; `compared` is the number of pairs of the report."""
    counts = [f"{len(pair.changed(change)):,} {change}" for change in _CHANGES] if pair.cases else []
    line = f"{many(pair.queries, 'query', 'queries')} compared" + (f": {', '.join(counts)}" if counts else "")
    if pair.left_out:
        line += f"; {pair.left_out:,} left out (not in both, or with estimated judgments)"
    yield f"{line}; {pair.gone:,} left out (missing targets)" if pair.gone else line
    if (same := pair.agreement) is not None:
        top = f"top {DEPTH} unchanged in {same.same:,} of {many(same.queries, 'query', 'queries')}"
        yield f"{top} · RBO {same.rbo:.3f} · overlap@{DEPTH} {same.overlap:.3f}"
    if any(metric.finding is Finding.INCONCLUSIVE for metric in pair.metrics):
        yield f"inconclusive: fewer than {FEWEST} queries, or groups of queries, differ"
    if compared > 1 and pair.metrics:
        yield f"p of {pair.metrics[0].metric} is adjusted by Holm's rule for {compared} comparisons"
    yield from errors_text(pair)


def detectable(pair: ComparedPair) -> str:
    """Return the smallest differences that these queries would show; empty if none is known."""
    known = [
        f"{metric.metric} {measured_text(metric.detectable, metric.unit)}"
        + ("" if metric.wins or metric.losses else " if queries change by the whole range")
        for metric in pair.metrics
        if metric.detectable is not None
    ]
    return f"smallest detectable difference (80 % power): {', '.join(known)}" if known else ""


def unjudged(pair: ComparedPair) -> str:
    """Return how many results of the second system are new and not judged; empty without any."""
    cases = [one.case for one in pair.unjudged if one.side == "after"]
    queries = many(len(set(cases)), "query", "queries")
    return f"{many(len(cases), 'new unjudged result')} in {queries}" if cases else ""


def metric_table(metrics: Sequence[ComparedMetric]) -> Table:
    """Return the table of metrics."""
    rows = []
    for metric in metrics:
        before, after, *rest = figures(metric)
        rows.append((metric.metric, f"{before} → {after}", *rest, finding_text(metric)))
    return Table(_HEAD, tuple(rows), tuple(range(1, len(_HEAD) - 1)))


def summary_table(report: CompareReport) -> Table:
    """Return the first metric of every pair, the best system first."""
    found = [(pair, pair.metrics[0]) for pair in report.pairs if pair.metrics]
    found.sort(key=lambda one: one[1].after if one[1].less_is_better else -one[1].after)
    rows = []
    for pair, metric in found:
        before, after, difference, interval, p, *_ = figures(metric)
        name = printable(pair.after, _NAME)
        rows.append((name, f"{before} → {after}", difference, interval, p, finding_text(metric)))
    label = found[0][1].metric if found else ""
    head = ("system", label, "difference", "95 % interval", "p (Holm)", "finding")
    return Table(head, tuple(rows), (1, 2, 3, 4))


_CHANGES = (Change.REGRESSED, Change.IMPROVED, Change.UNCHANGED)


def _items(pair: ComparedPair, change: Change) -> list[QueryItem]:
    """Return the queries with a change, each with the first result of both systems."""
    found = []
    for case in pair.changed(change):
        firsts = zip(pair.sides, (_first(case.hits_before), _first(case.hits)), strict=True)
        details = tuple((printable(name, _NAME), text) for name, text in firsts if text)
        found.append(QueryItem(case, query_title(case), rank_text(case, pair.primary), case.where, details))
    return found


def _first(hits: Sequence[object]) -> str:
    return hit_text(hits[0]) if hits else ""  # type: ignore[arg-type]


# --- terminal --------------------------------------------------------------------------------------------


def terminal(report: CompareReport, *, details: bool = False) -> str:
    """Return a comparison for a terminal."""
    from click import style

    from rankgate.reports.terminal import line_width, section_lines, written

    width = line_width(sys.stdout)
    lines: list[str] = []
    if len(report.pairs) > 1:
        title = f"{many(len(report.pairs), 'system')} compared with {report.pairs[0].before}"
        lines += [*section_lines(Section("summary", title, summary_table(report)), width), ""][1:]
    for number, pair in enumerate(report.pairs):
        lines += [""] if number else []
        lines.append(style(printable(headline(pair)), bold=True))
        lines += [f"  {printable(line)}" for line in facts(pair, len(report.pairs))]
        for section in _terminal_sections(pair, LISTED if details else SHOWN):
            lines += section_lines(section, width)
        more = [detectable(pair), unjudged(pair)] if details else []
        if notes := [*filter(None, more), *pair.notes]:
            lines += ["", *(f"  {printable(note)}" for note in notes)]
    if not details:
        lines += ["", "  more: --details, or all queries: --format html -o compare.html"]
    return written(lines, sys.stdout)


def _terminal_sections(pair: ComparedPair, most: int) -> Iterator[Section]:
    if pair.metrics:
        yield Section("metrics", "metrics", metric_table(pair.metrics))
    if pair.answered:
        yield Section("answered", "without the queries that ended in an error", metric_table(pair.answered))
    for change in _CHANGES[:2]:
        if items := _items(pair, change):
            yield Section(str(change), str(change), queries=tuple(items[:most]), more=len(items[most:]))


# --- Markdown --------------------------------------------------------------------------------------------


def markdown(report: CompareReport) -> str:
    """Return a comparison as GitHub Markdown."""
    from rankgate.reports.markdown import section_body
    from rankgate.reports.text.github import Escapes

    by, parts = Escapes(line=2000, name=500), []
    if len(report.pairs) > 1:
        title = f"{many(len(report.pairs), 'system')} compared with {report.pairs[0].before}"
        parts += [
            f"# {by.text(title)}",
            section_body(Section("summary", "", summary_table(report)), by, LISTED),
        ]
    for pair in report.pairs:
        parts.append(f"{'##' if len(report.pairs) > 1 else '#'} {by.text(headline(pair))}")
        lines = [*facts(pair, len(report.pairs)), detectable(pair), unjudged(pair), *pair.notes]
        parts.append("\n".join(f"- {by.text(line)}" for line in lines if line))
        firsts = {name: f"first of {name}" for name in (printable(side, _NAME) for side in pair.sides)}
        for section in _terminal_sections(pair, LISTED):
            parts += [f"### {by.title(section.title)}", section_body(section, by, LISTED, firsts)]
    return "\n\n".join(parts) + "\n"


# --- the page --------------------------------------------------------------------------------------------

_LOOKS = {
    Finding.BETTER: ("up", "good"),
    Finding.WORSE: ("down", "bad"),
    Finding.INCONCLUSIVE: ("question", "warn"),
}


def html(report: CompareReport) -> str:
    """Return a comparison as one HTML file, without network requests."""
    from rankgate.reports.html.markup import bdi, escape, items
    from rankgate.reports.html.page import all_queries, document, folded, part, shown_table
    from rankgate.reports.html.plots import change_bars
    from rankgate.reports.html.queries import Room, card

    first, several = report.pairs[0], len(report.pairs) > 1
    pages = [_page(report, pair, several=several) for pair in report.pairs]
    whole = replace(pages[0], cases=tuple(case for page in pages for case in page.cases))

    def table(shown: Table) -> str:
        return f'<div class="card">{shown_table(shown)}</div>'

    def lines(pair: ComparedPair) -> str:
        return items((bdi(line) for line in facts(pair, len(report.pairs))), "lines")

    room = Room(sides=(first.sides[0], "now" if several else first.sides[1]))
    body = [part("summary", "Systems", table(summary_table(report)))] if several else []
    carded: set[str] = set()
    for number, (pair, page) in enumerate(zip(report.pairs, pages, strict=True)):
        about = f"<p>{escape(headline(pair))}</p>{lines(pair)}" if several else ""
        about += table(metric_table(pair.metrics)) if pair.metrics else ""
        if pair.answered:
            about += f"<p>Without the queries that ended in an error:</p>{table(metric_table(pair.answered))}"
        label = f"Change of {pair.primary} per query"
        if plot := change_bars(page.cases, pair.primary, label):
            about += f'<figure class="card"><figcaption>{escape(label)}</figcaption>{plot}</figure>'
        body.append(part(f"pair-{number}", pair.after if several else "Metrics", about))
        for change in _CHANGES[:2]:
            shown = [case for case in page.cases if case.change is change]
            cards = [card(query_item(case, pair.primary), page, room) for case in shown[:CARDS]]
            carded.update(case.name for case in shown[:CARDS])
            title = f"{str(change).capitalize()} queries" + (f" of {pair.after}" if several else "")
            body += [part(f"{change}-{number}", title, "".join(cards), len(shown))] if cards else []
    if whole.cases:
        body.append(folded("all", "All queries", all_queries(whole, carded, room), len(whole.cases)))
    noted = dict.fromkeys(
        line for pair in report.pairs for line in (detectable(pair), unjudged(pair), *pair.notes) if line
    )
    if noted:
        body.append(folded("notes", "Notes", items(map(bdi, noted), "lines")))
    title = f"{len(report.pairs):,} systems compared with {first.before}" if several else headline(first)
    found = first.metrics[0].finding if first.metrics and not several else Finding.UNCHANGED
    verdict = f"<h1>{escape(title)}</h1>{'' if several else lines(first)}"
    looks = _LOOKS.get(found, ("dash", "muted"))
    return document("Comparison", report.suite, "", looks, verdict, "".join(body))


def _page(report: CompareReport, pair: ComparedPair, *, several: bool) -> Report:
    """Return the report of a test that the page's parts arrange, with the first system as the baseline."""
    metrics = (
        MetricResult(metric=one.metric, value=one.after, before=one.before, count=pair.queries, unit=one.unit)
        for one in pair.metrics
    )
    return Report(
        suite=report.suite,
        system=pair.after,
        state=State.NO_GATES,
        exit_code=0,
        primary=pair.primary,
        metrics=tuple(metrics),
        cases=tuple(_of(case, pair.after) if several else case for case in pair.cases),
    )


def _of(case: CaseResult, system: str) -> CaseResult:
    """Return a case under a name and in a category of its own for each system."""
    return replace(case, name=f"{system}: {case.name}", category=system)
