"""suites/RESULTS.md: its tables are whole, and what is cheap to measure is as they say."""

from __future__ import annotations

import doctest
import re
from statistics import fmean

import pytest

import suite_page
from page_tables import read_tables, rows_of, table_of
from rankgate.suites.formats import load_suite
from reference_support import operations_suite
from suite_differences import TOGETHER
from suite_ground import PLANS, SUITES, Ground, Plan, query_counts
from suite_measuring import Desk, measured
from suite_page import SYSTEMS, alike, tables_of, wrong_on
from suite_results import PAGE
from suite_systems import CONTENDERS

CHEAP = ("sqlite", "tantivy", "reference-lexical")
COLUMNS = {
    "systems": ["system", "version", "set as"],
    "handbook": [
        "system", "nDCG@10", "MRR", "P@1", "recall@10", "judged@10 (n = 105)", "hits judged",
        "left empty, of 6", "errors",
    ],
    "operations": [
        "system", "nDCG@5", "rr(rel=3)", "hit@1", "P@5 (at most 0.663)", "judged@10 (n = 102)", "hits judged",
        "errors",
    ],
    "code": [
        "system", "nDCG@10", "MRR", "recall@10", "nDCG@10, hard (12)", "judged@10 (n = 63)", "hits judged",
        "errors",
    ],
    "docs": [
        "system", "nDCG@10", "MRR", "recall@10", "nDCG@10, hard (12)", "judged@10 (n = 58)", "hits judged",
        "left empty, of 1", "errors",
    ],
    "ratings": [
        "system", "pnDCG@10", "nDCG@10", "P@5 (at most 0.943)", "recall@10", "judged@10 (n = 21)",
        "hits judged", "errors",
    ],
    "corpora": ["suite", "documents", "pieces", "nodes"],
    "time": ["system", "index, s", "p50, ms", "p95, ms", "p50 / Tantivy's"],
    "differences": ["95 % interval", "detectable", "p", "p by Holm", "better", "worse", "alike"],
}  # fmt: skip


@pytest.fixture(scope="module")
def page() -> str:
    return PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=PLANS, ids=lambda plan: plan.name)
def plan(request: pytest.FixtureRequest) -> Plan:
    found: Plan = request.param
    return found


def test_every_system_and_every_column_is_on_the_page(page: str, plan: Plan) -> None:
    labels = [one.label for one in CONTENDERS if plan.name in one.suites]
    base = next(one.label for one in CONTENDERS if one.name == plan.base)
    tables = {name: rows_of(table) for name, table in read_tables(page).items()}
    slices = [f"{name} ({marked.sum()})" for name, marked in Ground.read(plan).slices.items()]
    ndcg = next(iter(plan.metrics))
    for name, wanted, rows in (
        (plan.name, COLUMNS[plan.name], labels),
        (f"{plan.name}-slices", ["system", *slices], labels),
        (
            f"{plan.name}-differences",
            ["system", f"difference in {ndcg}", *COLUMNS["differences"]],
            [label for label in labels if label != base],
        ),
        *([(f"{plan.name}-time", COLUMNS["time"], labels)] if plan.half is None else []),
    ):
        assert [list(row) for row in tables[name]] == [wanted] * len(rows), name
        assert [row["system"] for row in tables[name]] == rows
    assert [row["system"] for row in tables[SYSTEMS]] == [one.label for one in CONTENDERS]
    assert [row["suite"] for row in tables["corpora"]] == [plan.name for plan in PLANS]
    assert "not measured" not in page


def test_code_and_docs_are_compared_together_with_what_the_test_half_can_show(page: str) -> None:
    tables = {name: rows_of(table) for name, table in read_tables(page).items()}
    plans = [plan for plan in PLANS if plan.name in TOGETHER]
    (base,) = {plan.base for plan in plans}
    labels = [one.label for one in CONTENDERS if {*TOGETHER} <= {*one.suites} and one.name != base]
    here = [query_counts(plan, "development") for plan in plans]
    later = [query_counts(plan, "test") for plan in plans]
    for name, queries, count in (
        ("together-differences", sum(one.main for one in here), sum(one.main for one in later)),
        ("together-hard-differences", sum(one.hard for one in here), sum(one.hard for one in later)),
    ):
        first, second, *rest = COLUMNS["differences"]
        columns = ["system", "difference in nDCG@10", first, second, f"detectable by {count}", *rest]
        assert [list(row) for row in tables[name]] == [columns] * len(labels), name
        assert [row["system"] for row in tables[name]] == labels
        for row in tables[name]:
            assert sum(int(row[column]) for column in ("better", "worse", "alike")) == queries
    # The mean over both lies between those of the two, by how many queries each has.
    for row in tables["together-differences"]:
        parts = [
            one
            for plan in plans
            for one in tables[f"{plan.name}-differences"]
            if one["system"] == row["system"]
        ]
        weighted = [
            float(one["difference in nDCG@10"]) * count.main for one, count in zip(parts, here, strict=True)
        ]
        mean = sum(weighted) / sum(count.main for count in here)
        assert float(row["difference in nDCG@10"]) == pytest.approx(mean, abs=0.0011)
        for column in ("better", "worse", "alike"):
            assert int(row[column]) == sum(int(one[column]) for one in parts)


