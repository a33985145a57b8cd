"""What a report shows, in which order: the first screen, and the sections below it.

Every renderer for people arranges these. They are plain text, which each renderer escapes. A section without
content does not exist.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate import headline
from rankgate.headline import WORSE, change_text
from rankgate.report import CaseState, Change, GateState, State
from rankgate.wording import many, value_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from rankgate.report import CaseResult, ProbeReport, Report, ShownHit, ShownTarget, SliceResult

MARKS = {"good": "✓", "bad": "✗", "warning": "!", "": " "}
"""The sign of an item by its mood."""
_DETAILS = 20
"""The number of details that a report lists of a change of the test."""


@dataclass(frozen=True, slots=True)
class QueryItem:
    """A query that a report shows."""

    case: CaseResult
    title: str
    """The query, shortened."""
    change: str
    """What happened: ``rank 1 → 4``, ``error``."""
    where: str
    details: tuple[tuple[str, str], ...] = ()
    """Pairs of a label and a text, such as expected and the location."""

    @property
    def line(self) -> str:
        """The change in one line, with the first result: of a test that passed."""
        first = self.case.first
        if self.case.state is CaseState.ERROR:
            return headline.error_text(self.case, "not tested")
        if first is None or self.case.rank == 1:
            return self.change
        return f"{self.change}, first now: {hit_text(first)}"


@dataclass(frozen=True, slots=True)
class Item:
    """A line of a section."""

    text: str
    mood: str = ""
    """`good`, `bad`, `warning` or empty."""
    details: tuple[str, ...] = ()
    where: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A table of a section."""

    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    numbers: tuple[int, ...] = ()
    """The columns that hold numbers."""


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a report below the first screen, with one of a table, queries or items."""

    name: str
    """Its key, such as ``slices``."""
    title: str
    table: Table | None = None
    queries: tuple[QueryItem, ...] = ()
    items: tuple[Item, ...] = ()
    more: int = 0
    """The number of entries that are left out."""


@dataclass(frozen=True, slots=True)
class FirstScreen:
    """What a reader sees first."""

    state: State
    headline: str
    numbers: str
    """The line of figures; empty if there are none."""
    problems: tuple[str, ...] = ()
    """What is wrong with the suite, the call or the system; a text may have several lines."""
    facts: tuple[str, ...] = ()
    """What else must be seen, a line each."""
    queries: tuple[QueryItem, ...] = ()
    """The queries to look at, worst first."""
    gates: tuple[Item, ...] = ()
    """The gates that did not pass."""
    probes: tuple[Item, ...] = ()
    """Scenarios and invariants that failed."""
    changes: tuple[str, ...] = ()
    """How the suite differs from the baseline, and which targets moved."""
    test: Section | None = None
    """How the test differs from that of the base commit."""
    next: tuple[str, ...] = ()
    """The commands to run next."""
    files: tuple[tuple[str, str], ...] = ()
    """The files that were written, as pairs of a name and a path."""

    @property
    def quiet(self) -> bool:
        """Whether nothing failed: queries are then shown in one line each."""
        return self.state in (State.PASSED, State.NO_GATES, State.NOT_TESTED)


def first_screen(report: Report) -> FirstScreen:
    """Return the first screen of a report."""
    believed = report.state not in (State.SYSTEM_FAILED, State.CRASHED, State.NOT_TESTED)
    queries = tuple(queries_to_show(report)) if believed else tuple(_errors(report))
    shown = [one.case.name for one in queries]
    return FirstScreen(
        state=report.state,
        headline=headline.headline(report),
        numbers=headline.numbers(report),
        problems=report.problems,
        facts=headline.fact_lines(report),
        queries=queries,
        gates=tuple(_open_gates(report, shown)) if believed else (),
        probes=tuple(
            probe_item(probe, kind)
            for kind, probes in (("scenario", report.scenarios), ("invariant", report.invariants))
            for probe in probes
            if headline.is_failed(probe) or probe.state is CaseState.ERROR
        ),
        changes=headline.suite_changes(report),
        test=test_changes(report) if report.changes else None,
        next=report.next,
        files=tuple(report.files.items()),
    )


def test_changes(report: Report) -> Section:
    """Return how the test differs from that of the base commit; a single detail is in its line."""
    items = []
    for one in report.changes:
        more = len(one.details) - _DETAILS
        details = (*one.details[:_DETAILS], *((f"… {more:,} more",) if more > 0 else ()))
        alone = len(details) == 1
        items.append(Item(f"{one.change}: {details[0]}") if alone else Item(one.change, details=details))
    return Section("test", "Changes to the test", items=tuple(items))


def queries_to_show(report: Report) -> Iterator[QueryItem]:
    """Return the queries that need attention; without any, those that explain the failed gates."""
    cases = {case.name: case for case in report.cases}
    gates = [gate.text for gate in report.gates]
    names = report.attention or tuple(
        name for gate in report.gates if gate.state is GateState.FAILED for name in gate.queries
    )
    for name in dict.fromkeys(names):
        if name in cases:
            yield query_item(cases[name], report.primary, gates)


def _errors(report: Report) -> Iterator[QueryItem]:
    for case in report.cases:
        if case.state is CaseState.ERROR:
            yield query_item(case, report.primary)


def query_item(case: CaseResult, primary: str = "", shown: Collection[str] = ()) -> QueryItem:
    """Return a query with what happened to it, without the reasons that are shown elsewhere."""
    return QueryItem(
        case,
        headline.query_title(case),
        headline.rank_text(case, primary),
        case.where,
        tuple(_details(case, shown)),
    )


def _details(case: CaseResult, shown: Collection[str]) -> Iterator[tuple[str, str]]:
    if case.state is CaseState.ERROR:
        yield from (("failed", reason) for reason in case.reasons if reason not in shown)
        return
    if expected := expected_text(case):
        yield "expected", expected
    first = case.first
    if first is not None and case.rank != 1:
        yield "first", hit_text(first)
    if case.overlap is not None and case.overlap.first != (first.location if first else ""):
        yield "instead of", f"{case.overlap.first or 'no results'} ({case.overlap.name})"
    if case.change is Change.UNKNOWN and case.unjudged is not None:
        yield "unknown", f"{case.unjudged:,} of {many(case.top, 'result')} unjudged"
    if headline.is_failed(case):
        yield from (("failed", reason) for reason in case.reasons if reason not in shown)
    if case.unstable and case.change in WORSE:
        yield "unstable", "two runs of the baseline differ"


def expected_text(case: CaseResult) -> str:
    """Return the expected result to show, with its own rank if that of the query is about another one."""
    target = headline.expected_target(case)
    if target is None:
        return ""
    if (target.before, target.rank) == (case.rank_before, case.rank):
        return target_text(target)
    before = f"rank {target.before} → " if target.before not in (None, target.rank) else ""
    now = "not found" if target.rank is None else f"{target.rank}" if before else f"rank {target.rank}"
    return f"{target_text(target)} ({before}{now})"


def target_text(target: ShownTarget) -> str:
    """Return a target with its title: ``auth/keys.md:10-24 › Rotation``."""
    return _titled(target.location, target.title)


def hit_text(hit: ShownHit) -> str:
    """Return a result with its title, or the start of its text if it has no location."""
    return (
        _titled(hit.location, hit.title) or " ".join(hit.text.split())[:80] or "a result without a location"
    )


def _titled(location: str, title: str) -> str:
    if not title or location.endswith((f"#{title}", f"::{title}")):
        return location
    return f"{location} › {title}" if location else title


@dataclass(frozen=True, slots=True)
class HitChange:
    """A result of a query, and how its rank changed."""

    sign: str
    """`+` if it is new, `-` if it is gone, `!` if its rank changed, else a space."""
    ranks: str
    text: str
    expected: bool


def hit_changes(case: CaseResult, most: int = 10) -> tuple[HitChange, ...]:
    """Return the results whose rank changed, each once, and the expected ones."""
    found = []
    for hit in case.hits[:most]:
        expected = bool(hit.targets) and bool(hit.grade is None or hit.grade > 0)
        sign = "+" if hit.before is None else "!" if hit.before != hit.rank else " "
        if sign != " " or expected:
            ranks = f"{hit.before or 'new'} → {hit.rank}" if sign != " " else f"{hit.rank}"
            found.append(HitChange(sign, ranks, hit_text(hit), expected))
    still = {hit.before for hit in case.hits}
    for hit in case.hits_before[:most]:
        if hit.rank not in still:
            expected = bool(hit.targets) and bool(hit.grade is None or hit.grade > 0)
            found.append(HitChange("-", f"{hit.rank} → gone", hit_text(hit), expected))
    return tuple(found)


def _open_gates(report: Report, shown: Sequence[str]) -> Iterator[Item]:
    """Return the gates that failed or are inconclusive; queries that are listed above are not named again.

    Gates over nothing are among the problems.
    """
    moods = {GateState.FAILED: "bad", GateState.INCONCLUSIVE: "warning"}
    for gate in report.gates:
        if gate.state in moods:
            named = () if tuple(gate.queries) == tuple(shown) else headline.titles(report, gate.queries)
            text = headline.gate_text(gate, named)
            if gate.state is not GateState.FAILED and not text.startswith(str(gate.state)):
                text = f"{gate.state}: {text}"
            yield Item(text, moods[gate.state], where=gate.where)


def probe_item(probe: ProbeReport, kind: str) -> Item:
    """Return a scenario or an invariant."""
    state = "not run" if probe.state is None else str(probe.state)
    mood = "" if probe.state is None else "good" if probe.state is CaseState.PASSED else "bad"
    if probe.known is not None and not probe.known.passes:
        state, mood = f"known miss: {probe.known.reason}", ""
    return Item(f"{kind} {probe.name}: {state}", mood, probe.reasons, probe.where)


# --- the sections below the first screen -----------------------------------------------------------------


def further_sections(
    report: Report, *, queries: int | None = None, shown: Collection[str] = ()
) -> tuple[Section, ...]:
    """Return the sections below the first screen that have content.

    Args:
        report: The report.
        queries: The number of queries to list per section; all without it.
        shown: The names of the cases that the first screen shows in full.
    """
    found = (
        _metrics(report),
        _gates(report),
        _changed(report, queries, shown),
        _lowest(report, queries),
        *_slices(report),
        _missing(report),
        _probes(report),
        _known(report),
        _recommendations(report),
        _notes(report),
        _provenance(report),
    )
    return tuple(
        one for one in found if one.items or one.queries or (one.table is not None and one.table.rows)
    )


def _metrics(report: Report) -> Section:
    name = report.comparison.name if report.comparison is not None else ""
    compared = any(metric.before is not None for metric in report.metrics)
    new = any(metric.new_count for metric in report.metrics)
    head = (
        "metric",
        "value",
        *((name,) if compared else ()),
        "queries",
        *(("new queries",) if new else ()),
    )
    rows = []
    for metric in report.metrics:
        value = ("≈ " if metric.estimated else "") + value_text(metric.value, metric.unit)
        count = f"{metric.count:,}"
        if metric.effective is not None:
            count += f" (effective: {metric.effective:,.1f})"
        if metric.undefined:
            count += f" ({metric.undefined:,} undefined)"
        row = [metric.metric, value, *([value_text(metric.before, metric.unit)] if compared else []), count]
        if new:
            row.append(
                f"{value_text(metric.new, metric.unit)} ({metric.new_count:,})" if metric.new_count else ""
            )
        rows.append(tuple(row))
    return Section("metrics", "Metrics", Table(head, tuple(rows), tuple(range(1, len(head)))))


def _gates(report: Report) -> Section:
    rows = []
    for gate in report.gates:
        text = headline.gate_text(gate, headline.titles(report, gate.queries))
        about = "; ".join(filter(None, (text, "holds by default" if gate.default else "")))
        rows.append(
            (
                gate.gate,
                str(gate.state),
                value_text(gate.value, gate.unit, gate.threshold),
                f"{gate.count:,}",
                about,
            )
        )
    return Section(
        "gates", "Gates", Table(("gate", "state", "value", "count", "result"), tuple(rows), (2, 3))
    )


def _listed(name: str, title: str, cases: Iterable[CaseResult], report: Report, most: int | None) -> Section:
    cases = list(cases)
    shown = cases if most is None else cases[:most]
    items = tuple(query_item(case, report.primary) for case in shown)
    return Section(name, title, queries=items, more=len(cases) - len(shown))


def _changed(report: Report, most: int | None, shown: Collection[str]) -> Section:
    """Return the queries that failed or changed: those that need attention first, then improved ones."""
    order = {name: at for at, name in enumerate(report.attention)}
    cases = [
        case
        for case in report.cases
        if (case.name in order or case.change is Change.IMPROVED) and case.name not in shown
    ]
    cases.sort(key=lambda case: order.get(case.name, len(order)))
    failed = any(headline.is_failed(case) or case.state is CaseState.ERROR for case in cases)
    changed = any(case.change in (*WORSE, Change.IMPROVED) for case in cases)
    title = (
        "Failed and changed queries"
        if failed and changed
        else f"{'Changed' if changed else 'Failed'} queries"
    )
    return _listed("queries", title, cases, report, most)


def _lowest(report: Report, most: int | None) -> Section:
    """Return the queries with the lowest values that are in no other list, the lowest first."""
    attention = set(report.attention)
    cases = [
        (value, case)
        for case in report.cases
        if case.name not in attention
        and case.known is None
        and (value := case.values.get(report.primary)) is not None
        and value < 1
    ]
    cases.sort(key=lambda pair: pair[0])
    limit = LOWEST if most is None else min(most, LOWEST)
    title = "Other lowest queries" if attention else "Lowest queries"
    return _listed("lowest", title, [case for _, case in cases], report, limit)


LOWEST = 10
"""The number of lowest queries that a report lists."""


def _slices(report: Report) -> Iterator[Section]:
    """Return a table per key, with every metric."""
    names = [metric.metric for metric in report.metrics]
    units = {metric.metric: metric.unit for metric in report.metrics}
    for key in dict.fromkeys(one.key for one in report.slices):
        rows = [one for one in report.slices if one.key == key]
        counted = [column for column in ("failed", "regressed") if any(getattr(one, column) for one in rows)]
        table = Table(
            (key, "queries", *names, *counted),
            tuple(
                (
                    one.name,
                    f"{one.count:,}",
                    *(_slice_value(one, name, units[name]) for name in names),
                    *(f"{getattr(one, column):,}" for column in counted),
                )
                for one in rows
            ),
            tuple(range(1, 2 + len(names) + len(counted))),
        )
        yield Section(
            f"slices-{key}", {"category": "Categories", "tag": "Tags"}.get(key, f"Filter {key}"), table
        )


def _slice_value(one: SliceResult, metric: str, unit: str) -> str:
    value, before = one.values.get(metric), one.before.get(metric)
    return value_text(value, unit) if before is None or before == value else change_text(before, value, unit)


def _missing(report: Report) -> Section:
    items = [
        Item(f"{target.location}: {target.missing}", "warning", where=case.where)
        for case in report.cases
        for target in case.targets
        if target.missing
    ]
    return Section("missing", "Missing targets", items=tuple(items))


def _probes(report: Report) -> Section:
    items = [probe_item(probe, "scenario") for probe in report.scenarios]
    items += [probe_item(probe, "invariant") for probe in report.invariants]
    return Section("probes", "Scenarios and invariants", items=tuple(items))


def _known(report: Report) -> Section:
    items = []
    found: list[tuple[str, CaseResult | ProbeReport]]
    found = [(headline.query_title(case), case) for case in report.cases if case.known is not None]
    found += [(probe.name, probe) for probe in (*report.scenarios, *report.invariants)]
    for name, one in found:
        if one.known is not None:
            until = f" (until {one.known.until})" if one.known.until else ""
            passes = "; passes now: remove xfail" if one.known.passes else ""
            mood = "warning" if one.known.passes else ""
            items.append(Item(f"{name}: {one.known.reason}{until}{passes}", mood, where=one.where))
    return Section("known", "Known misses", items=tuple(items))


def _recommendations(report: Report) -> Section:
    items = []
    for one in report.recommendations:
        queries = headline.titles(report, one.queries)
        details = (one.action, *((headline.names_text(queries, 5),) if queries else ()))
        items.append(Item(one.fact, details=details))
    return Section("recommendations", "Recommendations", items=tuple(items))


def _notes(report: Report) -> Section:
    compared, notes = report.comparison, list(report.notes)
    if compared is not None and compared.unlocated:
        name = headline.reference_text(compared.name)
        notes.append(f"{many(compared.unlocated, 'result')} of {name} can't be located in the documents")
    if compared is not None and compared.unstable:
        notes.append(f"unstable: {headline.names_text(headline.titles(report, compared.unstable), 20)}")
    return Section("notes", "Notes", items=tuple(Item(note) for note in notes))


def _provenance(report: Report) -> Section:
    facts: Mapping[str, str] = {**report.provenance, **({"time": report.time} if report.time else {})}
    return Section("provenance", "Provenance", Table(("", ""), tuple(facts.items())))
