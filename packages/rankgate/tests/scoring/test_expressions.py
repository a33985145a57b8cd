"""Expressions: one canonical spelling, every other one understood or refused in words."""

from __future__ import annotations

import string
from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from rankgate.errors import ExpressionError, InputError
from rankgate.scoring.expressions import ALIASES, WeightedSum, parse, parse_all
from support.builders import graded, scored

SPELLINGS = {
    "nDCG@10": "ndcg@10",
    "ndcg_at_10": "ndcg@10",
    "NDCG_AT_10": "ndcg@10",
    "ndcg_cut_10": "ndcg@10",
    "ndcg_10": "ndcg@10",
    " ndcg@10 ": "ndcg@10",
    "ndcg(gain=linear)@10": "ndcg@10",
    "ndcg(judged_only=False)@10": "ndcg@10",
    "nDCG(gain=exp)@10": "ndcg(gain=exp)@10",
    "ndcg(judged_only)@10": "ndcg(judged_only)@10",
    "ndcg(judged_only=TRUE, gain=exp)@3": "ndcg(gain=exp, judged_only)@3",
    "P_5": "p@5",
    "P@5": "p@5",
    "precision@5": "p@5",
    "precision_at_5": "p@5",
    "p(any=true)@5": "p(any)@5",
    "p(any=false)@5": "p@5",
    "set_P": "p",
    "recall@10": "r@10",
    "recall_10": "r@10",
    "set_recall": "r",
    "recall@4000tokens": "r@4000tokens",
    "success_1": "hit@1",
    "Success@1": "hit@1",
    "hits@3": "hit@3",
    "hit_rate@3": "hit@3",
    "HitRate@3": "hit@3",
    "MRR": "rr",
    "mrr@10": "rr@10",
    "recip_rank": "rr",
    "reciprocal_rank": "rr",
    "rr(rel=2.0)": "rr(rel=2)",
    "rr( rel = 2 )": "rr(rel=2)",
    "MAP": "ap",
    "map_cut_10": "ap@10",
    "average_precision": "ap",
    "Rprec": "rprec",
    "r_precision": "rprec",
    "set_F": "f1",
    "F1@5": "f1@5",
    "ERR(max=3)@20": "err(max=3)@20",
    "rbp(p=0.8)": "rbp",
    "rbp(p=.5)": "rbp(p=0.5)",
    "latency": "latency.mean",
    "latency.p95": "latency.p95",
    "latency.p99.9": "latency.p99.9",
    "latency.max": "latency.max",
    "tokens_to(recall=1)": "tokens_to@8000tokens",
    "tokens_to(recall=1)@400tokens": "tokens_to@400tokens",
    "tokens_to(recall=0.5, rel=2)": "tokens_to(recall=0.5, rel=2)@8000tokens",
    "line_p@5": "line_p@5",
    "line_r_5": "line_r@5",
    "iou@500tokens": "iou@500tokens",
    "pndcg(c=0.5)@10": "pndcg(c=0.5)@10",
    "pndcg(cost=2)@10": "pndcg(cost=2)@10",
    "ap(rel=-1)": "ap(rel=-1)",
    "0.4*p@5 + 0.3*r@5 + 0.3*MRR": "0.4*p@5 + 0.3*r@5 + 0.3*rr",
    "p@5-r@5": "1*p@5 - 1*r@5",
    "P@5 - 2 * R@5": "1*p@5 - 2*r@5",
    "1e-3*p@5": "0.001*p@5",
    "relevance = 0.4*p@5 + 0.6*rr": "relevance",
    "my-title=p@5": "my-title",
}


@pytest.mark.parametrize(("spelling", "label"), SPELLINGS.items())
def test_each_spelling_has_its_label(spelling: str, label: str) -> None:
    assert parse(spelling).label == label


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_label_is_the_spelling_of_itself(spelling: str) -> None:
    metric = parse(spelling)
    written = metric.formula if isinstance(metric, WeightedSum) else metric.label
    again = parse(written)
    assert again.label == written
    if not isinstance(metric, WeightedSum):
        assert again == metric


@pytest.mark.parametrize(("alias", "name"), ALIASES.items())
def test_each_alias_is_a_name_that_is_read_and_never_written(alias: str, name: str) -> None:
    assert parse(alias) == parse(name)
    assert parse(alias).label == name
    assert parse(alias.upper()).label == name
    assert parse(f"{alias}@7").label == f"{name}@7" if parse(name).cut_by else True


@pytest.mark.parametrize("text", ["rbp(p=0.1234567)", "ap(rel=1234567)", "0.1234567*p@5 + 0.5*rr"])
def test_a_label_keeps_every_digit(text: str) -> None:
    assert parse(parse(text).label) == parse(text)


