"""``rankgate score``: every format, several runs, and refusals in words."""

from __future__ import annotations

import csv
import io
import json
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from click.testing import CliRunner

from rankgate.cli.main import cli
from rankgate.runs.formats.load import load_run
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import Shard
from support.commands import rankgate, rankgate_alone

if TYPE_CHECKING:
    from collections.abc import Callable

QRELS = """\
keys 0 doc-1 2
keys 0 doc-2 1
keys 0 doc-9 0
hooks 0 doc-3 1
hooks 0 doc-4 1
empty 0 doc-5 0
"""
BM25 = """\
keys Q0 doc-9 1 3.0 bm25
keys Q0 doc-1 2 2.0 bm25
keys Q0 doc-2 3 1.0 bm25
hooks Q0 doc-3 1 9.0 bm25
empty Q0 doc-5 1 1.0 bm25
other Q0 doc-1 1 1.0 bm25
"""
DENSE = """\
keys Q0 doc-1 1 0.9 dense
keys Q0 doc-2 2 0.8 dense
empty Q0 doc-7 1 0.9 dense
"""
ANSWERS: list[dict[str, object]] = [
    {
        "query": "keys",
        "latency_ms": 12.5,
        "hits": [{"id": "doc-1", "tokens": 900}, {"id": "doc-2", "tokens": 400}],
    },
    {
        "query": "hooks",
        "status": "timeout",
        "error": "30 s",
        "latency_ms": 30000,
        "hits": [{"id": "doc-3", "tokens": 7}],
    },
    {"query": "empty", "latency_ms": 3, "hits": [], "took": 3},
]
AGENT = "".join(json.dumps(answer) + "\n" for answer in ANSWERS)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with judgments and runs, which is the current one, so that no message names another."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COLUMNS", raising=False)
    files = {"qrels": QRELS, "bm25.run": BM25, "dense.run": DENSE, "agent.jsonl": AGENT}
    for name, text in files.items():
        Path(name).write_text(text, encoding="utf-8")
    return tmp_path


def score(*args: str) -> str:
    result = CliRunner().invoke(cli, ["score", "--qrels", "qrels", *args])
    assert result.exit_code == 0, result.output
    assert result.exception is None
    return result.stdout


TWO_RUNS = ("--run", "bm25.run", "--run", "dense.run", "-m", "ndcg@10", "-m", "MRR", "-m", "ap(rel=2)")


@pytest.mark.parametrize("style", ["table", "json", "csv", "trec"])
@pytest.mark.parametrize("per_query", [False, True])
def test_two_runs_are_written_side_by_side(
    golden: Callable[[str, str], None], style: str, per_query: bool
) -> None:
    more = ("--per-query",) if per_query else ()
    text = score(*TWO_RUNS, "--format", style, *more)
    golden(f"score_two_runs_{style}" + ("_per_query" if per_query else ""), text)


def test_one_run_is_scored_by_the_usual_metrics(golden: Callable[[str, str], None]) -> None:
    golden("score_one_run", score("-r", "bm25.run"))


def test_a_run_with_failures_times_and_tokens_says_what_became_of_each_query(
    golden: Callable[[str, str], None],
) -> None:
    metrics = ["ndcg@10", "r@1000tokens", "tokens_to(recall=0.5)", "latency.p95", "judged@10"]
    text = score("-r", "agent.jsonl", *(part for metric in metrics for part in ("-m", metric)), "--per-query")
    golden("score_failures", text)


def test_the_json_holds_full_doubles_and_null() -> None:
    found = json.loads(score("-r", "agent.jsonl", "-m", "ndcg@10", "--per-query", "--format", "json"))
    (run,) = found["runs"]
    assert run["name"] == "agent"
    assert run["metrics"]["ndcg@10"] == {
        "value": 0.5, "scored": 2, "undefined": 1, "unreviewed": 0, "errored": 1, "missing": 0,
        "estimated": 0,
        "gone": 0,
    }  # fmt: skip
    assert run["queries"]["empty"] == {"status": "ok", "ndcg@10": None}
    assert run["queries"]["hooks"] == {"status": "timeout", "ndcg@10": 0.0}
    assert found["trec"] is False


def test_the_csv_is_read_back_as_the_json_says() -> None:
    args = (*TWO_RUNS, "--per-query", "--format")
    rows = list(csv.DictReader(io.StringIO(score(*args, "csv"))))
    found = json.loads(score(*args, "json"))
    for run in found["runs"]:
        for metric, about in run["metrics"].items():
            (mean,) = [
                row["value"]
                for row in rows
                if (row["run"], row["query"], row["metric"]) == (run["name"], "all", metric)
            ]
            assert float(mean) == about["value"]
    assert len(rows) == 2 * 3 * (3 + 1)


def test_the_header_names_the_order_and_the_counting() -> None:
    assert "order and counting: trec_eval" in score("-r", "bm25.run")
    assert "order and counting: trec_eval" in score("-r", "bm25.run", "--trec")
    assert "order: as returned" in score("-r", "bm25.run", "--no-trec")
    assert "order: as returned" in score("-r", "agent.jsonl")


