"""Asking: every question once, whatever the system does."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.errors import InputError, SystemFailedError
from rankgate.model import Hit, Query, Ranking
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from rankgate.runs.store.tables import MemoryRun

MANIFEST = Manifest("mine")


class Fake:
    """Answers each query with its own text, and remembers what it was asked."""

    def __init__(self, answer: Callable[[str], object] | None = None) -> None:
        self.asked: list[str] = []
        self._answer = answer or (lambda text: Ranking((Hit(id=text),)))

    def search(self, query: Query) -> Ranking:
        self.asked.append(query.text)
        return self._answer(query.text)  # type: ignore[return-value]


def questions(count: int) -> list[CaseQuery]:
    return [CaseQuery(f"q{number}", Query(f"text {number}")) for number in range(count)]


def statuses(run: MemoryRun | StoredRun) -> list[tuple[str, str, str | None]]:
    return [
        row for shard in run.shards() for row in shard.queries.select("query", "status", "error").iter_rows()
    ]


def found(run: MemoryRun | StoredRun) -> list[tuple[object, ...]]:
    columns = ["query", "rank", "id", "path", "start", "end", "score", "text", "tokens"]
    return [row for shard in run.shards() for row in shard.scan_hits(columns).collect().iter_rows()]


def test_a_run_in_memory_and_one_in_a_folder_hold_the_same(tmp_path: Path) -> None:
    memory = execute(questions(7), Fake(), manifest=MANIFEST, keep=KeepOptions(shard_size=3))
    stored = execute(questions(7), Fake(), manifest=MANIFEST, keep=KeepOptions(shard_size=3, folder=tmp_path))
    assert isinstance(stored, StoredRun)
    stored.verify()
    assert stored.manifest.finished is not None
    assert [shard.queries.height for shard in stored.shards()] == [3, 3, 1]
    assert found(memory) == found(stored)
    assert statuses(memory) == statuses(stored) == [(f"q{number}", "ok", None) for number in range(7)]
    assert memory.name == stored.name == "mine"


def test_no_question_makes_a_run_without_queries(tmp_path: Path) -> None:
    assert found(execute([], Fake(), manifest=MANIFEST)) == []
    assert found(execute([], Fake(), manifest=MANIFEST, keep=KeepOptions(folder=tmp_path))) == []


def failing(text: str) -> object:
    match text:
        case "text 1":
            raise SystemFailedError("no\nindex \x1b[31m")
        case "text 2":
            raise TimeoutError("10 s")
        case "text 3":
            raise ZeroDivisionError
        case "text 4":
            return ["a"]
        case "text 5":
            return Ranking((Hit(id=5.5),))  # type: ignore[arg-type]
        case "text 6":
            return Ranking((Hit(path="/etc/passwd"),))
        case "text 7":
            return Ranking((Hit(id="a", score=float("nan")),))
        case "text 8":
            return Ranking((Hit(id="\ud800"),))
        case "text 9":
            return Ranking((Hit(id="a", text=b"x"),))  # type: ignore[arg-type]
    return Ranking((Hit(id=text),))


@pytest.mark.parametrize("shard_size", [1, 4, 200])
def test_whatever_a_system_does_is_kept_to_its_question(shard_size: int) -> None:
    run = execute(questions(11), Fake(failing), manifest=MANIFEST, keep=KeepOptions(shard_size=shard_size))
    rows = statuses(run)
    wanted = ["ok", "error", "timeout", *["error"] * 7, "ok"]
    assert [status for _, status, _ in rows] == wanted
    assert [row[0] for row in found(run)] == ["q0", "q10"]
    errors = [error for _, _, error in rows]
    assert errors[1:5] == [
        r"no; index \x1b[31m [system-failed]",
        "TimeoutError: 10 s [timed-out]",
        "ZeroDivisionError [system-raised]",
        "answer: found a list, expected a Ranking [wrong-answer]",
    ]
    assert all(error and error.isprintable() for error in errors[1:10])
    assert "/etc/passwd" in (errors[6] or "")


def test_latency_is_of_the_system_alone() -> None:
    def slow(hits: pl.DataFrame, _: Sequence[str | None]) -> pl.DataFrame:
        time.sleep(0.2)
        return hits

    def answer(text: str) -> Ranking:
        time.sleep(0.02)
        return Ranking((Hit(id=text),))

    [shard] = execute(questions(1), Fake(answer), manifest=MANIFEST, place=slow).shards()
    assert 15 < shard.queries["latency_ms"][0] < 150


def test_hits_are_located() -> None:
    run = execute(
        questions(1),
        Fake(),
        manifest=MANIFEST,
        place=lambda hits, _: hits.with_columns(path=pl.lit("a.md"), start=pl.lit(2), end=pl.lit(3)),
    )
    assert found(run)[0][2:6] == ("text 0", "a.md", 2, 3)


def test_tokens_that_are_not_reported_are_estimated_and_marked(tmp_path: Path) -> None:
    def answer(text: str) -> Ranking:
        guess = Hit(id="b", text="größer") if text >= "text 3" else Hit(id="b")
        return Ranking((Hit(id="a", text="some words", tokens=2), guess))

    marks = []

    def look(text: str) -> Ranking:
        marks.append(StoredRun.open(tmp_path).manifest.estimated)
        return answer(text)

    run = execute(
        questions(6), Fake(look), manifest=MANIFEST, keep=KeepOptions(folder=tmp_path, shard_size=2)
    )
    assert isinstance(run, StoredRun)
    assert (run.manifest.tokens, run.manifest.estimated) == ("bytes/4, a CJK letter 1", True)
    assert marks == [False] * 4 + [True] * 2
    assert [row[8] for row in found(run)] == [2, None] * 3 + [2, 2] * 3
    again = Fake(look)
    execute(questions(6), again, manifest=MANIFEST, keep=KeepOptions(folder=tmp_path, existing="resume"))
    assert again.asked == []


def test_tokens_that_the_system_reports_are_not_marked(tmp_path: Path) -> None:
    system = Fake(lambda text: Ranking((Hit(id="a", text=text, tokens=9),), tokens=12))
    run = execute(questions(1), system, manifest=MANIFEST, keep=KeepOptions(folder=tmp_path))
    assert isinstance(run, StoredRun)
    assert (run.manifest.tokens, run.manifest.estimated) == ("system", False)
    (shard,) = run.shards()
    assert shard.queries["tokens"].to_list() == [12]


@pytest.mark.parametrize(("texts", "kept"), [("none", []), ("snippet", [4096]), ("full", [9000])])
def test_texts_are_kept_as_told(tmp_path: Path, texts: str, kept: list[int]) -> None:
    system = Fake(lambda _: Ranking((Hit(text="x" * 9000),)))
    run = execute(questions(2), system, manifest=MANIFEST, keep=KeepOptions(folder=tmp_path, texts=texts))  # type: ignore[arg-type]
    assert isinstance(run, StoredRun)
    (shard,) = run.shards()
    assert [len(text) for text in shard.read_texts()["text"]] == kept
    assert run.manifest.texts == texts


def test_an_interrupt_keeps_every_answer_and_the_run_goes_on_from_there(tmp_path: Path) -> None:
    def answer(text: str) -> Ranking:
        if text == "text 7":
            raise KeyboardInterrupt
        return Ranking((Hit(id=text),))

    told = Told()
    with pytest.raises(KeyboardInterrupt):
        execute(
            questions(10),
            Fake(answer),
            manifest=MANIFEST,
            keep=KeepOptions(folder=tmp_path, shard_size=5),
            progress=told,
        )
    assert told.events == ["start 10", *["advance 0"] * 7, "finish"]
    stored = StoredRun.open(tmp_path)
    assert stored.manifest.finished is None
    assert len(found(stored)) == 7
    system = Fake()
    run = execute(
        questions(10),
        system,
        manifest=MANIFEST,
        keep=KeepOptions(folder=tmp_path, shard_size=5, existing="resume"),
    )
    assert system.asked == ["text 7", "text 8", "text 9"]
    assert found(run) == found(execute(questions(10), Fake(), manifest=MANIFEST))


class Told:
    """Remembers what it was told."""

    def __init__(self) -> None:
        self.events: list[str] = []

    def start(self, total: int, doing: str = "") -> None:  # noqa: ARG002 - of the protocol
        self.events.append(f"start {total}")

    def advance(self, errors: int) -> None:
        self.events.append(f"advance {errors}")

    def finish(self) -> None:
        self.events.append("finish")


def test_progress_counts_errors() -> None:
    told = Told()
    execute(questions(4), Fake(failing), manifest=MANIFEST, progress=told)
    assert told.events == ["start 4", "advance 0", "advance 1", "advance 2", "advance 3", "finish"]


def test_calls_that_make_no_run_are_refused_before_any_question(tmp_path: Path) -> None:
    system = Fake()
    with pytest.raises(InputError, match="'q0' again"):
        execute(questions(1) * 2, system, manifest=MANIFEST)
    with pytest.raises(InputError, match="1 or more"):
        execute(questions(1), system, manifest=MANIFEST, keep=KeepOptions(shard_size=0))
    execute(questions(2), Fake(), manifest=MANIFEST, keep=KeepOptions(folder=tmp_path))
    with pytest.raises(InputError, match="say --resume to go on with it"):
        execute(questions(3), system, manifest=MANIFEST, keep=KeepOptions(folder=tmp_path))
    with pytest.raises(InputError, match="the system was mine and is other"):
        execute(
            questions(3),
            system,
            manifest=Manifest("other"),
            keep=KeepOptions(folder=tmp_path, existing="resume"),
        )
    with pytest.raises(InputError, match="1 query was taken out"):
        execute(questions(1), system, manifest=MANIFEST, keep=KeepOptions(folder=tmp_path, existing="resume"))
    assert system.asked == []
