"""What a system answered, in a few lines: a whole run, a baseline, one exchange of `rankgate ask`."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click
import polars as pl

from rankgate.errors import InputError, Problem, did_you_mean
from rankgate.gates.wording import figure, tally
from rankgate.model.placing import HitClass, HitCounts
from rankgate.model.verdict import Answer
from rankgate.model.wording import many
from rankgate.reports.rankings import hit_text
from rankgate.reports.text.marks import BAD, GOOD, NOTHING
from rankgate.reports.text.printable import printable
from rankgate.runs.store.hits import location_text, read_hits
from rankgate.scoring.repeats import score_all

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Suite
    from rankgate.model.systems import Exchange
    from rankgate.runs.baseline import Baseline
    from rankgate.runs.store.tables import Run
    from rankgate.truth.judgments.table import Judgments
    from rankgate.truth.locations.locate import PlacedHit

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


def baseline_lines(baseline: Baseline, suite: Suite, judgments: Judgments) -> list[str]:
    """Return whose rankings they are, and what they score under today's judgments."""
    about = baseline.about
    system = f"{about.system}, {about.version}" if about.version else about.system
    rankings = many(len(baseline.asked), "ranking")
    times = f", each asked {about.times} times; a query's value is its mean" if about.times else ""
    lines = [f"{printable(about.suite)}: {rankings} of {printable(system)}{times}"]
    scores = score_all(judgments, (baseline.run, *baseline.repeats), suite.metrics, about.k)
    for metric in scores.metrics:
        value = scores[metric.label]
        shown = NOTHING if value is None else figure(value, metric.unit)
        lines.append(f"  {metric.label} {shown}  {tally(scores.counts(metric.label))}")
    return lines + [f"  {printable(note)}" for note in getattr(baseline.run, "notes", ())]


def ranking_lines(baseline: Baseline, query: str) -> list[str]:
    """List what a baseline has for one query.

    Raises:
        InputError: for a query that it does not have.
    """
    if query not in baseline.asked:
        fix = did_you_mean(query, baseline.asked)
        raise InputError(Problem("--query", repr(query), "the id of a case in the baseline", fix))
    lines = [printable(baseline.asked[query].text)]
    every = [read_hits(run, [query]).get(query, []) for run in (baseline.run, *baseline.repeats)]
    for time, hits in enumerate(every, 1):
        if time > 1 and hits == every[0]:
            continue
        lines += [f"time {time} of {len(every)}"] if any(one != hits for one in every) else []
        lines += [f"  {hit.rank:>3}  {printable(hit_text(hit))}" for hit in hits]
    return lines


_RAW_LINES = 20
_WIDTH = 160


def exchange_text(
    found: Exchange,
    hits: Sequence[PlacedHit],
    unused: Sequence[str],
    about: Sequence[str] = (),
) -> str:
    """Lay an exchange out, what is known about the system first, the part that is most often wrong last."""
    parts = [_titled("system", "\n".join(about))] if about else []
    parts += [_titled("request", found.request), _titled("answer, as it came", found.raw or "nothing")]
    if found.error:
        return "".join(parts) + _titled("error", found.error)
    scores = [hit.score for hit in found.ranking.hits]
    lines = [
        f"{rank:>3}  {_location(hit)}{_extras(hit, score)}"
        for rank, (hit, score) in enumerate(zip(hits, scores, strict=True), 1)
    ]
    parts.append(_titled(many(len(hits), "hit"), "\n".join(lines) or "none"))
    how = HitCounts(Counter(hit.hit_class for hit in hits), Counter(hit.strategy for hit in hits))
    silent = [*found.unmatched_rules, *unused]
    notes = [f"locations: {how}"] if hits else []
    notes += [f"read: {', '.join(found.read)}"] if found.read else []
    notes += [f"rule that matched nothing: {rule}" for rule in silent]
    return "".join(parts) + (_titled("mapping", "\n".join(notes)) if notes else "")


def _titled(title: str, text: str) -> str:
    lines = text.splitlines()
    shown = [printable(line)[:_WIDTH] for line in lines[:_RAW_LINES]]
    more = [f"… {len(lines) - _RAW_LINES} more lines"] if len(lines) > _RAW_LINES else []
    return click.style(title, bold=True) + "\n" + "".join(f"  {line}\n" for line in (*shown, *more))


def _location(hit: PlacedHit) -> str:
    shown = location_text(hit.id, hit.path, hit.start, hit.end) or "a text"
    if hit.hit_class in (HitClass.EXACT, HitClass.OPAQUE):
        return shown
    return f"{shown} ({_WHERE[hit.hit_class]})"


_WHERE = {
    HitClass.FILE: "file only",
    HitClass.SEVERAL: "several locations",
    HitClass.NO_FILE: "not in the corpus",
    HitClass.PAST_END: "past the end of the file",
    HitClass.NO_TEXT: "text not in the corpus",
}


def _extras(hit: PlacedHit, score: float | None) -> str:
    name = f"  id {hit.id}" if hit.id and hit.path else ""
    return name + (f"  score {score:g}" if score is not None else "")
