"""Where rankgate differs from other tools on purpose: computes `docs/differences.md`.

    python benchmarks/differences.py > docs/differences.md
    python benchmarks/differences.py --check

Every figure is computed here, by the tool it is printed for. ranx comes with the `bench` dependency group;
without it `--check` compares every column but its own, and says so.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import warnings
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import ir_measures
import polars as pl
import pytrec_eval

from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Grades: TypeAlias = dict[str, dict[str, float]]
Rows: TypeAlias = dict[str, list[tuple[str, float]]]

PAGE = Path(__file__).parent.parent / "docs" / "differences.md"
HAS_RANX = importlib.util.find_spec("ranx") is not None
NOT_RUN = "not run"


@dataclass(frozen=True)
class Difference:
    """One tiny example on which the tools part."""

    what: str
    """The question, in a few words."""
    grades: Grades
    """Grade by query and document."""
    returned: Rows
    """Document and score by query, in the order returned."""
    rankgate: str
    """The measure, as each tool spells it; empty where it has none."""
    pytrec_eval: str
    ir_measures: str
    ranx: str
    why: str
    """What rankgate does, and the reason."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """What else the judgments say."""


def _best_first(*docs: str) -> list[tuple[str, float]]:
    return [(doc, float(len(docs) - place)) for place, doc in enumerate(docs)]


DIFFERENCES = (
    Difference(
        "a query with nothing relevant",
        {"1": {"a": 1}, "2": {"b": 0}},
        {"1": _best_first("a"), "2": _best_first("b")},
        "ap", "map", "AP", "map",
        "It has no value: it is left out of the mean and counted. The TREC rules (`trec`) make it 0.",
    ),
    Difference(
        "a judged query that the run lacks",
        {"1": {"a": 1}, "2": {"b": 1}},
        {"1": _best_first("a")},
        "ap", "map", "AP", "map",
        "It scores 0 and is counted as missing, so that a lost query cannot raise a mean.",
    ),
    Difference(
        "a query that nobody judged",
        {"1": {"a": 1}},
        {"1": _best_first("a"), "2": _best_first("b")},
        "ap", "map", "AP", "map",
        "It is not scored, and does not stop the others from being scored.",
    ),
    Difference(
        "a run without a single hit",
        {"1": {"a": 1}},
        {"1": []},
        "ap", "map", "AP", "map",
        "An empty answer is an answer, and scores 0.",
    ),
    Difference(
        "equal scores",
        {"1": {"a": 1}},
        {"1": [("a", 1.0), ("b", 1.0)]},
        "rr", "recip_rank", "RR", "mrr",
        "The order that the system returned stands. In TREC run files: score, then id, both descending.",
    ),
    Difference(
        "equal scores, with a cut",
        {"1": {"b": 1}},
        {"1": [("b", 1.0), ("a", 1.0)]},
        "rr@10", "", "RR@10", "mrr@10",
        "One order for every measure; ir_measures breaks ties for RR@k the other way round than for RR.",
    ),
    Difference(
        "a document returned twice",
        {"1": {"a": 1, "b": 1}},
        {"1": [("a", 3.0), ("a", 2.0), ("b", 1.0)]},
        "ap", "map", "AP", "map",
        "The repeat keeps its rank and gains nothing. In a dictionary it is lost, and what follows moves up.",
    ),
    Difference(
        "grades that are not whole, nDCG",
        {"1": {"a": 0.5, "b": 2.5}},
        {"1": _best_first("a", "b")},
        "ndcg@10", "ndcg_cut_10", "nDCG@10", "ndcg@10",
        "They are taken as they are.",
    ),
    Difference(
        "grades that are not whole, RR",
        {"1": {"a": 0.5, "b": 2.5}},
        {"1": _best_first("a", "b")},
        "rr", "recip_rank", "RR", "mrr",
        "Any grade above 0 is relevant unless `rel=` says otherwise.",
    ),
    Difference(
        "a negative grade above the relevant hit, bpref",
        {"1": {"a": 1, "b": -1, "c": 0}},
        {"1": _best_first("b", "a")},
        "bpref", "bpref", "Bpref", "bpref",
        "A negative grade is a judgment: not relevant. trec_eval takes it for unjudged, as `trec` does.",
    ),
    Difference(
        "a negative grade, judged documents only",
        {"1": {"a": 1, "b": -1, "c": 0}},
        {"1": _best_first("b", "a")},
        "ndcg(judged_only=true)@10", "", "nDCG(judged_only=True)@10", "",
        "A document with a negative grade is judged and stays in the ranking.",
    ),
    Difference(
        "bpref where nothing is judged irrelevant",
        {"1": {"a": 1}},
        {"1": _best_first("x", "a")},
        "bpref", "bpref", "Bpref", "bpref",
        "There is no preference to keep, so there is no value.",
    ),
    Difference(
        "judged where nothing is judged irrelevant",
        {"1": {"a": 1}},
        {"1": _best_first("a", "x")},
        "judged@10", "", "Judged@10", "",
        "Such judgments list only what is right, so an unlisted hit says nothing on how much was judged.",
    ),
    Difference(
        "judged without hits",
        {"1": {"a": 1, "b": 0}},
        {"1": []},
        "judged@10", "", "Judged@10", "",
        "Nothing returned is 0, and no error.",
    ),
    Difference(
        "ERR on a scale from 0 to 3",
        {"1": {"a": 3}},
        {"1": _best_first("a")},
        "err@10", "", "ERR@10", "",
        "The maximum is the declared one; gdeval, which ir_measures calls, fixes it at 4.",
        {"max_grade": 3.0},
    ),
    Difference(
        "exponential gain",
        {"1": {"a": 3, "c": 1}},
        {"1": _best_first("b", "c", "a")},
        "ndcg(gain=exp)@10", "", "nDCG(dcg='exp-log2')@10", "ndcg_burges@10",
        "A full double; gdeval prints five decimals.",
    ),
)  # fmt: skip


def by_rankgate(case: Difference) -> str:
    """Score by rankgate, under its default rules."""
    rows = [(query, doc, float(grade)) for query, docs in case.grades.items() for doc, grade in docs.items()]
    judgments = Judgments.of(pl.DataFrame(rows, schema=["query", "id", "grade"], orient="row"), **case.about)
    rankings = {query: [doc for doc, _ in hits] for query, hits in case.returned.items()}
    run = MemoryRun("example", (Shard.of_rankings(rankings),))
    value = score(judgments, run, [case.rankgate])[case.rankgate]
    return "undefined" if value is None else _figure(value)


def by_pytrec_eval(case: Difference) -> str:
    """Score by pytrec_eval, reading the run as it reads a file."""
    lines = [f"{q} Q0 {doc} 0 {points} t" for q, hits in case.returned.items() for doc, points in hits]
    nothing: dict[str, dict[str, float]] = {query: {} for query in case.returned}
    run = nothing | pytrec_eval.parse_run(lines)
    name, _, cut = case.pytrec_eval.rpartition("_cut_")
    wanted = f"{name}_cut.{cut}" if name else case.pytrec_eval
    grades: Any = case.grades
    found = pytrec_eval.RelevanceEvaluator(grades, {wanted}).evaluate(run)
    values = [row[case.pytrec_eval] for row in found.values()]
    return _figure(sum(values) / len(values))


def by_ir_measures(case: Difference) -> str:
    """Score by ir_measures."""
    measure = ir_measures.parse_measure(case.ir_measures)
    return _figure(ir_measures.calc_aggregate([measure], case.grades, _as_dictionaries(case))[measure])


def by_ranx(case: Difference) -> str:
    """Score by ranx."""
    from ranx import Qrels, Run, evaluate

    return _figure(float(evaluate(Qrels(case.grades), Run(_as_dictionaries(case)), case.ranx)))


def _as_dictionaries(case: Difference) -> dict[str, dict[str, float]]:
    return {query: dict(hits) for query, hits in case.returned.items()}


def _figure(value: float) -> str:
    return "NaN" if value != value else f"{value:.7f}".rstrip("0").ljust(6, "0")  # noqa: PLR0124


def cell(tool: Callable[[Difference], str], case: Difference, name: str) -> str:
    """Return the tool's figure, the error it raises, or a dash where it has no such measure."""
    if not name:
        return "–"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return tool(case)
        except Exception as error:  # noqa: BLE001 - what a tool raises is the finding
            return f"`{type(error).__name__}`"


