"""The manifest of a run: no secrets in it, nothing unknown out of it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from rankgate.errors import FormatError
from rankgate.io.secrets import hide
from rankgate.runs.store.manifest import FileEntry, Manifest, ShardEntry
from rankgate.runs.store.run_folder import StoredRun

ENTRY = ShardEntry(0, *(FileEntry(3) for _ in range(3)))


def test_manifest_masks_values_of_variables() -> None:
    hide("hunter2-VERY-secret")
    manifest = Manifest("s", options={"outer": [{"url": "https://host/?a=hunter2-VERY-secret"}], "k": 10})
    assert json.loads(manifest.to_json())["options"] == {"outer": [{"url": "https://host/?a=***"}], "k": 10}


def read(path: Path, text: str) -> Manifest:
    (path / "manifest.json").write_text(text)
    return StoredRun.open(path).manifest


def test_a_manifest_is_read_as_it_was_written(tmp_path: Path) -> None:
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
    assert read(tmp_path, manifest.to_json()) == manifest


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("schema", 2, "has version 2 of its format, and this rankgate reads version 1"),
        ("schema", None, "has no version of its format, and this rankgate reads version 1"),
        ("kind", "judgments", "something else"),
        ("system", None, "the key `system` is missing."),
        ("seed", "x", "`seed` should be a whole number, found the text 'x'."),
        ("seed", True, "`seed` should be a whole number, found true."),
        ("order", "best", "`order` should be 'returned' or 'trec', found the text 'best'."),
        ("texts", [], "`texts` should be 'none', 'snippet' or 'full', found an empty list."),
        ("shards", [{"number": 0}], "the key `queries` is missing in `shards[0]`."),
        ("shards", "all", "`shards` should be a list, found the text 'all'."),
    ],
)
def test_a_manifest_that_cannot_be_is_refused(tmp_path: Path, key: str, value: object, message: str) -> None:
    text = json.dumps({**json.loads(Manifest("s").to_json()), key: value})
    with pytest.raises(FormatError) as caught:
        read(tmp_path, text)
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "[]", "{", "[" * 100_000])
def test_what_is_no_manifest_is_refused(tmp_path: Path, text: str) -> None:
    with pytest.raises(FormatError, match="the manifest of the run"):
        read(tmp_path, text)
