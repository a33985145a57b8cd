"""A run that goes on: what failed is replaced, whenever it is stopped, and nothing else is touched."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from rankgate.errors import InputError
from rankgate.model import Answer, Hit, Query, Ranking
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun

QUESTIONS = [CaseQuery(f"q{number}", Query(f"text {number}")) for number in range(12)]
MANIFEST = Manifest("mine", contents={"app.py": "0" * 16})


class Engine:
    """Fails on some queries, and remembers what it was asked."""

    def __init__(self, *down: int) -> None:
        self._down = {f"text {number}" for number in down}
        self.asked: list[str] = []

    def search(self, query: Query) -> Ranking:
        self.asked.append(query.text)
        if query.text in self._down:
            raise ConnectionError("no index")
        return Ranking((Hit(id=query.text, text=query.text),))


def ask(folder: Path, engine: Engine, size: int = 3, manifest: Manifest = MANIFEST) -> StoredRun:
    keep = KeepOptions(folder=folder, shard_size=size, existing="resume")
    run = execute(QUESTIONS, engine, manifest=manifest, keep=keep)
    assert isinstance(run, StoredRun)
    return run


def statuses(folder: Path) -> dict[str, str]:
    """Check that a run is whole as far as it goes, and return how each query ended."""
    run = StoredRun.open(folder)
    run.verify()
    rows = [row for shard in run.shards() for row in shard.queries.select("query", "status").iter_rows()]
    hits = [row for shard in run.shards() for row in shard.scan_hits(["query"]).collect()["query"]]
    assert len(dict(rows)) == len(rows)
    assert sorted(hits) == sorted(query for query, status in rows if status == Answer.OK)
    return dict(rows)


def test_what_failed_is_asked_again_until_it_does_not(tmp_path: Path) -> None:
    ask(tmp_path, Engine(1, 2, 7, 11))
    for down, again in (((2, 7), {1, 2, 7, 11}), ((2, 7), {2, 7}), ((), {2, 7}), ((), set())):
        engine = Engine(*down)
        ask(tmp_path, engine)
        assert set(engine.asked) == {f"text {number}" for number in again}
        failed = {query for query, status in statuses(tmp_path).items() if status != Answer.OK}
        assert failed == {f"q{number}" for number in down}
        named = len(StoredRun.open(tmp_path).manifest.shards)
        assert len(list(tmp_path.glob("*.parquet"))) == 3 * named


def test_a_crash_at_any_write_leaves_a_run_that_is_read_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    replace, unlink = Path.replace, Path.unlink

    def stops(folder: Path, at: int) -> bool:
        counted = itertools.count()

        def step() -> None:
            if next(counted) == at:
                raise KeyboardInterrupt

        def slow_replace(self: Path, target: Path) -> Path:
            step()
            return replace(self, target)

        def slow_unlink(self: Path, *, missing_ok: bool = False) -> None:
            if self.suffix == ".parquet":
                step()
            unlink(self, missing_ok=missing_ok)

        with monkeypatch.context() as patch:
            patch.setattr(Path, "replace", slow_replace)
            patch.setattr(Path, "unlink", slow_unlink)
            try:
                ask(folder, Engine(), size=2)
            except KeyboardInterrupt:
                return True
        return False

    for at in itertools.count():
        folder = tmp_path / str(at)
        ask(folder, Engine(0, 1, 5, 6, 10))
        if not stops(folder, at):
            break
        assert len(statuses(folder)) == 12
        ask(folder, Engine())
        assert set(statuses(folder).values()) == {Answer.OK}
        assert len(list(folder.glob("*.parquet"))) == 3 * len(StoredRun.open(folder).manifest.shards)
    assert at > 20


def test_another_state_of_the_system_is_refused_in_words(tmp_path: Path) -> None:
    before = Manifest("mine", contents={"app.py": "0" * 16, "$BASE": "1" * 16, "Python": "3.11.4"}, k=10)
    now = Manifest("mine", contents={"app.py": "2" * 16, "$BASE": "3" * 16, "Python": "3.12.1"}, k=20)
    ask(tmp_path, Engine(3), manifest=before)
    with pytest.raises(InputError) as caught:
        ask(tmp_path, Engine(), manifest=now)
    for words in (
        "app.py was changed",
        "$BASE has another value",
        "Python was 3.11.4 and is 3.12.1",
        "k was 10 and is 20",
    ):
        assert words in str(caught.value)
