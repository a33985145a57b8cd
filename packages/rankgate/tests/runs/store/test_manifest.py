"""The manifest of a run: no secrets in it, nothing unknown out of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from rankgate.errors import FormatError
from rankgate.io.problems import Problems
from rankgate.io.secrets import hide
from rankgate.runs.store.manifest import FileEntry, Manifest, ShardEntry, unknown_fields

ENTRY = ShardEntry(0, *(FileEntry(3, "0" * 64) for _ in range(3)))


def test_manifest_masks_values_of_variables() -> None:
    hide("hunter2-VERY-secret")
    manifest = Manifest("s", options={"outer": [{"url": "https://host/?a=hunter2-VERY-secret"}], "k": 10})
    assert json.loads(manifest.to_json())["options"] == {"outer": [{"url": "https://host/?a=***"}], "k": 10}


def test_a_manifest_is_read_as_it_was_written() -> None:
    manifest = Manifest(
        system="bm25",
        version="1.2",
        options={"k": 10},
        suite="suite",
        corpus="corpus",
        seed=7,
        started="then",
        finished="now",
        tokens="bytes/4",
        estimated=True,
        texts="snippet",
        order="trec",
        shards=(ENTRY,),
    )
    assert Manifest.from_json(manifest.to_json(), "m") == manifest


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("schema", 2, "schema 2"),
        ("schema", None, "schema None"),
        ("kind", "judgments", "something else"),
        ("system", None, "m: system"),
        ("seed", "x", "m: seed"),
        ("seed", True, "m: seed"),
        ("order", "best", "one of returned, trec"),
        ("texts", [], "one of none, snippet, full"),
        ("shards", [{"number": 0}], "shards[0]"),
        ("shards", "all", "m: shards"),
    ],
)
def test_a_manifest_that_cannot_be_is_refused(key: str, value: object, message: str) -> None:
    text = json.dumps({**json.loads(Manifest("s").to_json()), key: value})
    with pytest.raises(FormatError) as caught:
        Manifest.from_json(text, "m")
    assert message in str(caught.value)


def test_fields_that_this_version_does_not_know_are_named_and_do_no_harm() -> None:
    manifest = Manifest("s", shards=(ENTRY,))
    found = json.loads(manifest.to_json())
    found["shards"][0]["hits"]["bytes"] = 7
    problems = Problems("m")
    read = Manifest.from_json(json.dumps({**found, "a\x1b": 1}), "m", problems)
    assert read == replace(manifest, later={"a\x1b": 1})
    assert json.loads(read.to_json())["a\x1b"] == 1
    said = "unknown fields of m ignored: 'a\\x1b', 'shards[0].hits.bytes'"
    assert unknown_fields(problems, "m") == (said,)
    many = Problems("m")
    Manifest.from_json(json.dumps({**found, **{f"f{number:02}": 1 for number in range(30)}}), "m", many)
    assert unknown_fields(many, "m")[0].endswith("'f08', 'f09' and 21 more")
    known = Problems("m")
    Manifest.from_json(manifest.to_json(), "m", known)
    assert unknown_fields(known, "m") == ()


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000])
def test_what_is_no_manifest_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="the manifest of a run"):
        Manifest.from_json(text, "m")
