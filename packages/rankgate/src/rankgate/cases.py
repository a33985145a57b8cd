"""Everything that is known about one case."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import polars as pl

from rankgate.gates.decide import Tested
from rankgate.gates.language import EPS, Gate, Kind
from rankgate.model import PROPOSED, Case, XFail
from rankgate.report import (
    CaseResult,
    CaseState,
    Change,
    GateResult,
    GateState,
    KnownMiss,
    Overlap,
    ShownCheck,
    ShownHit,
    ShownTarget,
)
from rankgate.runs.store.hits import HitRow, kept_texts, location_text, read_hits
from rankgate.runs.store.tables import Run
from rankgate.scoring.placements import JudgedHits
from rankgate.suites.asked_suite import source_kind
from rankgate.truth.judgments.checks import GONE
from rankgate.truth.judgments.table import Judgments
from rankgate.truth.resolve import GoneLocation

DETAILED = 200
"""The number of queries that are reported with all their results; of the others, the first one is."""
_TEXT = 500
"""The number of characters of a result's text, and of each of its fields, in a report."""
_IMAGE = 32_768
"""The same for an image in a `data:` URL. A larger one is left out, because a part of it is no image."""


def case_results(tested: Tested, gates: Sequence[tuple[Gate, GateResult]]) -> tuple[CaseResult, ...]:
    """Return everything that is known about each case, in the order of the suite."""
    comparison = tested.comparison
    label = tested.scores.metrics[0].label
    fell = np.zeros(len(tested.suite.cases)) if comparison is None else comparison.fell(label, tested.scores)
    about = _Answers.of(tested)
    bare = [_bare(tested, at, float(fell[at]), gates, about) for at in range(len(tested.suite.cases))]
    bare = _with_overlap(bare, tested, gates)
    first = attention(bare, [result for _, result in gates], label)
    lowest = sorted(bare, key=lambda one: math.inf if (value := one.values.get(label)) is None else value)
    return _with_hits(tested, bare, list(dict.fromkeys((*first, *(one.name for one in lowest))))[:DETAILED])


def _with_overlap(
    cases: Sequence[CaseResult], tested: Tested, gates: Sequence[tuple[Gate, GateResult]]
) -> list[CaseResult]:
    """Add what results have in common to the cases that a failed `overlap` or `rbo` gate names."""
    found: dict[str, Overlap] = {}
    for gate, result in gates:
        reference = tested.references.get(gate.against)
        if gate.kind not in (Kind.OVERLAP, Kind.RBO) or not result.queries or reference is None:
            continue
        k = int(gate.k or tested.depth)
        now, before = read_hits(tested.run, result.queries, k), read_hits(reference.run, result.queries, k)
        for name in result.queries:
            new, old = ({hit.identity: hit for hit in hits.get(name, ())} for hits in (now, before))
            overlap = Overlap(
                name=gate.against or reference.name,
                common=len(new.keys() & old.keys()),
                of=max(len(new), len(old)),
                first=next((hit.location or "a result without a location" for hit in old.values()), ""),
            )
            found.setdefault(name, overlap)
    return [replace(case, overlap=found.get(case.name)) for case in cases]


def attention(cases: Sequence[CaseResult], gates: Sequence[GateResult], label: str) -> tuple[str, ...]:
    """Name the cases to look at: failed or regressed, worst first, errors, then those of failed gates."""

    def fell(case: CaseResult) -> float:
        before, now = case.before.get(label), case.values.get(label)
        return 0.0 if before is None or now is None else abs(before - now)

    worse = [one for one in cases if one.state is CaseState.FAILED or is_regressed(one)]
    errors = [one.name for one in cases if one.state is CaseState.ERROR]
    changed = [
        one.name for one in sorted(worse, key=lambda one: -fell(one)) if one.state is not CaseState.ERROR
    ]
    named = [name for gate in gates if gate.state is GateState.FAILED for name in gate.queries]
    known = {one.name for one in cases}
    return tuple(dict.fromkeys(name for name in (*changed, *errors, *named) if name in known))


