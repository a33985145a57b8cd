"""Transcripts: what is written is read back, and whatever is not one is refused with its lines."""

from __future__ import annotations

import contextlib
import json
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import FormatError, InputError, RankgateError
from rankgate.model import Action
from rankgate.runs.navigation.transcripts import (
    Observation,
    SeenNode,
    StepStatus,
    Transcript,
    read_transcript,
    write_transcript,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
LINE = st.none() | st.integers(0, 2**32 - 1)
NODES = st.builds(SeenNode, TEXT, TEXT, st.none() | TEXT, st.none() | TEXT, LINE, LINE)
OBSERVATIONS = st.builds(
    Observation,
    scenario=TEXT.filter(bool),
    step=st.integers(0, 99),
    action=st.sampled_from([Action.TREE, Action.READ, Action.SUBTREE]),
    status=st.sampled_from(StepStatus),
    error=st.none() | TEXT,
    latency_ms=st.none() | st.floats(0, 1e300),
    calls=st.integers(0, 9),
    tokens=st.integers(0, 2**64 - 1),
    node=st.none() | TEXT,
    nodes=st.lists(NODES, max_size=3).map(tuple),
    text=st.none() | TEXT,
    cut=st.integers(0, 2**64 - 1),
)
TRANSCRIPTS = st.builds(
    Transcript,
    st.lists(OBSERVATIONS, max_size=4, unique_by=lambda one: (one.scenario, one.step)).map(tuple),
    st.booleans(),
    st.none() | TEXT,
)
HEAD: dict[str, Any] = {"transcript": 1}
STEP: dict[str, Any] = {"scenario": "s", "step": 0, "action": "tree", "status": "ok", "calls": 1, "tokens": 2}


def lines(path: Path, *objects: object) -> Path:
    path.write_text("".join(json.dumps(item) + "\n" for item in objects))
    return path


@given(TRANSCRIPTS)
def test_what_is_written_is_read_back(transcript: Transcript) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenarios.jsonl"
        write_transcript(transcript, path)
        assert read_transcript(path) == transcript
        assert [file.name for file in path.parent.iterdir()] == ["scenarios.jsonl"]


@given(
    st.binary(max_size=200)
    | st.recursive(st.none() | st.booleans() | st.integers() | TEXT, st.lists).map(
        lambda value: json.dumps([HEAD, {**STEP, "nodes": value, "text": value}]).encode()
    )
)
def test_any_bytes_are_a_transcript_or_refused(content: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "scenarios.jsonl"
        path.write_bytes(content.replace(b"}, {", b"}\n{").strip(b"[]"))
        with contextlib.suppress(RankgateError):
            read_transcript(path)


@pytest.mark.parametrize(
    ("objects", "said"),
    [
        ([], ":1: the file has no version of its format, and this rankgate reads version 1."),
        ([{"transcript": 2}], ":1: the file has version 2 of its format, and this rankgate reads version 1."),
        ([STEP], ":1: the file has no version"),
        ([HEAD, {**STEP, "status": "fine"}], ":2: `status` should be 'ok', 'error', 'timeout' or"),
        ([HEAD, {**STEP, "step": -1}], ":2: `step` should be greater than or equal to 0, found -1."),
        ([HEAD, {**STEP, "scenario": ""}], ":2: `scenario` should have at least 1 character"),
        ([HEAD, {**STEP, "latency_ms": -1}], ":2: `latency_ms` should be greater than or equal to 0"),
        ([HEAD, {**STEP, "nodes": {}}], ":2: `nodes` should be a list, found an empty mapping."),
        ([HEAD, {**STEP, "nodes": [1]}], ":2: `nodes[0]` should be a mapping, found 1."),
        ([HEAD, {**STEP, "nodes": [{"id": "a"}]}], ":2: the key `title` is missing in `nodes[0]`."),
        ([HEAD, STEP, {**STEP, "text": 1}], ":3: `text` should be a text, found 1."),
        ([HEAD, STEP, STEP], ":3: found step 0 of 's' again, expected each step once"),
        ([HEAD, [STEP]], ":2: found a list, expected a JSON object"),
    ],
)
def test_what_is_no_transcript_is_refused_by_line(tmp_path: Path, objects: list[object], said: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_transcript(lines(tmp_path / "t.jsonl", *objects))
    assert f"t.jsonl{said}" in str(caught.value)


def test_all_that_is_wrong_comes_at_once(tmp_path: Path) -> None:
    wrong = {**STEP, "action": "x", "status": "y", "text": 1}
    with pytest.raises(FormatError) as caught:
        read_transcript(lines(tmp_path / "t.jsonl", HEAD, wrong, STEP, wrong))
    assert len(caught.value.problems) == 6


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        read_transcript(tmp_path / "none.jsonl")


def test_errors_are_counted_and_places_that_were_not_found_are_none() -> None:
    ends = [Observation("s", at, Action.TREE, status) for at, status in enumerate(StepStatus)]
    assert Transcript(tuple(ends)).errored == 2