def test_what_is_cheap_to_measure_is_as_the_page_says(page: str, plan: Plan) -> None:
    pytest.importorskip("tantivy")
    if plan.half is not None:
        pytest.skip("`just pinned-suites` measures what is cheap of these")
    ground = Ground.read(plan)
    with Desk() as desk:
        found = measured(ground, [one for one in CONTENDERS if one.name in CHEAP], desk, rounds=1, builds=1)
    tables = tables_of(ground, found)
    assert [one.reason for one in found] == ["", "", ""]
    compared = f"{plan.name}-differences"
    # Holm counts how many are compared, and here they are fewer.
    rows = [{**row, "p by Holm": ""} for row in rows_of(tables.pop(compared))]
    assert wrong_on(page, tables) == ([], [])
    if plan.base in CHEAP:
        said = {row["system"]: row for row in rows_of(read_tables(page)[compared])}
        for row in rows:
            other = {**said[row["system"]], "p by Holm": ""}
            assert all(alike(other[column], cell) for column, cell in row.items()), (row, other)
    assert [one.answers.changed for one in found if one.answers] == [0, 0, 0]


def test_another_figure_is_told_and_another_time_is_not(page: str) -> None:
    tables = read_tables(page)
    assert wrong_on(page, tables) == ([], [])
    columns = list(rows_of(tables["handbook"])[0])
    first = [*rows_of(tables["handbook"])[0].values()]
    moved = table_of(columns, [[first[0], "0.999 [0.999, 0.999]", *first[2:]]])
    (told,) = wrong_on(page, {"handbook": moved})[0]
    assert told == f"handbook, {first[0]}: nDCG@10 is 0.999 [0.999, 0.999], the page says {first[1]}"
    unknown = table_of(columns, [["Other", *first[1:]]])
    assert wrong_on(page, {"handbook": unknown})[0] == [
        "handbook, Other: not on the page; run `just results`"
    ]
    absent = table_of(columns, [[first[0], "not measured: no java", *["–"] * (len(first) - 2)]])
    assert wrong_on(page, {"handbook": absent}) == ([], [f"handbook, {first[0]}: not measured: no java"])
    other = table_of(columns[:-1], [first[:-1]])
    assert "the columns are" in wrong_on(page, {"handbook": other})[0][0]
    slow = table_of(COLUMNS["time"], [[first[0], "99", "99", "99", "99"]])
    assert wrong_on(page, {"handbook-time": slow}) == ([], [])


def test_every_figure_in_words_stands_in_a_table(page: str) -> None:
    tables = "\n".join(read_tables(page).values())
    words = page
    for table in read_tables(page).values():
        words = words.replace(table, "")
    figures = re.findall(r"\b0\.\d{3}\b", words)
    assert len(figures) >= 10
    assert [one for one in figures if one not in tables] == []


def test_the_counts_in_words_are_those_of_the_suites(page: str) -> None:
    book, calls, code, docs, ratings = map(Ground.read, PLANS)
    whole = {
        one.plan.name: len(load_suite(SUITES / one.plan.name / f"{one.plan.name}.yaml").cases)
        for one in (code, docs, ratings)
    }
    for words in (
        f"{len(book.suite.cases)} queries over documents and code",
        f"{len(calls.suite.cases)} queries for the right call",
        f"{len(book.corpus)} files of a made-up product, {len(calls.corpus)} operations",
        f"{len(code.corpus)} files of source and {len(docs.corpus)} of documentation",
        f"\n{book.main.sum()} queries, seen before: all but 15 with filters and {book.empty.sum()} that",
        f"\nAll {calls.main.sum()} queries, seen before.",
        f"{whole['code']} queries over the source of six Python projects | {len(code.suite.cases)} ",
        f"{whole['docs']} queries over the documentation of six Python projects | {len(docs.suite.cases)} ",
        f"{whole['ratings']} queries for complete sets in the same source | {len(ratings.suite.cases)} ",
        f"\n{code.main.sum()} queries of the development half, over {len(code.corpus)} files",
        f"\n{docs.main.sum()} queries of the development half that have an answer, over {len(docs.corpus)} ",
        f"\n{ratings.main.sum()} queries of the development half, each for",
        f"{code.main.sum() + docs.main.sum()} of the development halves; every query",
        f"\nThe {code.hard.sum() + docs.hard.sum()} hard queries alone, {code.hard.sum()} of each suite:",
    ):
        assert words in page
    rows = {row["suite"]: row for row in rows_of(read_tables(page)["corpora"])}
    for one in (book, calls):
        assert int(rows[one.plan.name]["pieces"]) == len(one.pieces())
    for one in (book, calls, code, docs, ratings):
        assert int(rows[one.plan.name]["documents"]) == len(one.corpus)


def test_the_ceiling_of_precision_is_that_of_the_suite() -> None:
    ground = Ground.read(next(plan for plan in PLANS if plan.name == "operations"))
    best = fmean(operations_suite.ceiling(case)["p@5"] for case in ground.suite.cases)
    assert ground.most_p5 == pytest.approx(best)


def test_the_examples_hold() -> None:
    assert doctest.testmod(suite_page).failed == 0