COLUMNS = (
    "question", "judgments", "returned", "measure", "rankgate", "pytrec_eval", "ir_measures", "ranx",
    "what rankgate does",
)  # fmt: skip
HEAD = f"""\
# Where rankgate differs from other tools

On the same order and the same judgments, and told to follow the TREC rules, rankgate agrees with trec_eval,
pytrec_eval and ir_measures to 1e-9; `tests/parity` holds it to that. By default it answers some questions in
another way, each shown here on one tiny example. The table is written by `python benchmarks/differences.py`,
which computes every figure. A dash means that the tool has no such measure; a name in code is the error that
it raises. pytrec_eval leaves the mean to its caller: its figure is the mean over the queries it returned.

| {" | ".join(COLUMNS)} |
|{"---|" * len(COLUMNS)}
"""
RANX_COLUMN = COLUMNS.index("ranx")


def page() -> str:
    """Compute the whole page."""
    return HEAD + "".join(f"{row(case)}\n" for case in DIFFERENCES)


def row(case: Difference) -> str:
    """Compute one row of the table."""
    judged = "; ".join(
        f"{q}: " + ", ".join(f"{d}={g}" for d, g in docs.items()) for q, docs in case.grades.items()
    )
    hits = "; ".join(
        f"{q}: " + (", ".join(f"{d} ({s:g})" for d, s in found) or "nothing")
        for q, found in case.returned.items()
    )
    ours = by_rankgate(case)
    pytrec = cell(by_pytrec_eval, case, case.pytrec_eval)
    measures = cell(by_ir_measures, case, case.ir_measures)
    ranx = cell(by_ranx, case, case.ranx) if HAS_RANX else NOT_RUN
    cells = (case.what, judged, hits, f"`{case.rankgate}`", f"**{ours}**", pytrec, measures, ranx, case.why)
    return f"| {' | '.join(cells)} |"


def without_ranx(text: str) -> list[list[str]]:
    """Split a page into cells, leaving out the column that only the bench environment can compute."""
    rows = [line.split(" | ") for line in text.splitlines()]
    return [cells[:RANX_COLUMN] + cells[RANX_COLUMN + 1 :] for cells in rows]


def main() -> int:
    """Print the page, or check the one in docs."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="fail where docs/differences.md is out of date")
    if not parser.parse_args().check:
        if not HAS_RANX:
            print("ranx is not installed: uv sync --group bench", file=sys.stderr)
            return 2
        print(page(), end="")
        return 0
    written, computed = PAGE.read_text(encoding="utf-8"), page()
    if not HAS_RANX:
        print("ranx is not installed: its column was not checked", file=sys.stderr)
    same = written == computed if HAS_RANX else without_ranx(written) == without_ranx(computed)
    if not same:
        print(f"{PAGE} is out of date: python benchmarks/differences.py > {PAGE}", file=sys.stderr)
    return 0 if same else 1


if __name__ == "__main__":
    raise SystemExit(main())
