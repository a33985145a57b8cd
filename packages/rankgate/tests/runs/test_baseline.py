"""The files of baselines: round trips, one line per query, and errors with file and line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rankgate.errors import FormatError
from rankgate.runs.baseline import (
    Baseline,
    BaselineAnchors,
    BaselineHit,
    BaselineQuery,
    baseline_anchors_path,
    is_baseline,
    read_baseline,
    read_baseline_anchors,
    run_of,
    write_baseline,
    write_baseline_anchors,
)
from rankgate.runs.store.hits import read_hits

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
LIKE_LOCATIONS = st.sampled_from(
    ["a.md", "a.md:3", "a:3-5", "v1.5", "x.y.Z", "a.md:5-3", "https://x.org/a.md"]
)
PATHS = st.one_of(
    st.text("abc/é#:% ", min_size=1, max_size=8).map(lambda text: text.strip("/") or "a"),
    st.sampled_from(["keys.md", "LICENSE", "a/b.py", "%23.md"]),
).map(lambda text: "/".join(part for part in text.split("/") if part) or "a")
RANGES = st.one_of(st.just((None, None)), st.tuples(st.integers(1, 99), st.integers(0, 9)))
PLACED = st.tuples(PATHS, RANGES).map(
    lambda one: BaselineHit(
        path=one[0], start=one[1][0], end=None if one[1][0] is None else one[1][0] + one[1][1]
    )
)
NAMED = st.one_of(TEXTS, LIKE_LOCATIONS).map(BaselineHit)
PLAIN = st.one_of(NAMED, PLACED)
HITS = st.one_of(
    PLAIN,
    st.just(BaselineHit()),
    st.tuples(PLAIN, st.integers(0, 999), st.lists(PLAIN, max_size=2)).map(
        lambda one: one[0]._replace(tokens=one[1], offsets=(one[1], one[1] + 7), copies=tuple(one[2]))
    ),
    NAMED.map(lambda hit: hit._replace(answers=(0,))),
    st.tuples(TEXTS, PLACED).map(lambda one: one[1]._replace(id=one[0])),
)
QUERIES = st.builds(
    BaselineQuery,
    text=st.one_of(st.just(""), TEXTS),
    filters=st.dictionaries(TEXTS, st.one_of(TEXTS, st.lists(TEXTS).map(tuple)), max_size=2),
    hits=st.lists(HITS, max_size=4).map(tuple),
    unstable=st.booleans(),
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60)
@given(st.dictionaries(TEXTS, QUERIES, max_size=4))
def test_baseline_round_trip_is_exact(tmp_path: Path, queries: dict[str, BaselineQuery]) -> None:
    file, again = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    baseline = Baseline("app", 10, queries)
    write_baseline(file, baseline)
    assert is_baseline(file)
    assert read_baseline(file) == baseline
    write_baseline(again, read_baseline(file))
    assert again.read_bytes() == file.read_bytes()
    assert file.read_bytes().count(b"\n") == 1 + len(queries)


def test_baseline_file_is_readable(tmp_path: Path) -> None:
    hits = (
        BaselineHit(path="keys.md", start=3, end=5),
        BaselineHit(path="keys.md", start=7, end=7),
        BaselineHit(path="LICENSE"),
        BaselineHit("doc-7"),
        BaselineHit("notes.md"),
        BaselineHit(path="keys.md", start=1, end=2, tokens=120),
    )
    queries = {
        "rotate-a-key": BaselineQuery("rotate a key", {"lang": "en"}, hits, unstable=True),
        "empty": BaselineQuery("no results"),
    }
    write_baseline(tmp_path / "a.jsonl", Baseline("site", 10, queries))
    assert (tmp_path / "a.jsonl").read_text() == (
        '{"format": "rankgate-baseline", "version": 1, "system": "site", "depth": 10}\n'
        '{"name": "empty", "query": "no results", "hits": []}\n'
        '{"name": "rotate-a-key", "query": "rotate a key", "filters": {"lang": "en"}, "hits": '
        '["keys.md:3-5", "keys.md:7", {"at": "LICENSE"}, "doc-7", {"id": "notes.md"}, '
        '{"at": "keys.md:1-2", "tokens": 120}], '
        '"unstable": true}\n'
    )


def test_baseline_as_a_run_has_ranks_and_locations() -> None:
    hits = (BaselineHit(path="a.md", start=3, end=5), BaselineHit("b", answers=(0,)))
    run = run_of("app", {"q": BaselineQuery("a query", hits=hits), "none": BaselineQuery("nothing")})
    found = read_hits(run)["q"]
    assert [(hit.rank, hit.location, hit.text) for hit in found] == [(1, "a.md:3-5", None), (2, "b", "")]
    (shard,) = run.shards()
    assert shard.queries.select("query", "hits", "status").rows() == [("q", 2, "ok"), ("none", 0, "ok")]


HEAD = '{"format": "rankgate-baseline", "version": 1, "system": "a", "depth": 10}\n'


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("", 1, "a baseline starts with {"),
        ('{"baseline": 2, "suite": "s"}\n', 1, "a baseline starts with {"),
        ("not JSON", 1, "not JSON"),
        (HEAD.replace("1,", "7,", 1), 1, "has version 7 of its format, and this rankgate reads version 1"),
        (HEAD.replace("10", '"ten"'), 1, "depth"),
        (HEAD + "{\n", 2, "not JSON"),
        (HEAD + '{"name": "q"}\n', 2, "hits"),
        (HEAD + '{"hits": []}\n', 2, "name"),
        (HEAD + '{"name": "q", "hits": {}}\n', 2, "`hits` should be a list, found an empty mapping."),
        (HEAD + '{"name": "q", "hits": ["a", 7]}\n', 2, "hits[1]: found 7"),
        (HEAD + '{"name": "q", "hits": [null]}\n', 2, "hits[0]: found None"),
        (HEAD + '{"name": "q", "hits": [["a"]]}\n', 2, "hits[0]"),
        (HEAD + '{"name": "q", "hits": [""]}\n', 2, "hits[0]: found ''"),
        (HEAD + '{"name": "q", "hits": ["a.md:9-3"]}\n', 2, "9-3"),
        (HEAD + '{"name": "q", "hits": ["/etc/x.md"]}\n', 2, "outside the corpus"),
        (HEAD + '{"name": "q", "hits": [{"at": "../x.md"}]}\n', 2, "outside the corpus"),
        (HEAD + '{"name": "q", "hits": [{"at": "a.md#Title"}]}\n', 2, "a path, or a path and lines"),
        (HEAD + '{"name": "q", "hits": [{"at": "a.md", "offsets": [3]}]}\n', 2, "`offsets` has too few"),
        (HEAD + '{"name": "q", "hits": [{"at": "a.md", "offsets": [3, 1]}]}\n', 2, "offsets [3, 1]"),
        (HEAD + '{"name": "q", "hits": [{"id": "a", "tokens": -1}]}\n', 2, "tokens"),
        (HEAD + '{"name": "q", "hits": [{"copies": [{"copies": ["a"]}]}]}\n', 2, "copies[0]"),
        (HEAD + '{"name": "q", "query": 7, "hits": []}\n', 2, "query"),
        (HEAD + '{"name": "q", "filters": {"a": [1]}, "hits": []}\n', 2, "filters"),
        (HEAD + '\n{"name": "q", "hits": []}\n{"name": "q", "hits": []}\n', 4, "each query once"),
    ],
)
def test_damaged_baseline_is_an_error_with_file_and_line(
    tmp_path: Path, text: str, line: int, expected: str
) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(text)
    with pytest.raises(FormatError) as caught:
        read_baseline(file)
    assert f"{file}:{line}" in str(caught.value)
    assert expected in str(caught.value)


@pytest.mark.parametrize(
    "text", ["", "{", '{"query": "q", "hits": []}\n', '[{"format": "rankgate-baseline"}]']
)
def test_another_file_is_no_baseline(tmp_path: Path, text: str) -> None:
    (tmp_path / "a.jsonl").write_text(text)
    assert not is_baseline(tmp_path / "a.jsonl")


# --- anchors ---------------------------------------------------------------------------------------------

HASH = "0123456789abcdef"


def test_anchors_are_sorted_with_one_entry_per_line(tmp_path: Path) -> None:
    path = baseline_anchors_path(tmp_path / "search.app.jsonl")
    anchors = BaselineAnchors(
        {("b.md", 1, 2): HASH, ("a.md", 11, 12): HASH, ("a.md", 3, 3): HASH},
        {("a.md", None, None): ("a.md#B", "a.md"), ("a.md", 3, 3): ('"a quote" with #',)},
    )
    write_baseline_anchors(path, anchors)
    assert path.read_text() == (
        '{\n "version": 1,\n "ranges": {\n'
        f'  "a.md:3": "{HASH}",\n  "a.md:11-12": "{HASH}",\n  "b.md:1-2": "{HASH}"\n }},\n'
        ' "reached": {\n  "a.md": ["a.md", "a.md#B"],\n  "a.md:3": ["\\"a quote\\" with #"]\n }\n}\n'
    )
    read = read_baseline_anchors(path)
    assert read is not None
    assert read.ranges == anchors.ranges
    assert {place: {*names} for place, names in read.reached.items()} == {
        place: {*names} for place, names in anchors.reached.items()
    }


def test_baseline_without_anchors_has_none(tmp_path: Path) -> None:
    assert read_baseline_anchors(tmp_path / "search.app.anchors.json") is None


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        ("[]", 1, "version"),
        ('{"version": 3}', 1, "has version 3 of its format, and this rankgate reads version 1"),
        ('{\n "version": 1,\n "ranges": {\n<<<<<<< HEAD\n', 4, "not JSON"),
        ('{\n "version": 1,\n "ranges": {\n  "a.md:3": "xyz"\n }}', 4, "16 hexadecimal digits"),
        (f'{{\n "version": 1,\n "ranges": {{\n  "../a.md:3": "{HASH}"\n }}}}', 4, "16 hexadecimal digits"),
        ('{\n "version": 1,\n "ranges": []}', 3, "16 hexadecimal digits"),
        ('{\n "version": 1,\n "reached": {\n  "a.md:3": "a.md#B"\n }}', 4, "a list of targets"),
        (f'{{"version": 1, "ranges": {{"a.md:3": "{HASH}", "a.md:3": "{HASH}"}}}}', 1, "twice"),
    ],
)
def test_damaged_anchors_are_an_error_with_file_and_line(
    tmp_path: Path, text: str, line: int, expected: str
) -> None:
    file = tmp_path / "search.app.anchors.json"
    file.write_text(text)
    with pytest.raises(FormatError) as caught:
        read_baseline_anchors(file)
    assert f"{file}:{line}" in str(caught.value)
    assert expected in str(caught.value)


def test_one_changed_query_changes_one_line(tmp_path: Path) -> None:
    queries = {f"q{at:02}": BaselineQuery(f"query {at}", hits=(BaselineHit("a"),)) for at in range(12)}
    write_baseline(tmp_path / "a.jsonl", Baseline("app", 10, queries))
    queries["q04"] = BaselineQuery("query 4", hits=(BaselineHit("b"),))
    write_baseline(tmp_path / "b.jsonl", Baseline("app", 10, queries))
    old, new = ((tmp_path / name).read_text().splitlines() for name in ("a.jsonl", "b.jsonl"))
    changed = [json.loads(line)["hits"] for before, line in zip(old, new, strict=True) if before != line]
    assert changed == [["b"]]
