"""Judgments read piece by piece score as those in memory, to the last bit."""

from __future__ import annotations

import json
import random
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from click.testing import CliRunner
from polars.testing import assert_frame_equal

from rankgate.cli.main import cli
from rankgate.errors import FormatError, InputError
from rankgate.evaluation.kept_answers import judged_run
from rankgate.files.atomic import digest
from rankgate.runs.store.batches import batches
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring import evaluate
from rankgate.scoring.evaluate import score
from rankgate.scoring.repeats import score_all
from rankgate.truth.judgments import formats, pieces
from rankgate.truth.judgments.formats import open_judgments
from rankgate.truth.judgments.pieces import JudgmentsFile
from rankgate.truth.judgments.table import Judgments, read_judgments
from support.builders import at

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from rankgate.model import Hit
    from rankgate.scoring.scores import Scores

METRICS = ["ndcg@5", "ap", "rr", "p@3", "r@5", "bpref", "judged@5", "pndcg@5", "f1", "rprec"]
QUERIES = [f"q{number:02}" for number in range(40)]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "PIECE", 7)
    monkeypatch.setattr(formats, "LARGE", 20)


def row(chance: random.Random, query: str, kind: str) -> dict[str, Any]:
    start = chance.randrange(1, 40)
    where: dict[str, dict[str, Any]] = {
        "id": {"id": f"d{chance.randrange(30)}"},
        "lines": {"path": f"./f{chance.randrange(4)}.py", "start": start, "end": start + chance.randrange(8)},
        "path": {"path": f"f{chance.randrange(4)}.py"},
        "gone": {"strategy": "gone"},
    }
    return {
        "query": query,
        "grade": chance.choice((-1.0, 0.0, 1.0, 2.0)),
        "group": chance.choice((None, None, "a", "b")) if kind != "gone" else None,
        "reviewed": chance.random() < 0.9,
        **dict.fromkeys(("id", "path", "start", "end", "strategy")),
        **where[kind],
    }


def drawn_targets(chance: random.Random, queries: list[str], *, gone: bool) -> pl.DataFrame:
    """Return targets of every kind: most queries have few, one more than two pieces hold, some none."""
    kinds = [chance.choice((["id"], ["lines", "path"], ["id", "lines"])) for _ in queries]
    counts = [chance.choice((0, 1, 2, 3, 5)) for _ in queries]
    counts[chance.randrange(len(counts))] = 19
    rows = [
        row(chance, query, "gone" if gone and chance.random() < 0.3 else chance.choice(kind))
        for query, kind, many in zip(queries, kinds, counts, strict=True)
        for _ in range(many)
    ]
    every = pl.DataFrame(
        rows, schema_overrides={"start": pl.UInt32, "end": pl.UInt32, "strategy": pl.String, "id": pl.String}
    )
    located = every.filter(pl.col("strategy").is_null())
    once = located.unique(["query", "id", "path", "start", "end"], maintain_order=True)
    return pl.concat([once, every.filter(pl.col("strategy").is_not_null())]).sort(
        "query", maintain_order=True
    )


def drawn_run(chance: random.Random) -> MemoryRun:
    asked = [*QUERIES[3:], "unjudged"]
    if chance.random() < 0.5:
        chance.shuffle(asked)
    answers: dict[str, list[Hit | str]] = {
        query: [
            at(f"f{chance.randrange(4)}.py", start := chance.randrange(1, 40), start + chance.randrange(15))
            if chance.random() < 0.5
            else f"d{chance.randrange(30)}"
            for _ in range(chance.randrange(9))
        ]
        for query in asked
    }
    return MemoryRun(
        "drawn",
        [
            Shard.of_rankings({query: answers[query] for query in asked[first : first + 6]})
            for first in range(0, len(asked), 6)
        ],
    )


def assert_same(found: Scores, expected: Scores) -> None:
    assert_frame_equal(found.frame(), expected.frame(), check_exact=True)
    for metric in METRICS:
        assert found[metric] == expected[metric]
        assert found.counts(metric) == expected.counts(metric)
    assert (found.unjudged, found.notes) == (expected.unjudged, expected.notes)


