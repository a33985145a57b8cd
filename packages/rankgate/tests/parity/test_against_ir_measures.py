"""Generated judgments and runs score as ir_measures scores them.

Where the two differ by intent, the test says so: Judged and RR@k break ties the other way
round there, so they are compared on runs without ties. RBP is compared with trec_eval's own files instead,
because the packages that compute it for ir_measures are not installed with it.
"""

from __future__ import annotations

import shutil
import struct
from typing import TYPE_CHECKING, TypeAlias

import ir_measures
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankgate.runs.formats.load import load_run
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.table import Judgments

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Qrels: TypeAlias = dict[str, dict[str, int]]
Run: TypeAlias = dict[str, dict[str, float]]

# "d10" sorts before "d9", "D" before "d", and "é" after both: ties are broken by code point.
DOCS = ("d1", "d2", "d9", "d10", "D1", "é1", "d1#2", "x")
# The last four collapse into two in float32, the precision in which trec_eval compares scores.
SCORES = (0.0, -1.5, 2.5, 1e-30, 1.0, 1.00000001, 16777216.0, 16777217.0)

qrels_of = st.dictionaries(
    st.sampled_from(("1", "2", "3")),
    st.dictionaries(st.sampled_from(DOCS), st.integers(-2, 3), min_size=1),
    min_size=1,
)
runs_of = st.dictionaries(
    st.sampled_from(("1", "2", "3", "9")),
    st.dictionaries(st.sampled_from(DOCS), st.sampled_from(SCORES), min_size=1),
    min_size=1,
)
generated = settings(
    # A thousand in the long profile.
    max_examples=max(300, 2 * settings().max_examples),
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)

EXPRESSIONS = {
    "nDCG": "ndcg",
    "nDCG@1": "ndcg@1",
    "nDCG@3": "ndcg@3",
    "nDCG@10": "ndcg@10",
    "AP": "ap",
    "AP(rel=2)": "ap(rel=2)",
    "AP@3": "ap@3",
    "RR": "rr",
    "RR(rel=2)": "rr(rel=2)",
    "P@1": "p@1",
    "P@5": "p@5",
    "P(rel=2)@3": "p(rel=2)@3",
    "R@3": "r@3",
    "R(rel=2)@3": "r(rel=2)@3",
    "Success@1": "hit@1",
    "Success@3": "hit@3",
    "Rprec": "rprec",
    "Rprec(rel=2)": "rprec(rel=2)",
    "Bpref": "bpref",
    "Bpref(rel=2)": "bpref(rel=2)",
    "SetP": "p",
    "SetR": "r",
    "SetF": "f1",
    "SetF(rel=2)": "f1(rel=2)",
}
WITHOUT_TIES = {"RR@2": "rr@2", "RR(rel=2)@3": "rr(rel=2)@3", "Judged@1": "judged@1", "Judged@3": "judged@3"}


def judgments_of(qrels: Qrels) -> Judgments:
    rows = [(query, doc, float(grade)) for query, docs in qrels.items() for doc, grade in docs.items()]
    return Judgments.of(pl.DataFrame(rows, schema=["query", "id", "grade"], orient="row"))


def ranked(run: Run) -> dict[str, list[str]]:
    """Put each query's documents in trec_eval's order: score descending in float32, id descending."""

    def key(item: tuple[str, float]) -> tuple[float, bytes]:
        return struct.unpack("f", struct.pack("f", item[1]))[0], item[0].encode()

    return {
        query: [doc for doc, _ in sorted(docs.items(), key=key, reverse=True)] for query, docs in run.items()
    }


def untied(run: Run) -> Run:
    """Give the ranking of `run` scores that no tool can order in another way."""
    return {
        query: {doc: float(-rank) for rank, doc in enumerate(docs)} for query, docs in ranked(run).items()
    }


def written(run: Run, path: Path) -> Path:
    lines = [
        f"{query} Q0 {doc} 0 {score!r} t\n" for query, docs in run.items() for doc, score in docs.items()
    ]
    path.write_text("".join(lines), encoding="utf-8")
    return path


def theirs(
    names: Mapping[str, str], qrels: Qrels, run: Run
) -> tuple[dict[str, float], dict[str, dict[str, float]]]:
    """Give ir_measures' means and values by query, under our names.

    A query with negative grades alone crashes pytrec_eval, on which ir_measures stands; one more document
    that no run returns, judged 0, keeps it alive and changes no value of a query with nothing relevant.
    """
    alive = {
        query: docs if max(docs.values()) >= 0 else {**docs, "nowhere": 0} for query, docs in qrels.items()
    }
    measures = {ir_measures.parse_measure(name): ours for name, ours in names.items()}
    found = ir_measures.calc(list(measures), alive, run)
    by_query: dict[str, dict[str, float]] = {ours: {} for ours in names.values()}
    for metric in found.per_query:
        by_query[measures[metric.measure]][metric.query_id] = metric.value
    assert isinstance(found.aggregated, dict)
    return {measures[measure]: value for measure, value in found.aggregated.items()}, by_query


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs") / "generated.run"