@pytest.mark.parametrize("text", ["latency.p95.0", "latency.p095", "latency.P95"])
def test_a_percentile_has_one_spelling(text: str) -> None:
    assert parse(text).label == "latency.p95"


@pytest.mark.parametrize(
    ("text", "found", "expected", "fix"),
    [
        ("ndgc@10", "metric 'ndgc'", "one of `rankgate list metrics`", "did you mean ndcg"),
        ("precison@5", "metric 'precison'", "one of `rankgate list metrics`", "did you mean precision"),
        ("xyzzyq", "metric 'xyzzyq'", "one of `rankgate list metrics`", "one of your own must be installed"),
        ("ap(relevance=2)", "parameter 'relevance'", "a parameter of ap: rel", "did you mean rel?"),
        ("ap(grade=2)", "parameter 'grade'", "a parameter of ap: rel", ""),
        ("rr(rel)", "rel without a value", "rel=…", ""),
        ("rr(rel=)", "rel=", "a number", ""),
        ("rr(rel=high)", "rel=high", "a number", ""),
        ("rr(rel=nan)", "rel=nan", "a number", ""),
        ("rr(rel=inf)", "rel=inf", "a number", ""),
        ("rr(rel=1e999)", "rel=1e999", "a number", ""),
        ("rr(rel=1, rel=2)", "rel twice", "rel once", ""),
        ("p(any=maybe)@5", "any=maybe", "any, any=true or any=false", ""),
        ("ndcg(gain=cubic)@5", "gain=cubic", "linear or exp", ""),
        ("ndcg@0", "a cut at 0", "1 or more", ""),
        ("p_0", "a cut at 0", "1 or more", ""),
        ("rprec@5", "a cut at 5", "rprec, which has none", ""),
        ("bpref@5", "a cut at 5", "bpref, which has none", ""),
        ("latency@5", "a cut at 5", "latency, which has none", ""),
        ("ndcg@400tokens", "a cut it does not have", "ndcg@10", ""),
        ("rr.p95", ".p95", "rr without a statistic", ""),
        ("latency.p0", "'p0'", "mean, max, or p50, p95, p99", ""),
        ("latency.p101", "'p101'", "mean, max, or p50, p95, p99", ""),
        ("latency.median", "'median'", "mean, max, or p50, p95, p99", ""),
        ("rbp(p=1)", "p=1", "a p between 0 and 1", ""),
        ("rbp(p=0)", "p=0", "a p between 0 and 1", ""),
        ("tokens_to(recall=0)", "recall=0", "above 0 and at most 1", ""),
        ("tokens_to(recall=1.5)", "recall=1.5", "above 0 and at most 1", ""),
        ("pndcg(c=-1)@5", "a negative cost", "0 or more", ""),
        ("pndcg(cost=-1)@5", "a negative cost", "0 or more", ""),
        ("", "the end of the expression", "a metric such as", ""),
        ("  ", "the end of the expression", "a metric such as", ""),
        ("p@5 +", "the end of the expression", "a metric such as", ""),
        ("title =", "the end of the expression", "a metric such as", ""),
        ("-p@5", "'-p@5'", "a metric such as", ""),
        ("p@5 r@5", "'r@5'", "a metric such as", ""),
        ("p@five", "'@five'", "a metric such as", ""),
        ("p@-5", "'@-5'", "a metric such as", ""),
        ("p@5.5", "'.5'", "a metric such as", ""),
        ("ndcg(gain=exp@5", "'(gain=exp@5'", "a metric such as", ""),
        ("p@5 * 2", "'* 2'", "a metric such as", ""),
        ("0.5*latency", "latency.mean in a sum", "metrics that are means of shares", ""),
        ("t = latency.p95", "latency.p95 in a sum", "metrics that are means of shares", ""),
        ("p@5 + tokens_to", "tokens_to@8000tokens in a sum", "metrics that are means of shares", ""),
    ],
)
def test_what_cannot_be_read_says_what_was_found_and_expected(
    text: str, found: str, expected: str, fix: str
) -> None:
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    (problem,) = caught.value.problems
    assert problem.found == found
    assert problem.expected.startswith(expected)
    assert fix in problem.fix
    assert problem.where


def test_every_problem_is_reported_at_once() -> None:
    with pytest.raises(ExpressionError) as caught:
        parse_all(["ndgc@10", "ndcg@10", "p@0", "rr(rel=nan)"])
    assert [problem.found for problem in caught.value.problems] == ["metric 'ndgc'", "a cut at 0", "rel=nan"]
    assert str(caught.value).count("\n") == 2


