"""The tables of suites/RESULTS.md: laid out from what was measured, and compared with those on the page."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from bootstrap import mean_interval
from page_tables import read_tables, rows_of, table_of
from rankgate.model import Answer
from rankgate.scoring.expressions import parse
from rankgate.scoring.metric import aggregate
from suite_differences import DIFFERENCES, NONE, absent_row, differences_table, figure
from suite_measuring import JUDGED, judged_share

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.scoring.matches import Bools
    from suite_ground import Ground
    from suite_measuring import Answers, Measured

ALIKE = 0.0015
"""How far a figure may be from the one on the page, which has three digits."""
TIMES = "time"
"""What the names of tables end with that are another on every machine, and are not compared."""
CORPORA = "corpora"
"""The table that says what is searched."""
SYSTEMS = "systems"
"""The table that says how each is set."""
YARDSTICK = "tantivy"
"""Whose latency the others' are given in."""

_FIGURE = re.compile(r"[+-]?\d+(?:\.\d+)?")


def tables_of(ground: Ground, found: Sequence[Measured]) -> dict[str, str]:
    """Lay out what was measured on a suite, by the names that the tables have on the page."""
    name, plan = ground.plan.name, ground.plan
    tables = {name: _quality(ground, found)}
    tables[f"{name}-slices"] = _slices(ground, found)
    tables[f"{name}-{DIFFERENCES}"] = differences_table(ground, found)
    if plan.half is None:
        tables[f"{name}-{TIMES}"] = _times(ground, found)
    return tables


def corpora_table(found: Sequence[tuple[Ground, int | None]]) -> str:
    """Return what is searched: each suite, with how many nodes the reference system makes of it."""
    rows = [
        (
            ground.plan.name,
            f"{len(ground.corpus)}",
            f"{len(ground.pieces())}",
            NONE if nodes is None else str(nodes),
        )
        for ground, nodes in found
    ]
    return table_of(("suite", "documents", "pieces", "nodes"), rows)


def systems_table(found: Sequence[Measured]) -> str:
    """Return how each system is set."""
    each = {one.contender.name: one for one in found}.values()
    rows = [(one.contender.label, _version(one), one.contender.setting) for one in each]
    return table_of(("system", "version", "set as"), rows)


def _version(one: Measured) -> str:
    # The reference system is rankgate's own, and has no number but that of the engine under it.
    return f"Tantivy {one.version}" if one.contender.kind == "reference" else one.version or NONE


def wrong_on(page: str, tables: Mapping[str, str]) -> tuple[list[str], list[str]]:
    """Compare tables with those of a page, times left out; give what is wrong, and what was not compared."""
    kept = read_tables(page)
    wrong, left = [], []
    for name, table in tables.items():
        if name == SYSTEMS or name.endswith(TIMES):
            continue
        said = {_first(row): row for row in rows_of(kept[name])} if name in kept else {}
        for row in rows_of(table):
            where = f"{name}, {_first(row)}"
            if reason := next((cell for cell in row.values() if cell.startswith("not measured")), ""):
                left.append(f"{where}: {reason}")
            elif _first(row) not in said:
                wrong.append(f"{where}: not on the page; run `just results`")
            else:
                wrong += _unlike(where, said[_first(row)], row)
    return wrong, left


def _first(row: Mapping[str, str]) -> str:
    """Return what a row is of: a system or a suite."""
    return next(iter(row.values()))


def _unlike(where: str, said: Mapping[str, str], row: Mapping[str, str]) -> list[str]:
    if said.keys() != row.keys():
        return [f"{where}: the columns are {', '.join(row)}, the page has {', '.join(said)}"]
    return [
        f"{where}: {column} is {cell}, the page says {said[column]}"
        for column, cell in row.items()
        if not alike(said[column], cell)
    ]


def alike(one: str, other: str) -> bool:
    """Check whether two cells say the same, but for the last digit of their figures.

    >>> alike("0.812 [0.770, 0.850]", "0.813 [0.770, 0.850]"), alike("0.812", "0.816"), alike("0.8", "–")
    (True, False, False)
    """
    if _FIGURE.sub("#", one) != _FIGURE.sub("#", other):
        return False
    pairs = zip(_FIGURE.findall(one), _FIGURE.findall(other), strict=True)
    return all(abs(float(mine) - float(theirs)) <= ALIKE for mine, theirs in pairs)