def is_regressed(case: CaseResult) -> bool:
    """Check whether a case counts as regressed: an unstable one doesn't."""
    return case.change in (Change.REGRESSED, Change.UNKNOWN) and not case.unstable


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """What a run and a suite say of single queries, gathered once."""

    unjudged: Mapping[str, tuple[int, int]]
    """Of a pooled suite: the unjudged results in the top k of each query, and the size of the top k."""
    seconds: Mapping[str, float]
    errors: Mapping[str, str]
    missing: Mapping[str, tuple[GoneLocation, ...]]

    @classmethod
    def of(cls, tested: Tested) -> _Answers:
        missing: dict[str, tuple[GoneLocation, ...]] = {}
        for one in tested.missing:
            if one.case is not None:
                missing[one.case] = (*missing.get(one.case, ()), one)
        seconds: dict[str, float] = {}
        errors: dict[str, str] = {}
        for number, run in enumerate((tested.run, *tested.repeats), 1):
            for shard in run.shards():
                for query, error, latency in shard.queries.select("query", "error", "latency_ms").iter_rows():
                    if latency is not None and number == 1:
                        seconds[query] = latency / 1000
                    if error is not None:
                        errors.setdefault(query, error + (f" (in repeat {number})" if number > 1 else ""))
        unjudged = _unjudged(tested) if tested.suite.unlisted == "unjudged" else {}
        return cls(unjudged, seconds, errors, missing)


def _unjudged(tested: Tested) -> dict[str, tuple[int, int]]:
    """Count the results in the top k of each query that nobody judged."""
    k = tested.scores.metrics[0].needs_hits(tested.depth)
    judged: dict[str, set[int]] = {}
    for query, _, rank, _ in tested.gating_hits.rows.iter_rows():
        if rank <= k:
            judged.setdefault(query, set()).add(rank)
    names = (case.id for case in tested.suite.cases)
    tops = {name: min(int(number), k) for name, number in zip(names, tested.results.tolist(), strict=True)}
    return {name: (top - len(judged.get(name, ())), top) for name, top in tops.items()}


def _bare(
    tested: Tested, at: int, fell: float, gates: Sequence[tuple[Gate, GateResult]], about: _Answers
) -> CaseResult:
    """Return a case without its results."""
    comparison = tested.comparison
    case = tested.suite.cases[at]
    errored, known = bool(tested.errored[at]), case.xfail if tested.known[at] else None
    unjudged, top = about.unjudged.get(case.id, (None, 0))
    checks = tested.checks.get(case.id, ())
    reached = bool(tested.first[at]) if tested.judged[at] else bool(checks)
    passes = known is not None and reached and not errored and all(check.passed for check in checks)
    if known is None:
        reasons = _reasons(tested, at, gates, about.missing.get(case.id, ()))
    else:
        reasons = ("It is marked xfail and passes. Remove xfail.",) if passes and tested.xfail_strict else ()
    state = CaseState.ERROR if errored else CaseState.FAILED if reasons else CaseState.PASSED
    both = comparison is not None and bool(comparison.both[at])
    targets = _targets(tested, case, about)
    rank = int(tested.first[at]) or None
    if rank is None and not tested.judged[at]:
        # Judgments that don't count in gates say where the expected result is.
        rank = min((one.rank for one in targets if one.grade > 0 and one.rank is not None), default=None)
    return CaseResult(
        name=case.id,
        query=case.query,
        where=short_where(case.where),
        state=state,
        change=None if known is not None else _change(tested, at, fell, unjudged),
        reasons=reasons,
        error=" ".join(about.errors.get(case.id, "").split()) if errored else "",
        known=known_miss(known, passes=passes),
        values=values_at(tested.scores.columns, at),
        before=values_at(comparison.scores.columns, at) if both and comparison is not None else {},
        rank=rank,
        rank_before=(int(comparison.first[at]) or None) if both and comparison is not None else None,
        returned=int(tested.results[at]),
        unjudged=unjudged,
        top=top,
        unstable=comparison is not None and bool(comparison.unstable[at]),
        checks=tuple(ShownCheck(check=one.check, passed=one.passed, found=one.found) for one in checks),
        category=case.category or "",
        tags=tuple(sorted(case.tags)),
        filters=dict(case.filters),
        weight=case.weight,
        notes=case.notes,
        seconds=about.seconds.get(case.id),
        targets=targets,
    )


def known_miss(xfail: XFail | None, *, passes: bool) -> KnownMiss | None:
    """Return the `xfail` of a case, a scenario or an invariant as a report has it."""
    if xfail is None:
        return None
    until = xfail.until.isoformat() if xfail.until else ""
    return KnownMiss(reason=xfail.reason, until=until, passes=passes)


