"""Parts of a run, asked apart and joined."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import FormatError, InputError
from rankgate.model import Hit, Query, Ranking
from rankgate.runs.asking.ask import CaseQuery
from rankgate.runs.asking.execute import KeepOptions, execute
from rankgate.runs.parts import Part, merge
from rankgate.runs.store.manifest import Manifest
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.run_writer import RunWriter

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.runs.store.tables import Run

QUESTIONS = [CaseQuery(f"q{number}", Query(f"text {number}")) for number in range(25)]


class Echo:
    def search(self, query: Query) -> Ranking:
        if query.text.endswith("7"):
            raise ValueError("no sevens")
        return Ranking((Hit(id=query.text, text=query.text * 2), Hit(id="other", score=0.5)))


def ask(folder: Path, part: Part | None, manifest: Manifest | None = None, questions: int = 25) -> Path:
    wanted = QUESTIONS[:questions] if part is None else part.of(QUESTIONS[:questions])
    said = Manifest("echo", part=None if part is None else str(part)) if manifest is None else manifest
    execute(wanted, Echo(), manifest=said, keep=KeepOptions(folder=folder, shard_size=4))
    return folder


def content(run: Run) -> list[object]:
    queries = [row for shard in run.shards() for row in shard.queries.drop("latency_ms").iter_rows()]
    hits = [
        row
        for shard in run.shards()
        for row in shard.scan_hits(["query", "rank", "id", "score", "text"]).collect().iter_rows()
    ]
    texts = {row for shard in run.shards() for row in shard.read_texts().iter_rows()}  # type: ignore[attr-defined]
    return [sorted(queries), sorted(hits, key=str), texts]


@given(st.lists(st.integers()), st.integers(1, 9))
def test_the_parts_are_the_whole_and_of_nearly_equal_length(whole: list[int], parts: int) -> None:
    divided = [Part(number, parts).of(whole) for number in range(1, parts + 1)]
    assert sorted(item for part in divided for item in part) == sorted(whole)
    lengths = [len(part) for part in divided]
    assert max(lengths) - min(lengths) <= 1


@pytest.mark.parametrize("text", ["0/4", "5/4", "1", "1/0", "a/b", "1/4 ", "-1/4", "١/٤"])
def test_what_is_no_part_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="a part such as 1/4"):
        Part.parse(text)


def test_merged_parts_equal_the_whole_run(tmp_path: Path) -> None:
    folders = [ask(tmp_path / f"part-{n}", Part(n, 3)) for n in (1, 2, 3)]
    merged = merge(folders, tmp_path / "merged")
    whole = StoredRun.open(ask(tmp_path / "whole", None))
    assert content(merged) == content(whole)
    merged.verify()
    assert merged.manifest.part is None
    assert merged.manifest.estimated
    assert merged.manifest.differences(whole.manifest) == ()
    assert merged.manifest.finished is not None


def test_a_part_that_is_missing_is_named(tmp_path: Path) -> None:
    folders = [ask(tmp_path / f"part-{n}", Part(n, 4)) for n in (1, 3)]
    with pytest.raises(InputError, match="no part 2/4, 4/4"):
        merge(folders, tmp_path / "merged")
    assert not (tmp_path / "merged" / "manifest.json").exists()


def test_parts_of_different_divisions_are_refused(tmp_path: Path) -> None:
    folders = [ask(tmp_path / "a", Part(1, 2)), ask(tmp_path / "b", Part(2, 3))]
    with pytest.raises(InputError, match="1/2, 2/3, expected parts of one division"):
        merge(folders, tmp_path / "merged")


def test_runs_of_different_systems_or_suites_are_refused(tmp_path: Path) -> None:
    folders = [
        ask(tmp_path / "a", Part(1, 2)),
        ask(tmp_path / "b", Part(2, 2), Manifest("other", suite="x", part="2/2")),
    ]
    with pytest.raises(InputError, match="the system was echo and is other, the questions were changed"):
        merge(folders, tmp_path / "merged")


def test_a_query_in_two_runs_is_refused(tmp_path: Path) -> None:
    folders = [ask(tmp_path / "a", None), ask(tmp_path / "b", None, questions=1)]
    with pytest.raises(InputError, match=r"query 'q0', as in .*, expected each query once"):
        merge(folders, tmp_path / "merged")


def test_a_part_that_was_not_finished_is_refused(tmp_path: Path) -> None:
    first = ask(tmp_path / "a", Part(1, 2))
    RunWriter(tmp_path / "b", Manifest("echo", part="2/2", texts="snippet")).__enter__().__exit__(
        ValueError, None, None
    )
    with pytest.raises(InputError, match="not finished, expected a whole one; resume it"):
        merge([first, tmp_path / "b"], tmp_path / "merged")


def test_a_file_that_was_changed_is_not_copied(tmp_path: Path) -> None:
    first, second = ask(tmp_path / "a", Part(1, 2)), ask(tmp_path / "b", Part(2, 2))
    (second / "hits-00001.parquet").write_bytes((second / "hits-00000.parquet").read_bytes())
    with pytest.raises(FormatError, match="found 6 rows, expected 8"):
        merge([first, second], tmp_path / "merged")
    assert not (tmp_path / "merged" / "manifest.json").exists()


def test_a_folder_that_holds_a_run_is_not_written_to(tmp_path: Path) -> None:
    folder = ask(tmp_path / "a", None)
    before = (folder / "manifest.json").read_text()
    with pytest.raises(InputError, match="found a run, expected an empty folder"):
        merge([folder], folder)
    assert (folder / "manifest.json").read_text() == before


def test_a_part_in_a_manifest_that_is_no_part_is_refused(tmp_path: Path) -> None:
    folder = ask(tmp_path / "a", Part(1, 2))
    path = folder / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "part": "../../x"}))
    with pytest.raises(InputError, match="part such as"):
        merge([folder], tmp_path / "merged")