def test_the_trec_rules_count_undefined_as_0_and_the_others_leave_it_out() -> None:
    values = [
        json.loads(score("-r", "dense.run", "-m", "rr", "--format", "json", rule))["runs"][0]["metrics"]["rr"]
        for rule in ("--trec", "--no-trec")
    ]
    assert [(about["value"], about["scored"], about["missing"]) for about in values] == [
        (pytest.approx(1 / 3), 3, 1), (0.5, 2, 1),
    ]  # fmt: skip


def test_without_the_trec_rules_the_rank_column_gives_the_order() -> None:
    Path("odd.run").write_text("keys Q0 doc-1 1 1.0 t\nkeys Q0 doc-9 2 5.0 t\n")
    first = [
        score("-r", "odd.run", "-m", "hit@1", "--format", "csv", "--per-query", rule).splitlines()[1]
        for rule in ("--trec", "--no-trec")
    ]
    assert first == ["t,keys,hit@1,0.0,0", "t,keys,hit@1,1.0,0"]


def test_the_header_does_not_claim_an_order_that_was_not_used() -> None:
    Path("odd.jsonl").write_text(
        '{"query": "keys", "hits": [{"id": "doc-1", "score": 1}, {"id": "doc-9", "score": 5}]}'
    )
    args = ("-r", "odd.jsonl", "-m", "hit@1", "--trec", "--per-query")
    sorted_by_score = "odd,keys,hit@1,0.0" in score(*args, "--format", "csv")
    assert sorted_by_score or "score as float32" not in score(*args)


def test_the_header_tells_the_order_of_a_stored_run_under_no_trec() -> None:
    with RunWriter("stored", Manifest("bm25", order="trec")) as writer:
        writer.add(Shard.of_rankings({"keys": ["doc-1"]}))
    assert "order: as returned" not in score("-r", "stored", "--no-trec")


def test_runs_of_two_kinds_are_refused_unless_one_rule_is_named() -> None:
    both = ("score", "-q", "qrels", "-r", "bm25.run", "-r", "agent.jsonl")
    message = rankgate(*both).refused()
    assert "--run: found TREC files beside runs of another kind" in message
    assert "say --trec or --no-trec" in message
    assert "order: as returned" in rankgate(*both, "--no-trec").printed()
    assert "trec_eval" in rankgate(*both, "--trec").printed()


def test_a_stored_run_scores_as_the_file_it_was_made_from() -> None:
    with RunWriter("stored", Manifest("bm25", order="trec")) as writer:
        run = load_run("bm25.run")
        for shard in run.shards():
            assert isinstance(shard, Shard)
            writer.add(shard)
    assert score("-r", "stored", "--format", "csv") == score("-r", "bm25.run", "--format", "csv")


def test_two_runs_of_one_name_are_told_apart() -> None:
    Path("copy.run").write_text(BM25)
    text = score("-r", "bm25.run", "-r", "copy.run", "-m", "rr", "--format", "csv")
    assert [line.split(",")[0] for line in text.splitlines()[1:]] == ["bm25.run", "copy.run"]
    same = score("-r", "bm25.run", "-r", "bm25.run", "-m", "rr", "--format", "json")
    names = [run["name"] for run in json.loads(same)["runs"]]
    assert len(set(names)) == 2


def test_the_scores_are_written_as_parquet_too() -> None:
    text = score(*TWO_RUNS, "--output", "new/scores.parquet", "--format", "csv", "--per-query")
    table = pl.read_parquet("new/scores.parquet")
    assert table.columns == ["run", "query", "status", "metric", "value", "estimated"]
    assert table.height == 2 * 3 * 3
    assert f"bm25,keys,ndcg@10,{table.row(0)[4]!r}" in text
    assert set(table["status"]) == {"ok", "missing"}


@pytest.mark.parametrize(
    ("args", "where", "found"),
    [
        (("-q", "qrels", "-r", "bm25.run", "-m", "ndgc@10"), "'ndgc@10'", "metric 'ndgc'"),
        (("-q", "qrels", "-r", "bm25.run", "-m", "p@0"), "p@0", "a cut at 0"),
        (("-q", "qrels", "-r", "bm25.run", "-m", ""), "''", "the end of the expression"),
        (("-q", "qrels", "-r", "bm25.run", "-m", "err"), "err", "no declared grade scale"),
        (("-q", "qrels", "-r", "bm25.run", "-m", "r@9tokens"), "run", "5 of 5 hits without a token count"),
        (("-q", "absent", "-r", "bm25.run"), "absent", "does not exist"),
        (("-q", "qrels", "-r", "absent.run"), "absent.run", "does not exist"),
        (("-q", "qrels", "-r", "."), ".", "a folder without manifest.json"),
        (("-q", ".", "-r", "bm25.run"), ".", "a folder without manifest.json or qrels/"),
        (("-q", "qrels", "-r", "qrels"), "qrels:1", "4 of them"),
        (("-q", "qrels", "-r", "garbage"), "garbage:1", "a NUL byte"),
        (("-q", "garbage", "-r", "bm25.run"), "garbage", "a first line of 1 words"),
    ],
)
def test_a_wrong_call_is_refused_with_where_found_and_expected(
    args: tuple[str, ...], where: str, found: str
) -> None:
    Path("garbage").write_bytes(bytes(range(256)) * 4)
    message = rankgate("score", *args).refused()
    plain = f"error: {where} {found}"
    assert message.startswith(plain if found == "does not exist" else f"error: {where}: found {found}")


