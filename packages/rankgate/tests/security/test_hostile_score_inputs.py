"""Hostile files: each ends with exit code 2 and a message, or with a correct result; never a traceback."""

from __future__ import annotations

import gzip
import json
import math
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import Shard
from rankgate.truth.judgments.table import Judgments
from support.commands import Done, rankgate, rankgate_alone

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

LONG = "x" * 10**5
SECONDS = 60


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    path = tmp_path / "qrels"
    path.write_text("q 0 a 2\nq 0 b 1\n")
    return path


@pytest.fixture
def run(tmp_path: Path) -> Path:
    path = tmp_path / "run"
    path.write_text("q Q0 a 1 2 t\nq Q0 b 2 1 t\n")
    return path


def answered_or_refused(done: Done) -> Done:
    assert "Traceback" not in done.err, done.err[-2000:]
    assert done.code in (0, 2), done
    if done.code == 2:
        done.refused()
    return done


@pytest.mark.parametrize("style", ["table", "json", "csv", "trec"])
def test_names_of_a_hundred_thousand_characters_are_scored(tmp_path: Path, style: str) -> None:
    (tmp_path / "q").write_text(f"q 0 a 1\n{LONG} 0 {LONG} 1\n")
    (tmp_path / "r").write_text(f"{LONG} Q0 {LONG} 1 1 {LONG}\n")
    args = ("score", "-q", tmp_path / "q", "-r", tmp_path / "r", "-m", "rr", "--per-query", "--format", style)
    assert rankgate_alone(*args, timeout=SECONDS).printed().count("x") >= 2 * 10**5


def test_a_first_line_of_a_hundred_thousand_characters_is_scored_or_refused(
    tmp_path: Path, run: Path
) -> None:
    (tmp_path / "q").write_text(f"{LONG} 0 a 1\n")
    done = answered_or_refused(rankgate("score", "-q", tmp_path / "q", "-r", run))
    assert len(done.err) < 1000


def test_a_long_wrong_line_is_cut_in_the_message(tmp_path: Path, qrels: Path) -> None:
    (tmp_path / "r").write_text(f"{LONG} {LONG}\n" * 30)
    message = rankgate("score", "-q", qrels, "-r", tmp_path / "r").refused()
    assert len(message) < 10_000
    assert "10 more problems" in message


@pytest.mark.parametrize("data", [b"q 0 a\0 1\n", b"\0" * 5000, "q 0 a 1\n".encode("utf-16")])
def test_nul_bytes_are_refused(tmp_path: Path, qrels: Path, run: Path, data: bytes) -> None:
    path = tmp_path / "nul"
    path.write_bytes(data)
    rankgate("score", "-q", path, "-r", run).refused()
    rankgate("score", "-q", qrels, "-r", path).refused()


def test_a_nul_that_json_spells_out_is_part_of_a_name(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text('{"query": "q\\u0000", "id": "a\\u0000"}\n')
    (tmp_path / "r.jsonl").write_text('{"query": "q\\u0000", "hits": ["a\\u0000"]}\n')
    args = ("-q", tmp_path / "q.jsonl", "-r", tmp_path / "r.jsonl", "-m", "rr", "--per-query")
    text = rankgate("score", *args).printed()
    assert "q\\x00" in text
    assert "\0" not in text


ANSI = "\x1b]0;owned\x07\x1b[2J\x1b[31m\u202egnp.exe\x9b31m"


def test_ansi_escapes_do_not_reach_the_terminal_in_a_result(tmp_path: Path) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps({"query": ANSI, "id": "a"}))
    (tmp_path / "r.jsonl").write_text(json.dumps({"query": ANSI, "hits": ["a"], ANSI: 1}))
    args = ("-q", tmp_path / "q.jsonl", "-r", tmp_path / "r.jsonl", "-m", "rr", "--per-query")
    for style in ("table", "json", "csv", "trec"):
        text = rankgate("score", *args, "--format", style).printed()
        assert not set(text) & set("\x1b\x07\x9b\u202e"), style