def _quality(ground: Ground, found: Sequence[Measured]) -> str:
    main, empty, hard = ground.main, ground.empty, ground.hard
    most = f"P@5 (at most {ground.most_p5:.3f})"
    heads = [most if one == "P@5" else one for one in ground.plan.metrics]
    known = next((_defined(one.answers, JUDGED, main).sum() for one in found if one.answers), 0)
    columns = ["system", *heads]
    columns += [f"{heads[0]}, hard ({hard.sum()})"] if hard.any() else []
    columns += [f"{JUDGED} (n = {known})", "hits judged"]
    columns += [f"left empty, of {empty.sum()}"] if empty.any() else []
    columns.append("errors")
    rows = []
    for one in found:
        if one.answers is None:
            rows.append(absent_row(one, len(columns)))
            continue
        answers = one.answers
        metrics = list(ground.plan.metrics.values())
        cells = [_with_interval(ground, answers, metric) for metric in metrics]
        cells += [_mean(answers, metrics[0], hard)] if hard.any() else []
        cells += [_mean(answers, JUDGED, main), figure(judged_share(ground, answers, main))]
        cells += [str((answers.hits(empty) == 0).sum())] if empty.any() else []
        rows.append([one.contender.label, *cells, str(_failed(answers, main))])
    return table_of(columns, rows)


def _slices(ground: Ground, found: Sequence[Measured]) -> str:
    metric = next(iter(ground.plan.metrics.values()))
    slices = ground.slices
    columns = ["system", *(f"{name} ({marked.sum()})" for name, marked in slices.items())]
    rows = []
    for one in found:
        if one.answers is None:
            rows.append(absent_row(one, len(columns)))
            continue
        cells = []
        for marked in slices.values():
            failed = _failed(one.answers, marked)
            cells.append(f"{NONE} ({failed} failed)" if failed else _mean(one.answers, metric, marked))
        rows.append([one.contender.label, *cells])
    return table_of(columns, rows)


def _times(ground: Ground, found: Sequence[Measured]) -> str:
    columns = ("system", "index, s", "p50, ms", "p95, ms", "p50 / Tantivy's")
    main = ground.main
    yard = next((one.answers for one in found if one.contender.name == YARDSTICK), None)
    rows = []
    for one in found:
        if one.answers is None:
            rows.append(absent_row(one, len(columns)))
            continue
        p50, p95 = (_percentile(one.answers, main, which) for which in ("p50", "p95"))
        ratio = NONE if yard is None else f"{p50 / _percentile(yard, main, 'p50'):.1f}"
        built = NONE if one.seconds is None else f"{one.seconds:.2f}"
        rows.append([one.contender.label, built, f"{p50:.2f}", f"{p95:.2f}", ratio])
    return table_of(columns, rows)


def _with_interval(ground: Ground, answers: Answers, metric: str) -> str:
    marked = _defined(answers, metric, ground.main)
    values = answers.scores.columns[parse(metric).label].values[marked]
    groups = [
        (group is None, query if group is None else group)
        for query, group in ground.judgments.cases.select("query", "group").iter_rows()
    ]
    low, high = mean_interval(values, [one for one, wanted in zip(groups, marked, strict=True) if wanted])
    return f"{_mean(answers, metric, ground.main)} [{low:.3f}, {high:.3f}]"


def _defined(answers: Answers, metric: str, marked: Bools) -> Bools:
    kept: Bools = marked & answers.scores.columns[parse(metric).label].defined
    return kept


def _mean(answers: Answers, metric: str, marked: Bools) -> str:
    kept = _defined(answers, metric, marked)
    values = answers.scores.columns[parse(metric).label].values[kept]
    return figure(aggregate(values, answers.scores.weights[kept], "mean"))


def _percentile(answers: Answers, marked: Bools, which: str) -> float:
    times = answers.times[marked & np.isfinite(answers.times)]
    return aggregate(times, np.ones(len(times)), which) or 0.0


def _failed(answers: Answers, marked: Bools) -> int:
    status = answers.scores.status.is_in([Answer.ERROR.value, Answer.TIMEOUT.value])
    return int((status.to_numpy() & marked).sum())