def test_what_is_said_twice_counts_once_and_the_order_stays() -> None:
    assert [metric.label for metric in parse_all(["rr", "nDCG@10", "MRR", "ndcg_at_10", "ap"])] == [
        "rr", "ndcg@10", "ap",
    ]  # fmt: skip


def test_two_different_sums_of_one_title_are_refused() -> None:
    with pytest.raises(ExpressionError, match=r"a second 'mix', expected another title"):
        parse_all(["mix = p@5 + rr", "mix = p@5 - rr"])
    with pytest.raises(ExpressionError, match=r"a second 'rr'"):
        parse_all(["rr", "rr = p@5"])
    assert len(parse_all(["mix = p@5 + rr", "mix = P@5 + MRR"])) == 1


def test_the_weighted_sum_of_the_decision() -> None:
    """P@5 = 2/5, r@5 = 1 and rr = 1/2: 0.4 × 0.4 + 0.3 × 1 + 0.3 × 0.5 = 0.61."""
    text = "relevance = 0.4*p@5 + 0.3*r@5 + 0.3*rr"
    assert scored(graded({"a": 1, "b": 1}), ["x", "a", "b"], text) == [pytest.approx(0.61, abs=1e-15)]


def test_a_term_may_be_taken_off() -> None:
    values = scored(graded({"a": 1}), ["x", "a"], "rr - 0.5*p@2", "0.25*hit@2 - rr - rr")
    assert values == pytest.approx([0.25, -0.75], abs=1e-15)


def test_a_sum_is_undefined_where_a_term_is() -> None:
    assert scored(graded({"a": 1}), ["a"], "0.5*rr + 0.5*judged@5", "rr + rr(rel=2)") == [None, None]


def test_a_sum_reads_what_its_terms_read() -> None:
    assert parse("rr + r@400tokens").reads == {"tokens"}
    assert parse("rr + judged@5").reads == {"irrelevant"}
    assert parse("rr(rel=0)").reads == {"irrelevant"}


SYMBOLS = "()=@*+-.,_ \t\n"
WORDS = """
    ndcg p rr latency rel gain exp any tokens stat max recall @10 @0 _at_ _cut_ 1e5 1e999 nan 0.5 ٣ é NDCG
    sum judged_only p95 title
"""
pieces = st.sampled_from([*SYMBOLS, *WORDS.split()])


@given(st.lists(pieces, max_size=12).map("".join) | st.text(string.printable + "é٣", max_size=30))
@example("latency.p95@3")
@example("latency(stat=p95)")
@example("sum(terms=1)")
@example("p(cut=3)")
@example("a=b=c")
def test_any_text_is_an_expression_or_an_expression_error(text: str) -> None:
    with suppress(ExpressionError):
        metric = parse(text)
        written = metric.formula if isinstance(metric, WeightedSum) else metric.label
        assert parse(written).label == written


@pytest.mark.parametrize("text", ["ndcg@" + "9" * 5000, "ndcg_at_" + "9" * 5000])
def test_a_cut_of_five_thousand_digits_is_an_expression_error(text: str) -> None:
    with pytest.raises(ExpressionError):
        parse(text)


@pytest.mark.parametrize("name", ["p", "f1"])
def test_a_cut_beyond_every_ranking_is_refused_or_scored(name: str) -> None:
    with suppress(ExpressionError):
        scored(graded({"a": 1}), ["a"], f"{name}@99999999999999999999")


def test_a_weight_that_is_no_number_is_an_expression_error() -> None:
    with pytest.raises(ExpressionError):
        parse("1e999*p@5")


def test_a_scale_that_no_double_holds_is_refused() -> None:
    with pytest.raises(InputError):
        scored(graded({"a": 1}), ["a"], "err(max=2000)@5")


@pytest.mark.parametrize("title", ["query", "status"])
def test_a_title_that_names_a_column_of_the_scores_is_refused(title: str) -> None:
    with pytest.raises(ExpressionError):
        parse(f"{title} = p@5 + rr")


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("ndcg@10", "0 to 1"),
        ("2*p@5", "0 to 2"),
        ("p@5 - 0.5*rr", "-0.5 to 1"),
        ("0.5*dcg@10 + rr", "0 or more"),
        ("rr - dcg@10", "1 or less"),
        ("pndcg@1", "-1 to 1"),
        ("latency.p95", "0 or more"),
        ("tokens_to@4000tokens", "0 to 4000"),
    ],
)
def test_range_of_expression_follows_weights_and_signs(metric: str, expected: str) -> None:
    assert str(parse(metric).range) == expected
