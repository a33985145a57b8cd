"""Any file, through every format: a suite, or an error that says what is wrong."""

from __future__ import annotations

import csv
import json
from contextlib import suppress
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import RankgateError
from rankgate.model import Suite
from rankgate.suites.formats import ReadOptions, load_suite
from support.fuzz_samples import JSON_SUITES

if TYPE_CHECKING:
    from collections.abc import Mapping

FORMATS = ("buildbuddy", "jsonl", "native", "octocode", "promptfoo", "rank_eval", "relevantIds", "trec")
"""One format of each reader, and the presets that use most of the mapped one."""
NAMES = """
    query cases term ideal_results idealResults relevance filename match_count snippet_line_numbers repos
    expected ids relevantIds metadata evidence answer gold file path start end start_line end_line repo
    relevant secondary related category requests request ratings rating _id _index id params match
    query_string metric dcg k precision expected_reciprocal_rank maximum_relevance judgmentRatings docId
    penalize_unmatched at tags grade corpus metrics gates any_of top exhaustive
"""
WORDS = st.sampled_from(NAMES.split())
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.integers(0, 5),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["", "a.md", "../a", "/a", "a:1-2:2", "0", "1e999", "nan", "\ud800", "\x00", "x" * 300]),
)
JSONS = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(WORDS, inner, max_size=5),
        st.dictionaries(st.text(max_size=4), inner, max_size=3),
    ),
    max_leaves=25,
)
CELL_NAMES = """
    query result1 result2 docid rating Language Query GitHubUrl Relevance Notes a.md:1-2:2 a:9-1:x 3 q
"""
CELLS = st.one_of(st.text(max_size=12), st.sampled_from(CELL_NAMES.split()))
HEADERS = st.sampled_from(
    ["query,result1,result2", "query,docid,rating", "Language,Query,GitHubUrl,Relevance,Notes", ""]
)
READINGS = st.builds(
    ReadOptions,
    st.dictionaries(st.sampled_from(["relevant", "secondary", "1", "2", "x"]), st.floats(-5, 5), max_size=3),
)


def changed(value: Any, draw: st.DataObject, depth: int = 0) -> Any:
    """Replace one value, somewhere in a document."""
    if not isinstance(value, (dict, list)) or not value or (depth and draw.draw(st.integers(0, 5)) == 0):
        return draw.draw(JSONS)
    keys = sorted(value) if isinstance(value, dict) else list(range(len(value)))
    key = draw.draw(st.sampled_from(keys))
    if isinstance(value, dict):
        return {**value, key: changed(value[key], draw, depth + 1)}
    return [changed(item, draw, depth + 1) if at == key else item for at, item in enumerate(value)]


def read(format_name: str | None, data: bytes, reading: ReadOptions, suffix: str = ".json") -> None:
    """Read a file, which may be refused in words."""
    with TemporaryDirectory() as folder, suppress(RankgateError):
        path = Path(folder) / f"a{suffix}"
        path.write_bytes(data)
        suite = load_suite(path, format_name, reading)
        assert isinstance(suite, Suite)
        assert all(case.query for case in suite.cases)


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.binary(max_size=300), reading=READINGS)
def test_any_bytes_give_a_suite_or_an_error(name: str, data: bytes, reading: ReadOptions) -> None:
    read(name, data, reading)


@pytest.mark.parametrize("name", FORMATS)
@given(value=JSONS, reading=READINGS, indent=st.sampled_from([None, 1]))
def test_any_json_gives_a_suite_or_an_error(
    name: str, value: Any, reading: ReadOptions, indent: int | None
) -> None:
    read(name, json.dumps(value, indent=indent).encode(), reading)


@pytest.mark.parametrize("name", FORMATS)
@given(values=st.lists(st.dictionaries(WORDS, JSONS, max_size=6), max_size=3), reading=READINGS)
def test_any_json_lines_give_a_suite_or_an_error(
    name: str, values: list[Mapping[str, Any]], reading: ReadOptions
) -> None:
    read(name, "\n".join(map(json.dumps, values)).encode(), reading, ".jsonl")


@pytest.mark.parametrize("name", JSON_SUITES)
@given(draw=st.data(), reading=READINGS)
def test_a_file_with_something_changed_gives_a_suite_or_an_error(
    name: str, draw: st.DataObject, reading: ReadOptions
) -> None:
    document = (
        changed(JSON_SUITES[name], draw)
        if draw.draw(st.booleans())
        else changed(changed(JSON_SUITES[name], draw), draw)
    )
    read(name, json.dumps(document).encode(), reading)


@pytest.mark.parametrize("name", FORMATS)
@given(header=HEADERS, rows=st.lists(st.lists(CELLS, max_size=6), max_size=5), reading=READINGS)
def test_any_csv_gives_a_suite_or_an_error(
    name: str, header: str, rows: list[list[str]], reading: ReadOptions
) -> None:
    out = StringIO()
    csv.writer(out).writerows(rows)
    read(name, f"{header}\n{out.getvalue()}".encode(errors="surrogatepass"), reading, ".csv")


@given(data=st.one_of(st.binary(max_size=300), JSONS.map(lambda value: json.dumps(value).encode())))
def test_any_bytes_are_of_one_format_or_refused(data: bytes) -> None:
    for suffix in (".json", ".csv", ".jsonl", "", ".yaml"):
        read(None, data, ReadOptions(), suffix)