@given(qrels=qrels_of, run=runs_of)
@generated
def test_a_trec_run_scores_as_ir_measures_scores_it(run_file: Path, qrels: Qrels, run: Run) -> None:
    names = EXPRESSIONS | WITHOUT_TIES
    scores = score(
        judgments_of(qrels), load_run(written(run, run_file), order="trec"), list(names.values()), trec=True
    )
    means, by_query = theirs(EXPRESSIONS, qrels, run)
    more_means, more_by_query = theirs(WITHOUT_TIES, qrels, untied(run))
    means, by_query = means | more_means, by_query | more_by_query
    assert {name: scores[name] for name in names.values()} == pytest.approx(means, rel=0, abs=1e-9)
    for name in names.values():
        assert scores.per_query(name) == pytest.approx(by_query[name], rel=0, abs=1e-9), name


@given(qrels=qrels_of, run=runs_of)
@settings(generated, max_examples=200)
def test_all_found_is_recall_of_one_and_zero_is_nothing_returned(qrels: Qrels, run: Run) -> None:
    run_of_ranks = MemoryRun("generated", (Shard.of_rankings(ranked(run)),))
    scores = score(judgments_of(qrels), run_of_ranks, ["all@3", "all(rel=2)@3", "zero"])
    _, by_query = theirs({"R@3": "all@3", "R(rel=2)@3": "all(rel=2)@3", "NumRet": "zero"}, qrels, untied(run))
    for name, rel in (("all@3", 1), ("all(rel=2)@3", 2)):
        expected = {
            query: float(by_query[name][query] == 1) if max(docs.values()) >= rel else None
            for query, docs in qrels.items()
        }
        assert scores.per_query(name) == expected
    assert scores.per_query("zero") == {query: float(not by_query["zero"][query]) for query in qrels}


@given(qrels=qrels_of, run=runs_of)
@settings(generated, max_examples=200)
def test_judged_only_drops_unjudged_documents_as_ir_measures_does(qrels: Qrels, run: Run) -> None:
    """Negative grades are made 0 first: pytrec_eval takes them for unjudged, rankgate for judged."""
    names = {"nDCG(judged_only=True)@3": "ndcg(judged_only=true)@3"}
    qrels = {query: {doc: max(0, grade) for doc, grade in docs.items()} for query, docs in qrels.items()}
    run_of_ranks = MemoryRun("generated", (Shard.of_rankings(ranked(run)),))
    scores = score(judgments_of(qrels), run_of_ranks, list(names.values()), trec=True)
    means, by_query = theirs(names, qrels, untied(run))
    for name in names.values():
        assert scores.per_query(name) == pytest.approx(by_query[name], rel=0, abs=1e-9)
        assert scores[name] == pytest.approx(means[name], rel=0, abs=1e-9)


RELEVANT_NEEDED = {"AP": "ap", "nDCG@3": "ndcg@3", "P@5": "p@5", "R@3": "r@3", "RR": "rr", "Rprec": "rprec"}


@given(qrels=qrels_of, run=runs_of, empty=st.booleans())
@settings(generated, max_examples=200)
def test_by_default_only_queries_with_something_relevant_are_averaged(
    qrels: Qrels, run: Run, empty: bool
) -> None:
    rankings: dict[str, list[str]] = ranked(run)
    if empty:
        rankings["1"] = []
        run = {**run, "1": {}}
    shard = Shard.of_rankings(rankings)
    scores = score(judgments_of(qrels), MemoryRun("generated", (shard,)), list(RELEVANT_NEEDED.values()))
    _, by_query = theirs(RELEVANT_NEEDED, qrels, untied(run))
    scored = [query for query, docs in qrels.items() if max(docs.values()) > 0]
    for name in RELEVANT_NEEDED.values():
        wanted = {query: by_query[name][query] if query in scored else None for query in qrels}
        got = scores.per_query(name)
        assert {query for query, value in got.items() if value is None} == set(qrels) - set(scored)
        assert {query: got[query] for query in scored} == pytest.approx(
            {query: wanted[query] for query in scored}, rel=0, abs=1e-9
        )
        counts = scores.counts(name)
        assert (counts.scored, counts.undefined) == (len(scored), len(qrels) - len(scored))
        if scored:
            mean = sum(by_query[name][query] for query in scored) / len(scored)
            assert scores[name] == pytest.approx(mean, rel=0, abs=1e-9)
        else:
            assert scores[name] is None


@pytest.mark.skipif(
    shutil.which("perl") is None, reason="ir_measures computes ERR and exponential gain in Perl"
)
@given(qrels=qrels_of, run=runs_of)
@settings(generated, max_examples=40)
def test_exponential_gain_and_err_are_those_of_gdeval(qrels: Qrels, run: Run) -> None:
    """gdeval prints five decimals, and fixes the largest grade for ERR at 4."""
    names = {"nDCG(dcg='exp-log2')@3": "ndcg(gain=exp)@3", "ERR@3": "err(max=4)@3"}
    shard = Shard.of_rankings(ranked(run))
    scores = score(judgments_of(qrels), MemoryRun("generated", (shard,)), list(names.values()), trec=True)
    _, by_query = theirs(names, qrels, untied(run))
    for name in names.values():
        assert scores.per_query(name) == pytest.approx(by_query[name], rel=0, abs=6e-6), name