@pytest.mark.parametrize("seed", range(25))
def test_a_folder_scores_by_pieces_as_in_memory(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    cases = pl.DataFrame(
        {
            "query": QUERIES,
            "weight": [chance.choice((1.0, 0.1, 0.7)) for _ in QUERIES],
            "exhaustive": [chance.random() < 0.3 for _ in QUERIES],
        }
    )
    whole = Judgments.of(drawn_targets(chance, QUERIES, gone=seed % 2 == 0), cases)
    whole.write(tmp_path / "judged")
    opened, run, again = open_judgments(tmp_path / "judged"), drawn_run(chance), drawn_run(chance)
    assert isinstance(opened, JudgmentsFile)
    assert (opened.height, opened.cases["query"].to_list()) == (whole.height, QUERIES)
    for trec in (False, True):
        assert_same(score(opened, run, METRICS, trec=trec), score(whole, run, METRICS, trec=trec))
    repeats = [run, again]
    assert_same(score_all(opened, repeats, METRICS, 3), score_all(whole, repeats, METRICS, 3))


@pytest.mark.parametrize("seed", range(25))
def test_a_table_of_another_tool_scores_by_pieces_as_in_memory(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    targets = drawn_targets(chance, QUERIES, gone=False).drop("strategy")
    twice = targets.sample(seed % 3, seed=seed)
    targets = pl.concat([targets, twice]).sort("query", maintain_order=True)
    file = tmp_path / "judged.parquet"
    targets.write_parquet(file)
    opened, whole, run = open_judgments(file), read_judgments(file), drawn_run(chance)
    assert isinstance(opened, JudgmentsFile)
    assert_same(score(opened, run, METRICS), score(whole, run, METRICS))
    assert bool(opened.notes) == (seed % 3 > 0)


def test_targets_that_do_not_stand_together_are_read_whole(tmp_path: Path) -> None:
    targets = pl.DataFrame({"query": ["a", "b"] * 20, "id": [f"d{number}" for number in range(40)]})
    targets.write_parquet(tmp_path / "torn.parquet")
    assert isinstance(open_judgments(tmp_path / "torn.parquet"), Judgments)
    # Far apart, so that no piece has both halves.
    far = pl.concat([targets.sort("query"), pl.DataFrame({"query": ["a"], "id": ["last"]})])
    far.write_parquet(tmp_path / "far.parquet")
    assert isinstance(open_judgments(tmp_path / "far.parquet"), Judgments)


def test_what_is_wrong_is_refused_as_in_memory(tmp_path: Path) -> None:
    grades = [1.0] * 30 + [float("nan")]
    wrong = pl.DataFrame({"query": [f"q{n:02}" for n in range(31)], "id": ["d"] * 31, "grade": grades})
    wrong.write_parquet(tmp_path / "wrong.parquet")
    with pytest.raises(FormatError, match=r"q30.*finite number"):
        open_judgments(tmp_path / "wrong.parquet")
    Judgments.of(wrong.head(30)).write(tmp_path / "folder")
    (tmp_path / "folder" / "judgments.parquet").write_bytes((tmp_path / "wrong.parquet").read_bytes())
    with pytest.raises(FormatError, match="SHA-256"):
        open_judgments(tmp_path / "folder")


def test_the_command_shows_the_same_however_judgments_are_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(3)
    drawn_targets(chance, QUERIES, gone=False).drop("strategy").write_parquet(tmp_path / "judged.parquet")
    with RunWriter(tmp_path / "run", Manifest("drawn")) as writer:
        for shard in drawn_run(chance).shards():
            writer.add(shard)
    call = ["score", "-q", str(tmp_path / "judged.parquet"), "-r", str(tmp_path / "run"), "--format", "json"]
    by_pieces = CliRunner().invoke(cli, call)
    monkeypatch.setattr(formats, "LARGE", 10**6)
    in_memory = CliRunner().invoke(cli, call)
    assert (by_pieces.exit_code, by_pieces.output) == (0, in_memory.output)
    assert "ndcg@10" in in_memory.output


def test_characters_of_one_query_decide_nothing_for_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two hits that reach a target of lines by the same lines are a repeat, wherever they begin in a line."""
    lines = {"query": "a", "path": "f", "start": [1, 6], "end": [5, 10], "start_char": None, "end_char": None}
    quoted = {"query": "b", "path": "g", "start": [1], "end": [3], "start_char": [0], "end_char": [9]}
    kinds = dict.fromkeys(("start", "end", "start_char", "end_char"), pl.UInt32)
    alone, other = (pl.DataFrame(rows, schema_overrides=kinds) for rows in (lines, quoted))
    twice = {"rank": [1, 2], "path": "f", "start": 1, "end": 10, "start_char": [0, 50], "end_char": [50, 99]}
    once = {"rank": [1], "path": "g", "start": 1, "end": 3, "start_char": 0, "end_char": 9}
    shards = [
        Shard.of(pl.DataFrame({"query": [name]}), pl.DataFrame({"query": name, **rows}))
        for name, rows in (("a", twice), ("b", once))
    ]
    table = pl.concat([alone, other])
    table.write_parquet(tmp_path / "judgments.parquet")
    by_pieces = JudgmentsFile.open(tmp_path / "judgments.parquet")
    assert by_pieces is not None
    monkeypatch.setattr("rankgate.scoring.evaluate.batches", lambda every: batches(every, 1))
    names = ["p@2", "ap", "ndcg@2"]
    expected = score(Judgments.of(alone), MemoryRun("r", shards[:1]), names)
    for judged in (Judgments.of(table), by_pieces):
        both = score(judged, MemoryRun("r", shards), names)
        assert [both.per_query(one)["a"] for one in names] == [expected.per_query(one)["a"] for one in names]


def test_a_folder_that_names_a_query_twice_is_refused_in_pieces_too(tmp_path: Path) -> None:
    rows = pl.DataFrame({"query": ["a", "a", "b"], "id": ["x", "y", "z"]})
    Judgments.of(rows).write(tmp_path)
    cases = pl.read_parquet(tmp_path / "cases.parquet")
    pl.concat([cases[:1], cases]).write_parquet(tmp_path / "cases.parquet")
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    manifest["files"]["cases.parquet"]["sha256"] = digest(tmp_path / "cases.parquet")
    (tmp_path / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(FormatError, match="more than one case"):
        JudgmentsFile.open(tmp_path)


def test_targets_said_twice_are_counted_once(tmp_path: Path) -> None:
    pl.DataFrame({"query": ["q"] * 3, "id": ["a", "a", "b"]}).write_parquet(tmp_path / "judgments.parquet")
    by_pieces = JudgmentsFile.open(tmp_path / "judgments.parquet")
    assert by_pieces is not None
    assert by_pieces.height == read_judgments(tmp_path / "judgments.parquet").height == 2


def test_judgments_of_a_suite_without_texts_are_scored_in_pieces_too(tmp_path: Path) -> None:
    rows = pl.DataFrame({"query": ["a", "b"], "id": ["x", "y"]})
    Judgments.of(rows, suite="0123456789ab").write(tmp_path / "judgments")
    with RunWriter(tmp_path / "run", Manifest("stored")) as writer:
        writer.add(Shard.of_rankings({"a": ["x"], "b": ["z"]}))
    by_pieces = JudgmentsFile.open(tmp_path / "judgments")
    assert by_pieces is not None
    run = StoredRun.open(tmp_path / "run")
    in_memory = judged_run(run, read_judgments(tmp_path / "judgments"), None)
    assert judged_run(run, by_pieces, None).manifest == in_memory.manifest


@pytest.mark.parametrize("lone", [False, True])
def test_a_table_that_is_another_one_by_then_is_refused(lone: bool, tmp_path: Path) -> None:
    targets = drawn_targets(random.Random(3), QUERIES, gone=False)
    Judgments.of(targets).write(tmp_path / "j")
    table = tmp_path / "j" / "judgments.parquet"
    file = JudgmentsFile.open(table if lone else tmp_path / "j")
    assert file is not None
    assert file.part(np.arange(3)).height
    pl.read_parquet(table).with_columns(grade=pl.col("grade") + 1).write_parquet(table)
    with pytest.raises(InputError, match="another file than was opened"):
        file.part(np.arange(3))


def test_a_table_that_is_shorter_by_then_is_refused(tmp_path: Path) -> None:
    targets = drawn_targets(random.Random(3), QUERIES, gone=False)
    Judgments.of(targets).write(tmp_path / "j")
    table = tmp_path / "j" / "judgments.parquet"
    file = JudgmentsFile.open(table)
    assert file is not None
    pl.read_parquet(table)[:3].write_parquet(table)
    with pytest.raises(InputError, match="another file than was opened"):
        file.part(np.array([0, file.cases.height - 1]))


def test_another_mode_or_one_more_name_of_a_table_is_no_change(tmp_path: Path) -> None:
    Judgments.of(drawn_targets(random.Random(3), QUERIES, gone=False)).write(tmp_path / "j")
    table = tmp_path / "j" / "judgments.parquet"
    file = JudgmentsFile.open(tmp_path / "j")
    assert file is not None
    table.chmod(0o600)
    (tmp_path / "backup").hardlink_to(table)
    assert file.part(np.arange(3)).height


def test_queries_that_a_run_does_not_have_are_scored_some_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    judgments = Judgments.of(drawn_targets(random.Random(4), QUERIES, gone=False))
    judgments.write(tmp_path / "j")
    run = MemoryRun("run", [Shard.of_rankings({QUERIES[0]: ["d1", "d2"]})])
    expected = score(judgments, run, METRICS)
    monkeypatch.setattr(evaluate, "_ABSENT", 3)
    file, read, whole = open_judgments(tmp_path / "j"), [], JudgmentsFile.part

    def part(self: JudgmentsFile, wanted: NDArray[np.int64]) -> Judgments:
        read.append(len(wanted))
        return whole(self, wanted)

    monkeypatch.setattr(JudgmentsFile, "part", part)
    assert isinstance(file, JudgmentsFile)
    assert_same(score(file, run, METRICS), expected)
    assert max(read) == 3
