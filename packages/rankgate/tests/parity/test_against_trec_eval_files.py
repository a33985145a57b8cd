"""The files that trec_eval tests itself with come out as it prints them."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import pytest

from rankgate.runs.formats.load import load_run
from rankgate.scoring.evaluate import score
from rankgate.truth.judgments.formats import load_judgments

if TYPE_CHECKING:
    from pathlib import Path

CUTS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)


@dataclass(frozen=True)
class Printed:
    """What trec_eval printed for a run, and the options it was called with."""

    output: str
    qrels: str = "qrels.test"
    run: str = "results.test"
    rel: int = 1
    """`-l`: the level from which a grade is relevant."""
    depth: int | None = None
    """`-M`: how many hits of a query count."""
    different: frozenset[str] = frozenset()
    """What rankgate defines in another way and this file shows it; each has a test of its own below."""


PRINTED = [
    Printed("out.test"),
    Printed("out.test.a"),
    Printed("out.test.aq"),
    Printed("out.test.aqc", run="results.trunc"),
    Printed("out.test.aqcM", run="results.trunc", depth=100),
    Printed(
        "out.test.aql",
        qrels="qrels.rel_level",
        rel=2,
        different=frozenset({"rbp", "unj_5", "unj_10", "unj_20"}),
    ),
    Printed("out.test.meas_params"),
    Printed("out.comment.test", qrels="qrels.comment.test", run="results.comment.test"),
]
EACH = pytest.mark.parametrize("printed", PRINTED, ids=lambda printed: printed.output)

GRADED = {"ndcg": "ndcg"} | {f"ndcg_cut_{k}": f"ndcg@{k}" for k in (*CUTS, 23)}
"""trec_eval's name to our expression; `-l` does not touch these."""

BINARY = (
    {
        "map": "ap{}",
        "Rprec": "rprec{}",
        "Rprec_mult_1.00": "rprec{}",
        "bpref": "bpref{}",
        "recip_rank": "rr{}",
    }
    | {"set_P": "p{}", "set_recall": "r{}", "set_F": "f1{}"}
    | {f"P_{k}": f"p{{}}@{k}" for k in (3, 7, *CUTS)}
    | {f"recall_{k}": f"r{{}}@{k}" for k in (*CUTS, 2000)}
    | {f"map_cut_{k}": f"ap{{}}@{k}" for k in CUTS}
    | {f"success_{k}": f"hit{{}}@{k}" for k in (1, 2, 5, 10, 20)}
)
"""trec_eval's name to our expression, with a gap for `(rel=2)`."""

UNJUDGED = {f"unj_{k}": f"judged@{k}" for k in (5, 10, 20)}
"""trec_eval's share of the top k without a judgment: 1 - judged@k for a query with k hits or more."""

NOT_OURS = (
    {"runid", "num_ret", "num_rel", "num_rel_ret", "num_nonrel_judged_ret", "relstring", "relstring_20"}
    | {"gm_map", "gm_bpref", "infAP", "G", "binG", "Rndcg", "ndcg_rel", "ndcg_1=3,2=9,4=4.5", "rbp_resid"}
    | {"11pt_avg", "11pt_avg_.25,.5,.75", "set_map", "set_relative_P", "utility", "utility_2,-1,0,0"}
    | {f"iprec_at_recall_{tenths / 10:.2f}" for tenths in range(11)}
    | {"iprec_at_recall_0.25", "iprec_at_recall_0.75"}
    | {f"Rprec_mult_{share}" for share in ("0.20", "0.35", "0.40", "0.60", "0.80")}
    | {f"Rprec_mult_{share}" for share in ("1.20", "1.40", "1.60", "1.80", "2.00", "5.00")}
    | {f"relative_P_{k}" for k in CUTS}
)
OURS = {*GRADED, *BINARY, *UNJUDGED, "rbp", "num_q"}


def expressions(rel: int) -> dict[str, str]:
    level, also = ("", "") if rel == 1 else (f"(rel={rel})", f", rel={rel}")
    binary = {name: expression.format(level) for name, expression in BINARY.items()}
    return GRADED | binary | UNJUDGED | {"rbp": f"rbp(p=0.9{also})"}


class Line(NamedTuple):
    name: str
    query: str
    value: str


def lines(path: Path) -> list[Line]:
    return [Line(*(part.strip() for part in line.split("\t"))) for line in path.read_text().splitlines()]


def as_float32(number: float) -> float:
    value: float = struct.unpack("f", struct.pack("f", number))[0]
    return value


def rows_by_query(path: Path) -> dict[str, list[str]]:
    """Give each query's lines in trec_eval's order: score descending in float32, id descending."""
    by_query: dict[str, list[str]] = {}
    for line in path.read_text().splitlines():
        by_query.setdefault(line.split()[0], []).append(line)
    for found in by_query.values():
        found.sort(key=lambda line: (as_float32(float(line.split()[4])), line.split()[2]), reverse=True)
    return by_query