def test_every_misspelt_metric_is_named_before_a_file_is_read() -> None:
    message = rankgate("score", "-q", "absent", "-r", "absent", "-m", "ndgc", "-m", "rr(rel=x)").refused()
    assert (
        "'ndgc': found metric 'ndgc', expected one of `rankgate list metrics`; did you mean ndcg" in message
    )
    assert "'rr(rel=x)': found rel=x, expected a number" in message


@pytest.mark.parametrize(
    "args",
    [
        (),
        ("--qrels", "qrels"),
        ("--run", "bm25.run"),
        ("--qrels", "qrels", "--run", "bm25.run", "--format", "xml"),
        ("--qrels", "qrels", "--run", "bm25.run", "--output", "."),
        ("--qrels", "qrels", "--run", "bm25.run", "--nonsense"),
    ],
)
def test_options_that_click_refuses_end_with_2_and_the_usage(args: tuple[str, ...]) -> None:
    done = rankgate("score", *args)
    assert done.code == 2
    assert "Usage: rankgate score" in done.err
    assert done.out == ""


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("-r", "bm25.run", "-m", "rr"), 0),
        (("-r", "bm25.run", "-m", "ndgc"), 2),
        (("-r", "absent"), 2),
    ],
)
def test_a_process_of_its_own_ends_as_one_in_here(args: tuple[str, ...], code: int) -> None:
    alone, here = (call("score", "-q", "qrels", *args) for call in (rankgate_alone, rankgate))
    assert alone == here
    assert alone.code == code


def test_a_file_that_is_not_utf8_is_refused_by_its_lines() -> None:
    Path("latin.run").write_bytes("keys Q0 d\u00e9j\u00e0 1 1.0 t\n".encode("latin-1"))
    message = rankgate_alone("score", "-q", "qrels", "-r", "latin.run").refused()
    assert message.startswith("error: latin.run:1: found byte 0xe9")


def test_an_output_that_cannot_be_written_is_refused() -> None:
    rankgate("score", "-q", "qrels", "-r", "bm25.run", "-o", "qrels/scores.parquet").refused()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_pipe_is_read_or_refused() -> None:
    os.mkfifo("pipe")

    def write() -> None:
        with suppress(BrokenPipeError):  # whoever reads may stop at the first look
            Path("pipe").write_text(QRELS)

    threading.Thread(target=write, daemon=True).start()
    done = rankgate_alone("score", "-q", "pipe", "-r", "bm25.run", timeout=30)
    assert done.code in (0, 2)
    assert "Traceback" not in done.err


def test_a_terminal_that_has_no_lines_still_gets_its_table() -> None:
    done = rankgate_alone("score", "-q", "qrels", "-r", "bm25.run", env={"PYTHONIOENCODING": "cp1252"})
    assert done.code == 0
    assert "Traceback" not in done.err


HOSTILE = "[red]x[/red]\x1b[31m\x07"


def hostile_files() -> None:
    Path("hostile.qrels").write_text(f"{HOSTILE} 0 a 1\n[bold]q 0 a 1\n", encoding="utf-8")
    Path("hostile.run").write_text(f"{HOSTILE} Q0 a 1 1 [b]run\x1b]0;title\x07\n", encoding="utf-8")


def test_markup_and_control_characters_in_names_are_shown_as_text(
    golden: Callable[[str, str], None],
) -> None:
    hostile_files()
    result = CliRunner().invoke(
        cli, ["score", "-q", "hostile.qrels", "-r", "hostile.run", "-m", "rr", "--per-query"]
    )
    assert result.exit_code == 0
    golden("score_hostile_names", result.stdout)


@pytest.mark.parametrize("style", ["table", "json", "csv", "trec"])
def test_no_control_character_reaches_the_terminal(style: str) -> None:
    hostile_files()
    args = ("-q", "hostile.qrels", "-r", "hostile.run", "-m", "rr", "--per-query", "--format", style)
    text = rankgate("score", *args).printed()
    assert [char for char in text if not char.isprintable() and char not in "\n\t"] == []
    assert "[red]x[/red]" in text


def test_the_json_names_a_query_as_the_judgments_do() -> None:
    Path("odd.qrels").write_text("a\x01 0 x 1\na\\x01 0 x 1\n", encoding="utf-8")
    Path("odd.run").write_text("a\x01 Q0 x 1 1 t\n", encoding="utf-8")
    args = ("-q", "odd.qrels", "-r", "odd.run", "-m", "rr", "--per-query", "--format", "json")
    (run,) = json.loads(rankgate("score", *args).printed())["runs"]
    assert {query: about["rr"] for query, about in run["queries"].items()} == {"a\x01": 1, "a\\x01": 0}
