"""The shipped suite of operations, asked and scored: what P@5 could be at most."""

from __future__ import annotations

import json
from contextlib import closing
from math import isnan, nan
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

import polars as pl

import rankgate as rg
from page_tables import table_of
from rankgate.gates.language import parse_gates
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.expressions import parse
from rankgate.truth.judgments.table import Judgments
from rankgate_reference.system import open_reference
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

FOLDER = ROOT / "suites" / "operations"
SUITE = FOLDER / "operations.yaml"
GOALS = {"rr(rel=3)": 0.80, "ndcg@5": 0.80, "hit@1": 0.80, "p@5": 0.85, "relevance": 0.85}
"""What should be reached."""
OF_MANY = ("p@5", "relevance")
"""What is held to its goal only where five or more targets exist."""
PLAIN = ("ndcg@5", "rr(rel=3)", "hit@1", "hit(rel=3)@1")
FIGURES = (*PLAIN, "p@5", "r@5", "rr")
MANY = "targets=five-or-more"


def grades(case: rg.Case) -> dict[str, float]:
    """Give the grade of every operation that is judged for a case."""
    return {target.location.id or "": target.grade for target in case.targets}


def relevant(case: rg.Case) -> int:
    """Count the operations that a case accepts."""
    return sum(grade > 0 for grade in grades(case).values())


def ceiling(case: rg.Case) -> dict[str, float]:
    """Give what the best ranking has: P@5 and R@5 of a case, and the weighted sum."""
    best = {"p@5": min(5, relevant(case)) / 5, "r@5": min(5, relevant(case)) / relevant(case), "rr": 1.0}
    return {"p@5": best["p@5"], "relevance": relevance(best)}


def relevance(values: dict[str, float]) -> float:
    """Weigh as the suite does."""
    return 0.4 * values["p@5"] + 0.3 * values["r@5"] + 0.3 * values["rr"]


def measured(cases: Sequence[rg.Case], found: Mapping[str, Sequence[str]]) -> dict[str, dict[str, float]]:
    """Score the rankings of cases, by the cases' ids."""
    rows = [(case.id, name, grade) for case in cases for name, grade in grades(case).items()]
    judged = pl.DataFrame(rows, schema=["query", "id", "grade"], orient="row")
    run = MemoryRun("asked", [Shard.of_rankings(found)])
    scores = rg.score(Judgments.of(judged, judged.select("query").unique()), run, list(FIGURES))
    columns = {name: scores.columns[parse(name).label] for name in FIGURES}
    # What is undefined, as where nothing has grade 3, is left out of means, as the suite's gates do it.
    by_case = {
        query: {
            name: float(column.values[at]) if column.defined[at] else nan for name, column in columns.items()
        }
        for at, query in enumerate(scores.queries)
    }
    return {query: {**row, "relevance": relevance(row)} for query, row in by_case.items()}


def slices(case: rg.Case) -> tuple[str, ...]:
    """Name what a case is counted under."""
    return ("all", case.category or "", *sorted(case.tags))


def table(cases: Sequence[rg.Case], system: rg.System) -> dict[str, dict[str, float]]:
    """Ask every case, and give the means of every slice, with their ceilings."""
    found = {
        case.id: [hit.id or "" for hit in system.search(rg.Query(case.query, 10)).hits] for case in cases
    }
    scored = measured(cases, found)
    rows: dict[str, list[dict[str, float]]] = {}
    for case in cases:
        best = {f"best {name}": value for name, value in ceiling(case).items()}
        for name in slices(case):
            rows.setdefault(name, []).append({**scored[case.id], **best})
    return {
        name: {
            "n": float(len(those)),
            **{key: fmean(row[key] for row in those if not isnan(row[key])) for key in those[0]},
        }
        for name, those in rows.items()
    }


def operations() -> list[str]:
    """List the ids of the operations of the suite's own catalogue."""
    lines = (FOLDER / "catalogue.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["id"] for line in lines]


def asked(
    cases: Sequence[rg.Case], catalogue: Path, cache: Path, mode: str = "hybrid"
) -> dict[str, dict[str, float]]:
    """Ask the reference system about a catalogue, and give its `table`."""
    options = {"root": str(catalogue), "corpus": "jsonl", "mode": mode, "cache": str(cache)}
    with closing(open_reference("reference", options)) as system:
        return table(cases, system)


def slice_table(found: dict[str, dict[str, float]]) -> str:
    """Lay out a table as Markdown; P@5 and relevance stand beside what they could be at most."""
    columns = ("slice", "n", *PLAIN, "p@5 of at most", "relevance of at most")
    rows = [
        (
            name,
            f"{row['n']:.0f}",
            *(f"{row[key]:.3f}" for key in PLAIN),
            *(f"{row[key]:.3f} of {row[f'best {key}']:.3f}" for key in OF_MANY),
        )
        for name, row in found.items()
    ]
    return table_of(columns, rows)


def gate_table(found: dict[str, dict[str, float]], suite: rg.Suite) -> str:
    """Lay out what is asked for, what is measured, and what is enforced."""
    gates = {gate.label: gate for gate in parse_gates(suite.gates, suite.metrics)}
    rows = []
    for metric, goal in GOALS.items():
        gate, row = gates[metric], found[MANY if metric in OF_MANY else "all"]
        said = f"{metric}, {row['n']:.0f} queries with five targets or more" if metric in OF_MANY else metric
        rows.append((said, f"{goal:.2f}", f"{row[metric]:.3f}", gate.threshold_text))
        if goal not in (gate.threshold, gate.goal):
            raise AssertionError(f"{gate.text}: its goal is {goal}")
    return table_of(("metric", "goal", "measured", "gate"), rows)