@EACH
def test_every_figure_is_printed_alike(shared_data: Path, tmp_path: Path, printed: Printed) -> None:
    folder = shared_data / "trec/trec_eval-tests"
    rows = {query: found[: printed.depth] for query, found in rows_by_query(folder / printed.run).items()}
    run_file = folder / printed.run
    if printed.depth is not None:
        run_file = tmp_path / "cut.run"
        run_file.write_text("".join(f"{line}\n" for found in rows.values() for line in found))
    table = expressions(printed.rel)
    judgments = load_judgments(folder / printed.qrels)
    scores = score(judgments, load_run(run_file, order="trec"), sorted(set(table.values())), trec=True)

    wrong, compared = [], 0
    for name, query, value in lines(folder / printed.output):
        if name in UNJUDGED and (query == "all" or len(rows.get(query, [])) < 20):
            continue
        if name not in table or name in printed.different:
            continue
        got = scores[table[name]] if query == "all" else scores.per_query(table[name])[query]
        assert got is not None, (name, query)
        shown = f"{1 - got if name in UNJUDGED else got:.4f}"
        compared += 1
        if shown != value:
            wrong.append((name, table[name], query, value, shown))
    assert wrong == []
    assert compared >= 13


@pytest.mark.parametrize(
    "printed",
    [one for one in PRINTED if one.output != "out.test.meas_params"],
    ids=lambda printed: printed.output,
)
def test_as_many_queries_count_as_trec_eval_says(shared_data: Path, printed: Printed) -> None:
    folder = shared_data / "trec/trec_eval-tests"
    [said] = [
        line.value for line in lines(folder / printed.output) if (line.name, line.query) == ("num_q", "all")
    ]
    run = load_run(folder / printed.run, order="trec")
    counts = score(load_judgments(folder / printed.qrels), run, ["ap"], trec=True).counts("ap")
    assert str(counts.scored) == said


def test_every_measure_of_trec_eval_is_either_compared_or_listed_as_not_ours(shared_data: Path) -> None:
    folder = shared_data / "trec/trec_eval-tests"
    names = {line.name for printed in PRINTED for line in lines(folder / printed.output)}
    assert names - OURS - NOT_OURS == set()
    assert NOT_OURS - names == set()
    assert not OURS & NOT_OURS
    assert OURS - names == set()


def test_a_judged_query_that_the_run_lacks_counts_as_zero(shared_data: Path) -> None:
    folder = shared_data / "trec/trec_eval-tests"
    assert "302" not in rows_by_query(folder / "results.trunc")
    run = load_run(folder / "results.trunc", order="trec")
    scores = score(load_judgments(folder / "qrels.test"), run, ["ap"], trec=True)
    assert scores.per_query("ap")["302"] == 0
    assert scores.counts("ap").missing == 1


def test_trec_eval_takes_minus_one_for_unjudged_and_rankgate_for_judged(
    shared_data: Path, tmp_path: Path
) -> None:
    """Topic 303 of `qrels.rel_level` has 304 documents graded -1. Without those rows the two agree again."""
    folder = shared_data / "trec/trec_eval-tests"
    rows = (folder / "qrels.rel_level").read_text().splitlines()
    without = tmp_path / "without.qrels"
    without.write_text("".join(f"{row}\n" for row in rows if row.split()[3] != "-1"))
    run = load_run(folder / "results.test", order="trec")
    names = list(UNJUDGED.values())
    kept = score(load_judgments(folder / "qrels.rel_level"), run, names, trec=True)
    dropped = score(load_judgments(without), run, names, trec=True)
    printed = {line.name: line.value for line in lines(folder / "out.test.aql") if line.query == "303"}
    for theirs, ours in UNJUDGED.items():
        share = dropped.per_query(ours)["303"]
        assert share is not None
        assert f"{1 - share:.4f}" == printed[theirs]
        assert kept.per_query(ours)["303"] == 1


def test_trec_eval_grades_rbp_by_the_largest_grade_of_the_query_and_rankgate_does_not(
    shared_data: Path,
) -> None:
    """What topic 301 finds early is graded 1 and its largest grade is 4: trec_eval prints a quarter."""
    folder = shared_data / "trec/trec_eval-tests"
    run = load_run(folder / "results.test", order="trec")
    judgments = load_judgments(folder / "qrels.rel_level")
    ours = score(judgments, run, ["rbp(p=0.9)"], trec=True).per_query("rbp(p=0.9)")["301"]
    [theirs] = [line.value for line in lines(folder / "out.test.aql") if line[:2] == ("rbp", "301")]
    assert ours is not None
    assert f"{ours / 4:.4f}" == theirs


def test_a_custom_gain_is_a_change_of_grades(shared_data: Path, tmp_path: Path) -> None:
    """trec_eval's `ndcg.1=3,2=9,4=4.5` on grades 0 and 1 is nDCG with the 1 written as 3."""
    folder = shared_data / "trec/trec_eval-tests"
    rows = [line.split() for line in (folder / "qrels.test").read_text().splitlines()]
    regraded = tmp_path / "regraded.qrels"
    regraded.write_text("".join(f"{q} {i} {d} {'3' if g == '1' else g}\n" for q, i, d, g in rows))
    values = score(
        load_judgments(regraded), load_run(folder / "results.test", order="trec"), ["ndcg"], trec=True
    )
    printed = {
        line.query: line.value for line in lines(folder / "out.test.meas_params") if "1=3" in line.name
    }
    shown = {query: f"{value:.4f}" for query, value in values.per_query("ndcg").items()}
    assert shown | {"all": f"{values['ndcg']:.4f}"} == printed