def values_at(columns: Mapping[str, Any], at: int) -> dict[str, float | None]:
    """Return the value of each metric for the query in a row of scores."""
    return {
        label: float(column.values[at]) if column.defined[at] else None for label, column in columns.items()
    }


def _change(tested: Tested, at: int, fell: float, unjudged: int | None) -> Change | None:
    """Return how a case compares with the baseline."""
    comparison = tested.comparison
    if comparison is None:
        return None
    if not comparison.both[at]:
        return Change.NEW
    label = tested.scores.metrics[0].label
    if not comparison.defined(label, tested.scores)[at]:
        return None
    if tested.errored[at] or fell > EPS:
        return Change.UNKNOWN if unjudged else Change.REGRESSED
    return Change.IMPROVED if fell < -EPS else Change.UNCHANGED


def _reasons(
    tested: Tested, at: int, gates: Sequence[tuple[Gate, GateResult]], missing: Sequence[GoneLocation]
) -> tuple[str, ...]:
    """Return why a case failed, one sentence each."""
    case, found = tested.suite.cases[at], []
    covering = [gate for gate, _ in gates if gate.where is None or gate.where.covers(case)]
    if case.id in tested.fresh or not any(gate.kind is Kind.CHECKS for gate in covering):
        found += [f"{one.check}: {one.found}" for one in tested.checks.get(case.id, ()) if not one.passed]
    for gate, result in gates:
        if gate.kind in (Kind.MIN, Kind.LOST, Kind.REGRESSED) and case.id in result.queries:
            found.append(result.text)
    counting = [one.target for one in missing if one.counts]
    if counting and tested.scores.gone[at]:
        found.append(f"No target is left in the documents: {', '.join(counting)}.")
    return tuple(dict.fromkeys(found))


def short_where(where: str) -> str:
    """Return file and line of a place in a file, without the column.

    >>> short_where("search.yaml:14:5"), short_where("search.yaml:14"), short_where("")
    ('search.yaml:14', 'search.yaml:14', '')
    """
    head, _, last = where.rpartition(":")
    return head if last.isdigit() and head.rpartition(":")[2].isdigit() else where


def _targets(tested: Tested, case: Case, about: _Answers) -> tuple[ShownTarget, ...]:
    missing = {one.target: one.why for one in about.missing.get(case.id, ())}
    before = {} if tested.hits_before is None else tested.hits_before.ranks
    shown = []
    for number, row in {int(row["target"]): row for row in tested.hits.targets.get(case.id, ())}.items():
        location = _location(case, row)
        is_missing = row["strategy"] == GONE
        shown.append(
            ShownTarget(
                location=location,
                grade=float(row["grade"]),
                rank=tested.hits.ranks.get((case.id, number)),
                before=before.get((case.id, number)),
                group=row["group"] or "",
                missing=missing.get(location, "It is not in the documents.") if is_missing else "",
                moved_to=tested.moved.get((case.id, location), ""),
                source=judgment_kind(row, tested.suite.gating_sources),
            )
        )
    return tuple(shown)


def judgment_kind(row: Mapping[str, Any], gating_sources: Collection[str]) -> str:
    """Return the kind of source of a judgment: person, import, model, clicks, estimated or proposed."""
    kind = source_kind(str(row["source"]))
    # A judgment of a source that gates don't count is marked as not reviewed.
    return kind if row["reviewed"] or kind not in gating_sources else PROPOSED


def _location(case: Case, row: Mapping[str, Any]) -> str:
    """Return a target as the suite writes it, or else its lines."""
    if row["text_hash"] is not None:
        return "answer"
    number = int(row["target"])
    written = [target.location for target in case.targets]
    found = location_text(row["id"], row["path"], row["start"], row["end"])
    if number < len(written) and len(written) == len({str(one) for one in written}):
        place = written[number]
        return str(place) if place.quote is None or found is None else found
    return found or ""


