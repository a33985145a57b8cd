"""What a system answered, in a few lines: a whole run, a baseline, one exchange of `rankgate query`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import polars as pl

from rankgate.errors import Code, InputError, did_you_mean
from rankgate.gates.compare import Reference, as_today, match_cases
from rankgate.hit_classes import HitClass, HitCounts
from rankgate.model import Answer
from rankgate.reports.sections import Table, hit_text, target_text
from rankgate.reports.text.printable import printable
from rankgate.runs.store.hits import location_text, read_hits
from rankgate.scoring.evaluate import score
from rankgate.wording import NOTHING, figure, many, no_titles, tally

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model import Suite
    from rankgate.plugins import Exchange
    from rankgate.report import CaseResult
    from rankgate.runs.store.tables import Run
    from rankgate.truth.judgments.table import Judgments
    from rankgate.truth.locate import PlacedHit
    from rankgate.wording import TitleOf

GOOD, BAD = "✅", "❌"
_MOST = 5


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in numbers and words."""

    failed: int
    """How many queries ended as an error or a time-out."""
    text: str
    """What to print."""


def run_summary(run: Run, folder: str, notes: Sequence[str] = ()) -> RunSummary:
    """Work out what to say of a run.

    Args:
        run: what was asked.
        folder: where it is, as a person would name it.
        notes: what was lost or repeated on the way.
    """
    queries = pl.concat([shard.queries for shard in run.shards()] or [pl.DataFrame()])
    if queries.is_empty():
        return RunSummary(0, printable(f"{GOOD} {run.name}: nothing to ask; stored in {folder}") + "\n")
    counts = Counter(queries["status"].to_list())
    failed = counts[Answer.ERROR.value] + counts[Answer.TIMEOUT.value]
    head = f"{many(counts[Answer.OK.value], 'query', 'queries')} answered"
    if failed:
        late = f", {counts[Answer.TIMEOUT.value]} of them timed out" if counts[Answer.TIMEOUT.value] else ""
        head += f", {failed:,} failed{late}"
    lines = [f"{BAD if failed else GOOD} {run.name}: {head}; {many(int(queries['hits'].sum()), 'hit')}"]
    latency = queries["latency_ms"].drop_nulls()
    if len(latency):
        parts = [
            f"{name} {figure(float(latency.quantile(share, 'linear') or 0.0), 'ms')}"
            for name, share in (("p50", 0.5), ("p95", 0.95), ("max", 1.0))
        ]
        lines.append(f"  latency: {', '.join(parts)}")
    bad = queries.filter(pl.col("status") != Answer.OK.value).select("query", "error")
    lines += [f"  {query}: {error}" for query, error in bad.head(_MOST).iter_rows()]
    if bad.height > _MOST:
        lines.append(f"  … and {bad.height - _MOST} more")
    lines += [f"  {note}" for note in notes]
    lines.append(f"  stored in {folder}")
    return RunSummary(failed, "\n".join(map(printable, lines)) + "\n")


def baseline_lines(saved: Reference, system: str, suite: Suite, judgments: Judgments) -> list[str]:
    """Return what a baseline is of, and its scores under today's judgments."""
    lines = [f"{printable(suite.name)}: {many(len(saved.asked), 'query', 'queries')} of {printable(system)}"]
    run = as_today(saved.run, match_cases(suite, saved.asked)[0], saved.depth)
    scores = score(judgments, run, suite.metrics, depth=saved.depth)
    for metric in scores.metrics:
        value = scores[metric.label]
        shown = NOTHING if value is None else figure(value, metric.unit)
        counts = tally(scores.counts(metric.label))
        lines.append(f"  {metric.label} {shown}  {counts}")
    return lines + [f"  {printable(note)}" for note in saved.notes]


def ranking_lines(saved: Reference, query: str) -> list[str]:
    """List the results of a baseline for one query.

    Raises:
        InputError: for a query that it does not have.
    """
    if query not in saved.asked:
        fix = did_you_mean(query, saved.asked)
        raise InputError(Code.UNKNOWN_CASE("--query", repr(query), "the id of a case in the baseline", fix))
    hits = read_hits(saved.run, [query]).get(query, [])
    rows = [f"  {hit.rank:>3}  {printable(hit.location or '(no location)')}" for hit in hits]
    return [printable(saved.asked[query].text), *rows]


_RAW_LINES = 20
_WIDTH = 160


def exchange_text(
    found: Exchange,
    hits: Sequence[PlacedHit],
    unused: Sequence[str],
    about: Sequence[str] = (),
    titles: TitleOf = no_titles,
    *,
    raw: bool = False,
    opens: str = "",
) -> str:
    """Lay an exchange out, what is known about the system first, the part that is most often wrong last.

    Args:
        found: The exchange.
        hits: Where its hits are.
        unused: The map rules that matched nothing.
        about: What is known about the system.
        titles: Returns the heading or symbol of lines.
        raw: True to show all of what came back, and not only the first lines.
        opens: What opens the documents that hits are in; empty where they are open, or there are none.
    """
    parts = [_titled("system", "\n".join(about))] if about else []
    parts += _raw_parts(found, whole=raw)
    if found.error:
        return "".join(parts) + _titled("error", found.error)
    scores = [hit.score for hit in found.ranking.hits]
    lines = [
        f"{rank:>3}  {_location(hit, titles)}{_extras(hit, score)}"
        for rank, (hit, score) in enumerate(zip(hits, scores, strict=True), 1)
    ]
    parts.append(_titled(many(len(hits), "hit"), "\n".join(lines) or "none"))
    how = HitCounts(Counter(hit.hit_class for hit in hits), Counter(hit.strategy for hit in hits))
    return "".join(parts) + _mapping(found, how, unused, opens)