@pytest.mark.parametrize(
    "line",
    [
        {"query": ANSI, "status": ANSI},
        {"query": ANSI, "hits": [{"path": f"/{ANSI}", "start": 9, "end": 3}]},
        {"query": "q", "hits": [{"id": 3, "path": ANSI, ANSI: ANSI}]},
        {"query": [ANSI]},
        {"query": "q", "hits": ANSI},
    ],
)
def test_ansi_escapes_do_not_reach_the_terminal_in_a_refusal(
    tmp_path: Path, qrels: Path, line: dict[str, object]
) -> None:
    (tmp_path / "r.jsonl").write_text(json.dumps(line))
    message = rankgate("score", "-q", qrels, "-r", tmp_path / "r.jsonl").refused()
    assert not set(message) & set("\x1b\x07\x9b\u202e")


def test_the_name_of_a_file_does_not_steer_the_terminal(tmp_path: Path, run: Path) -> None:
    message = rankgate("score", "-q", tmp_path / "a\x07\x9b31m", "-r", run).refused()
    assert not set(message) & set("\x1b\x07\x9b")


@pytest.mark.parametrize(
    "unit",
    [
        b"\0",
        b" ",
        b"q 0 a 1\n",
        b"[",
        pytest.param(b"\n", marks=pytest.mark.long),
        pytest.param(b"#", marks=pytest.mark.long),
    ],
)
def test_a_gzip_bomb_ends_in_time(tmp_path: Path, qrels: Path, run: Path, unit: bytes) -> None:
    """16 MB from some 16 kB; the limit itself, 8 GiB, is held by the tests of files."""
    size = 1 << 24
    bomb = tmp_path / "bomb.gz"
    bomb.write_bytes(gzip.compress(unit * (size // len(unit)), 9))
    assert bomb.stat().st_size < size / 100
    answered_or_refused(rankgate_alone("score", "-q", bomb, "-r", run, "-m", "rr", timeout=SECONDS))
    answered_or_refused(rankgate_alone("score", "-q", qrels, "-r", bomb, "-m", "rr", timeout=SECONDS))


def test_a_gzip_file_inside_a_gzip_file_is_opened_once(tmp_path: Path, run: Path) -> None:
    inner = gzip.compress(b"q 0 a 1\n")
    (tmp_path / "twice.gz").write_bytes(gzip.compress(inner))
    rankgate("score", "-q", tmp_path / "twice.gz", "-r", run).refused()


def nested(depth: int) -> str:
    return "[" * depth + "]" * depth


@pytest.mark.parametrize("depth", [10, 500, 960, 975, 990, 10**5])
@pytest.mark.parametrize(
    "frame", ['{"query": "q", "hits": [%s]}', '{"query": %s}', '{"query": "q", "x": %s}', "%s"]
)
def test_json_nested_deeply_ends_in_time(tmp_path: Path, qrels: Path, frame: str, depth: int) -> None:
    (tmp_path / "deep.jsonl").write_text(frame % nested(depth) + "\n")
    done = rankgate_alone("score", "-q", qrels, "-r", tmp_path / "deep.jsonl", timeout=SECONDS)
    answered_or_refused(done)


@pytest.mark.parametrize("depth", [100, 10**5])
def test_judgments_nested_deeply_are_refused(tmp_path: Path, run: Path, depth: int) -> None:
    (tmp_path / "deep.jsonl").write_text(f'{{"query": "q", "id": {nested(depth)}}}\n')
    rankgate_alone("score", "-q", tmp_path / "deep.jsonl", "-r", run, timeout=SECONDS).refused()


def stored(folder: Path, change: Callable[[dict[str, Any]], object]) -> Path:
    """A run of one shard whose manifest was changed by hand."""
    with RunWriter(folder, Manifest("system")) as writer:
        writer.add(Shard.of_rankings({"q": ["a", "x"]}))
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text())
    change(manifest)
    path.write_text(json.dumps(manifest))
    return folder


def in_shard(**values: object) -> Callable[[dict[str, Any]], object]:
    return lambda manifest: manifest["shards"][0].update(values)


@pytest.mark.parametrize(
    "number", ["../../../../etc/passwd", "/etc/passwd", "0/../..", None, [], {}, "", "٠x", -1, 7, 10**12]
)
def test_a_manifest_cannot_name_a_file_outside_its_folder(
    tmp_path: Path, qrels: Path, number: object
) -> None:
    folder = stored(tmp_path / "run", in_shard(number=number))
    message = rankgate("score", "-q", qrels, "-r", folder).refused()
    assert str(folder) in message


def test_fields_of_a_manifest_that_name_other_files_are_not_read(tmp_path: Path, qrels: Path) -> None:
    other = {"path": "../../../../etc/passwd", "file": "/etc/passwd"}
    folder = stored(tmp_path / "run", lambda manifest: manifest["shards"][0]["hits"].update(other))
    assert "0.7602" in rankgate("score", "-q", qrels, "-r", folder, "-m", "ndcg@10").printed()


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest.clear(),
        lambda manifest: manifest.update(kind="judgments"),
        lambda manifest: manifest.update(schema=99),
        lambda manifest: manifest.update(schema="1"),
        lambda manifest: manifest.update(system=None),
        lambda manifest: manifest.update(order="sideways"),
        lambda manifest: manifest.update(order=[]),
        lambda manifest: manifest.update(options=[]),
        lambda manifest: manifest.update(shards={}),
        lambda manifest: manifest.update(shards=[3]),
        lambda manifest: manifest["shards"][0].pop("hits"),
        lambda manifest: manifest["shards"][0]["hits"].update(rows=3),
        lambda manifest: manifest["shards"][0]["hits"].update(rows=-1),
        lambda manifest: manifest["shards"][0]["hits"].update(rows="many"),
    ],
)
def test_a_manifest_that_was_tampered_with_is_refused(
    tmp_path: Path, qrels: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    rankgate("score", "-q", qrels, "-r", stored(tmp_path / "run", change)).refused()


def test_a_manifest_with_endless_rows_is_refused(tmp_path: Path, qrels: Path) -> None:
    endless = {"rows": math.inf}
    rankgate("score", "-q", qrels, "-r", stored(tmp_path / "run", in_shard(hits=endless))).refused()


def test_a_manifest_with_an_endless_number_is_refused(tmp_path: Path, qrels: Path) -> None:
    rankgate("score", "-q", qrels, "-r", stored(tmp_path / "run", in_shard(number=10**400))).refused()


def test_a_manifest_nested_deeply_is_refused(tmp_path: Path, qrels: Path) -> None:
    folder = stored(tmp_path / "run", lambda _: None)
    path = folder / "manifest.json"
    deep = '{"a":' * 600 + "1" + "}" * 600
    path.write_text(path.read_text().replace('"options": {}', f'"options": {deep}'))
    answered_or_refused(rankgate_alone("score", "-q", qrels, "-r", folder, timeout=SECONDS))


def test_a_shard_that_is_no_parquet_is_refused(tmp_path: Path, qrels: Path) -> None:
    folder = stored(tmp_path / "run", lambda _: None)
    for name in ("hits", "queries"):
        (folder / f"{name}-00000.parquet").write_bytes(b"PAR1" + b"\xff" * 100 + b"PAR1")
        rankgate("score", "-q", qrels, "-r", folder).refused()


def judged(
    folder: Path,
    change: Callable[[dict[str, Any]], object] = lambda _: None,
    targets: Callable[[pl.DataFrame], pl.DataFrame] = lambda frame: frame,
) -> Path:
    """A folder of judgments that was changed by hand."""
    Judgments.of(pl.DataFrame({"query": ["q"], "id": ["a"], "grade": [1.0]})).write(folder)
    path, table = folder / "manifest.json", folder / "judgments.parquet"
    manifest = json.loads(path.read_text())
    targets(pl.read_parquet(table)).write_parquet(table)
    change(manifest)
    path.write_text(json.dumps(manifest))
    return folder


@pytest.mark.parametrize(
    "change",
    [
        lambda manifest: manifest["matching"].update(min_fraction=math.nan),
        lambda manifest: manifest["matching"].update(min_lines="3"),
        lambda manifest: manifest["matching"].update(by="guess"),
        lambda manifest: manifest.update(matching=[]),
        lambda manifest: manifest.update(notes=3),
    ],
)
def test_judgments_that_were_tampered_with_are_refused(
    tmp_path: Path, run: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    rankgate("score", "-q", judged(tmp_path / "judged", change), "-r", run).refused()


@pytest.mark.parametrize(
    ("field", "value", "metric"),
    [("notes", [1], "rr"), ("max_grade", "top", "err"), ("max_grade", [], "err")],
)
def test_fields_of_another_type_are_refused(
    tmp_path: Path, run: Path, field: str, value: object, metric: str
) -> None:
    folder = judged(tmp_path / "judged", lambda manifest: manifest.update({field: value}))
    rankgate("score", "-q", folder, "-r", run, "-m", metric).refused()


def test_targets_without_a_case_are_refused(tmp_path: Path, run: Path) -> None:
    folder = judged(tmp_path / "judged", targets=lambda frame: frame.with_columns(query=pl.lit("other")))
    rankgate("score", "-q", folder, "-r", run).refused()


def test_a_line_number_of_five_thousand_digits_is_refused(tmp_path: Path, run: Path) -> None:
    (tmp_path / "q.jsonl").write_text(json.dumps({"query": "q", "at": "a.py:" + "9" * 5000}))
    rankgate("score", "-q", tmp_path / "q.jsonl", "-r", run).refused()


@pytest.mark.parametrize(
    "grade", ["1e18", "-1e308", "5e-324", "1e999", "nan", "inf", "0x10", "1_000", "٣", "+1"]
)
def test_odd_grades_are_scored_or_refused(tmp_path: Path, run: Path, grade: str) -> None:
    (tmp_path / "q").write_text(f"q 0 a {grade}\nq 0 c 1\n")
    answered_or_refused(rankgate("score", "-q", tmp_path / "q", "-r", run, "--format", "json"))


def test_a_grade_beyond_every_integer_is_scored_without_a_warning(tmp_path: Path, run: Path) -> None:
    (tmp_path / "q").write_text("q 0 a 1e19\nq 0 c 1\n")
    rankgate_alone("score", "-q", tmp_path / "q", "-r", run, "-m", "ndcg@10").printed()


@pytest.mark.parametrize("score", ["1e999", "-inf", "1e-999", "nan", "0x10", "٣", "1e39"])
def test_odd_scores_are_ranked_or_refused(tmp_path: Path, qrels: Path, score: str) -> None:
    (tmp_path / "r").write_text(f"q Q0 a 1 {score} t\nq Q0 b 2 1 t\n")
    answered_or_refused(rankgate("score", "-q", qrels, "-r", tmp_path / "r", "--format", "json"))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("grade", "metric"), [("2000", "ndcg(gain=exp)"), ("1.7e308", "dcg"), ("1", "err(max=2000)")]
)
def test_gains_that_no_double_holds_are_refused(tmp_path: Path, run: Path, grade: str, metric: str) -> None:
    (tmp_path / "q").write_text(f"q 0 a {grade}\nq 0 b {grade}\n")
    args = ("-q", tmp_path / "q", "-r", run, "-m", metric, "--format", "json")
    answered_or_refused(rankgate("score", *args))