def _with_hits(tested: Tested, bare: Sequence[CaseResult], names: Sequence[str]) -> tuple[CaseResult, ...]:
    """Add results to cases: all of them to those with these names, the first one to the others."""
    comparison, detailed = tested.comparison, frozenset(names)
    every = read_hits(tested.run, names, tested.depth)
    others = {} if len(detailed) == len(bare) else read_hits(tested.run, None, 1)
    before = {} if comparison is None else read_hits(comparison.run, names, tested.depth)
    shown, then = tested.hits, tested.hits_before
    texts = _texts(tested.run, names)
    results = []
    for case in bare:
        if case.name not in detailed:
            first = _hits(tested, case.name, others.get(case.name, ()), shown, {}, {}, bare=True)
            results.append(replace(case, hits=first))
            continue
        ranks = {hit.identity: hit.rank for hit in reversed(before.get(case.name, []))}
        hits = _hits(tested, case.name, every.get(case.name, ()), shown, texts, ranks)
        changed = case.change in (Change.REGRESSED, Change.UNKNOWN, Change.IMPROVED) or case.overlap
        old: tuple[ShownHit, ...] = ()
        if changed and then is not None:
            # A baseline has no fields: those of results that are still returned are known.
            fields = (
                {one.identity: one.fields for one in every.get(case.name, ())} if tested.suite.show else {}
            )
            rows = [one._replace(fields=fields.get(one.identity)) for one in before.get(case.name, ())]
            old = _hits(tested, case.name, rows, then, {}, {})
        targets = tuple(replace(one, title=_title(tested, one)) for one in case.targets)
        results.append(replace(case, hits=hits, hits_before=old, targets=targets))
    return tuple(results)


def _title(tested: Tested, target: ShownTarget) -> str:
    path, _, lines = target.location.rpartition(":")
    start, _, end = lines.partition("-")
    if not path or not start.isdigit():
        return ""
    return tested.titles(path, int(start), int(end) if end.isdigit() else int(start))


def _texts(run: Run, names: Sequence[str]) -> dict[tuple[str, int], str]:
    return {
        (one.query, one.rank): " ".join(one.text.split())[:_TEXT]
        for one in kept_texts(run, names)
        if one.text is not None
    }


def _hits(
    tested: Tested,
    name: str,
    rows: Sequence[HitRow],
    judged: JudgedHits,
    texts: Mapping[tuple[str, int], str],
    before: Mapping[tuple[object, ...], int],
    *,
    bare: bool = False,
) -> tuple[ShownHit, ...]:
    shown = []
    earned: set[int] = set()
    for row in rows:
        reached = judged.reached.get((name, row.rank), ())
        title, text = "", texts.get((name, row.rank), "")
        if not bare and row.path is not None and row.start is not None:
            title = tested.titles(row.path, row.start, row.end)
            text = text or " ".join(tested.titles.text(row.path, row.start, row.end).split())[:_TEXT]
        fields = _fields(row, tested.suite.show)
        shown.append(
            ShownHit(
                rank=row.rank,
                location=row.location or "",
                title=title or next((text for text in fields.values() if not text.startswith("data:")), ""),
                text=text,
                grade=judged.grades.get((name, row.rank)),
                targets=tuple(reached),
                duplicate=bool(reached) and set(reached) <= earned,
                before=before.get(row.identity),
                score=row.score,
                lines=None if row.start is None or row.end is None else row.end - row.start + 1,
                fields=fields,
            )
        )
        earned.update(reached)
    return tuple(shown)


def _fields(row: HitRow, show: Sequence[str]) -> dict[str, str]:
    """Return the fields of a result that a suite shows, as text."""
    known = json.loads(row.fields) if show and row.fields is not None else {}
    return {name: text for name in show if (text := _field_text(known.get(name)))}


def _field_text(value: object) -> str:
    if isinstance(value, str):
        is_image = value.startswith("data:image/")
        return " ".join(value.split())[:_TEXT] if not is_image else value if len(value) <= _IMAGE else ""
    if isinstance(value, list):
        return ", ".join(map(_field_text, value))[:_TEXT]
    return "" if value is None else json.dumps(value, ensure_ascii=False)[:_TEXT]


def gating_judgments(judgments: Judgments, sources: Collection[str]) -> Judgments:
    """Return the judgments that gates count: those of some kinds of sources."""
    names = judgments.targets["source"].unique().to_list()
    gating = pl.col("source").is_in([name for name in names if source_kind(name) in sources])
    targets = judgments.targets.filter(gating & pl.col("reviewed"))
    return judgments if len(targets) == len(judgments.targets) else replace(judgments, targets=targets)