def _raw_parts(found: Exchange, *, whole: bool) -> list[str]:
    parts = (("request", found.request), ("answer, as it came", found.raw or "nothing"))
    return [_titled(title, text, whole=whole) for title, text in parts]


def _mapping(found: Exchange, how: HitCounts, unused: Sequence[str], opens: str = "") -> str:
    silent = [*found.unmatched_rules, *unused]
    unopened = f"; no documents are open: {opens} locates them" if opens else ""
    notes = [f"locations: {how}{unopened}"] if how.classes else []
    notes += [f"read: {', '.join(found.read)}"] if found.read else []
    notes += [f"rule that matched nothing: {rule}" for rule in silent]
    return _titled("mapping", "\n".join(notes)) if notes else ""


def case_text(
    case: CaseResult,
    found: Exchange,
    system: str,
    k: int,
    unused: Sequence[str],
    again: str,
    *,
    raw: bool = False,
) -> str:
    """Lay out the results of one case: what is expected, the rank of each target, and the results.

    Args:
        case: The case, with its results.
        found: The exchange with the system.
        system: The name of the system.
        k: The number of requested results.
        unused: The map rules that matched nothing.
        again: The command that shows the same, without options.
        raw: True to show the request and the whole answer.
    """
    values = {name: [one] if isinstance(one, str) else one for name, one in case.filters.items()}
    filters = ", ".join(f"{name}={'|'.join(one)}" for name, one in values.items())
    requested = f"{many(k, 'result')} requested from {system}" + (f", with {filters}" if filters else "")
    if found.error is None and case.targets:
        requested += f"; {rank_text(case.rank, case.returned)}"
    lines = [
        click.style(printable(case.query), bold=True),
        f"  {printable(case.name)}, {case.where}" if case.where else f"  {printable(case.name)}",
        f"  {printable(requested)}",
    ]
    parts = ["".join(f"{line}\n" for line in lines), *(_raw_parts(found, whole=True) if raw else ())]
    if found.error:
        parts.append(_titled("error", found.error))
    else:
        parts += _case_rows(case)
        if unused or found.unmatched_rules:
            parts.append(_mapping(found, HitCounts(), unused))
    return "".join(parts) + ("" if raw else f"the request and the raw answer: {printable(again)} --raw\n")


def _case_rows(case: CaseResult) -> Iterator[str]:
    wanted = [
        (
            f"{GOOD if target.rank else BAD} {target_text(target)}",
            target.missing or rank_text(target.rank, case.returned),
        )
        for target in case.targets
        if target.grade > 0
    ]
    yield _rows("expected", wanted or [("no relevant result", "")])
    returned = [
        (
            f"{hit.rank:>3} {hit_text(hit)}",
            "" if hit.grade is None else "duplicate" if hit.duplicate else f"grade {hit.grade:g}",
        )
        for hit in case.hits
    ]
    yield _rows(f"returned, {many(case.returned, 'result')}", returned or [("nothing", "")])
    failed = [f"{BAD} {check.check}: {check.found}" for check in case.checks if not check.passed]
    if failed:
        yield _titled("checks", "\n".join(failed))
    shown = [f"{metric} {value:.3f}" for metric, value in case.values.items() if value is not None]
    if shown:
        yield _titled("scores", ", ".join(shown))


def rank_text(rank: int | None, returned: int) -> str:
    """Return the rank of a target, or that no result reaches it."""
    return f"rank {rank}" if rank else f"not found ({many(returned, 'result')})"


def _rows(title: str, rows: Sequence[tuple[str, str]]) -> str:
    from rankgate.reports.terminal import table_lines

    lines = table_lines(Table(("", ""), tuple(rows)), entries=None, width=None)
    return click.style(title, bold=True) + "\n" + "".join(f"{line.rstrip()}\n" for line in lines)


def _titled(title: str, text: str, *, whole: bool = False) -> str:
    lines = text.splitlines()
    if whole:
        return click.style(title, bold=True) + "\n" + "".join(f"  {printable(line)}\n" for line in lines)
    shown = [printable(line)[:_WIDTH] for line in lines[:_RAW_LINES]]
    more = [f"… {len(lines) - _RAW_LINES} more lines: --raw"] if len(lines) > _RAW_LINES else []
    return click.style(title, bold=True) + "\n" + "".join(f"  {line}\n" for line in (*shown, *more))


def _location(hit: PlacedHit, titles: TitleOf) -> str:
    shown = location_text(hit.id, hit.path, hit.start, hit.end) or "a text"
    title = "" if hit.path is None else titles(hit.path, hit.start, hit.end)
    where = f" ({_WHERE[hit.hit_class]})" if hit.hit_class in _WHERE else ""
    return (f"{shown} › {title}" if title else shown) + where


_WHERE: dict[str | None, str] = {
    HitClass.FILE: "file only",
    HitClass.SEVERAL: "several locations",
    HitClass.NO_FILE: "not in the corpus",
    HitClass.PAST_END: "past the end of the file",
    HitClass.NO_TEXT: "text not in the corpus",
}


def _extras(hit: PlacedHit, score: float | None) -> str:
    name = f"  id {hit.id}" if hit.id and hit.path else ""
    return name + (f"  score {score:g}" if score is not None else "")
