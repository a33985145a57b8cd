"""Baselines as files: what is written comes back, and what is not one is refused in words."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankgate.errors import FormatError, InputError
from rankgate.model import Hit, Lines
from rankgate.runs.baseline import About, Baseline, BaselineQuery
from rankgate.runs.baseline_file import is_baseline, read_baseline, write_baseline
from rankgate.runs.store.hits import answer_digests
from rankgate.runs.store.run_folder import StoredRun
from rankgate.runs.store.tables import MemoryRun, Shard

if TYPE_CHECKING:
    from pathlib import Path

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
PATHS = st.text("abc/é", min_size=1, max_size=8).map(lambda text: text.strip("/") or "a")
HITS = st.one_of(
    TEXTS.map(lambda text: Hit(id=text)),
    st.tuples(PATHS, st.integers(1, 99), st.integers(0, 9)).map(
        lambda one: Hit(path=one[0], lines=Lines(one[1], one[1] + one[2]), tokens=one[2])
    ),
)


def baseline_of(rankings: dict[str, list[Hit]]) -> Baseline:
    asked = {query: BaselineQuery(f"what of {query}", {"kind": ("a", "b")}) for query in rankings}
    about = About("search", "app", version="2", corpus="c0", rules="m0", k=10)
    return Baseline(about, asked, MemoryRun("app", (Shard.of_rankings(rankings),)))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.dictionaries(TEXTS, st.lists(HITS, max_size=4, unique=True), min_size=1, max_size=5))
def test_what_is_written_comes_back(tmp_path: Path, rankings: dict[str, list[Hit]]) -> None:
    file, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    kept = baseline_of(rankings)
    write_baseline(file, kept)
    read = read_baseline(file)
    assert is_baseline(file)
    assert (read.about, read.asked) == (kept.about, kept.asked)
    assert answer_digests(read.run).sort("query").equals(answer_digests(kept.run).sort("query"))
    write_baseline(again, read)
    assert again.read_bytes() == file.read_bytes()


@pytest.mark.parametrize("size", [3, 5001])
def test_rankings_of_several_times_come_back_as_lines_and_in_a_folder(tmp_path: Path, size: int) -> None:
    rankings = {f"q{number}": [Hit(id="a"), Hit(id="b")] for number in range(size)}
    other = {**rankings, "q1": [Hit(id="b")], "q2": []}
    kept = baseline_of(rankings)
    again = (kept.run, MemoryRun("app", (Shard.of_rankings(other),)))
    file = tmp_path / "a.jsonl"
    write_baseline(file, replace(kept, about=replace(kept.about, times=3), repeats=again))
    read = read_baseline(file)
    assert read.about.times == 3
    for written, found in zip((kept.run, *again), (read.run, *read.repeats), strict=True):
        assert answer_digests(found).sort("query").equals(answer_digests(written).sort("query"))
    if size < 10:
        repeats = [json.loads(line).get("repeats") for line in file.read_text().splitlines()[1:]]
        assert repeats == [None, [["a", "b"], ["b"]], [["a", "b"], []]]


@pytest.mark.parametrize(
    ("head", "line", "said"),
    [
        ('"times":4000000000', "", "a whole number from 2 to 1000"),
        ('"times":3', ',"repeats":[[]]', "2 lists of hits"),
        ('"times":3', ',"repeats":7', "2 lists of hits"),
    ],
)
def test_times_that_do_not_fit_are_refused(tmp_path: Path, head: str, line: str, said: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(
        f'{{"baseline":2,"suite":"s","system":"a",{head}}}\n{{"query":"q","asked":"q","hits":[]{line}}}\n'
    )
    with pytest.raises(FormatError, match=said):
        read_baseline(file)


def test_one_changed_answer_is_one_changed_line(tmp_path: Path) -> None:
    rankings = {f"q{number}": [Hit(id="a"), Hit(id="b")] for number in range(9)}
    write_baseline(tmp_path / "a.jsonl", baseline_of(rankings))
    write_baseline(tmp_path / "b.jsonl", baseline_of({**rankings, "q4": [Hit(id="b"), Hit(id="a")]}))
    old, new = ((tmp_path / name).read_text().splitlines() for name in ("a.jsonl", "b.jsonl"))
    changed = [new_line for old_line, new_line in zip(old, new, strict=True) if old_line != new_line]
    assert [json.loads(line)["hits"] for line in changed] == [["b", "a"]]


HEAD = '{"baseline":2,"suite":"s","system":"a"}\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "expected version 2"),
        ('{"baseline":3}\n', "expected version 2"),
        ("not JSON", "not JSON"),
        ('{"baseline":2}\n', "suite"),
        (HEAD + '{"query":"q"}\n', "asked"),
        (HEAD + '{"query":"q","asked":"x","hits":{}}\n', "a list of hits"),
        (HEAD + '{"query":"q","asked":"x","hits":[7]}\n', "an id or an object"),
        (HEAD + '{"query":"q","asked":"x","filters":{"a":[1]}}\n', "a mapping of texts"),
        (HEAD + '{"query":"q","asked":"x"}\n{"query":"q","asked":"x"}\n', "each query once"),
        (HEAD + '{"query":"q","asked":"x","hits":[{"path":"a","start":9,"end":1}]}\n', ""),
        (HEAD.replace("}", ',"rankings":"../../elsewhere"}'), "manifest"),
        (HEAD + '{"path":"a.md","start":1,"end":2,"lines":"abc"}\n', "hashes of lines, in Base64"),
        (HEAD + '{"path":"a.md","start":1,"end":2,"before":"äöüäöü"}\n', "hashes of lines, in Base64"),
        (HEAD + '{"path":"a.md","start":-1,"end":2}\n', "start"),
    ],
)
def test_what_is_no_baseline_is_refused_in_words(tmp_path: Path, text: str, said: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(text)
    with pytest.raises((FormatError, InputError)) as caught:
        read_baseline(file)
    assert said in str(caught.value)
    assert str(tmp_path) in str(caught.value)


def test_a_manifest_without_its_shards_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankgate.runs.baseline_file.MOST_LINES", 0)
    file = tmp_path / "a.jsonl"
    write_baseline(file, baseline_of({"q": [Hit(id="a")], "r": []}))
    manifest = tmp_path / "a.rankings" / "manifest.json"
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "shards": []}))
    with pytest.raises(FormatError, match=r"no ranking for 2 of 2 queries \(q, r\)"):
        read_baseline(file)


@pytest.mark.parametrize("most", [5000, 0])
def test_fields_that_this_version_does_not_know_are_named_once(
    tmp_path: Path, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("rankgate.runs.baseline_file.MOST_LINES", most)
    file = tmp_path / "a.jsonl"
    write_baseline(file, baseline_of({"q": [Hit(id="a")], "r": []}))
    known = read_baseline(file)
    assert notes_of(known) == ()
    lines = file.read_text().splitlines()
    file.write_text("\n".join(line.replace("{", '{"tomorrow":1,', 1) for line in lines))
    read = read_baseline(file)
    assert (read.about, read.asked) == (known.about, known.asked)
    assert notes_of(read) == ("unknown field of a.jsonl ignored: 'tomorrow'",)


def notes_of(baseline: Baseline) -> tuple[str, ...]:
    assert isinstance(baseline.run, MemoryRun | StoredRun)
    return baseline.run.notes
