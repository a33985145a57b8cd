"""The manifest of a run: no secrets in it, nothing unknown out of it."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgate.errors import FormatError
from rankgate.files.problems import Problems
from rankgate.model.secrets import without_secrets
from rankgate.runs.store.manifest import FileEntry, Manifest, ShardEntry, unknown_fields

SECRET = "hunter2-VERY-secret"
ENTRY = ShardEntry(0, *(FileEntry(3, "0" * 64) for _ in range(3)))
secret_names = st.sampled_from(
    [
        "token", "API_KEY", "apiKey", "accessKey", "secretKey", "client_secret", "password", "passwd", "auth",
        "Authorization", "x-api-key", "credentials", "cookie", "access_tokens", "private", "db_pwd",
    ]
)  # fmt: skip
hidings = st.one_of(
    secret_names.map(lambda name: {name: SECRET}),
    secret_names.map(lambda name: {name: {"deep": [SECRET]}}),
    secret_names.map(lambda name: {"url": f"https://host/?a=1&{name}={SECRET}&b=2"}),
    secret_names.map(lambda name: {"command": f"ask --{name}={SECRET}"}),
    st.just({"url": f"https://user:{SECRET}@host/"}),
    st.just({"headers": [f"Bearer {SECRET}", f"Basic {SECRET}"]}),
    secret_names.map(lambda name: {"headers": [f"{name}: {SECRET}"]}),
)
options = st.recursive(
    hidings,
    lambda inner: st.one_of(
        inner.map(lambda value: {"outer": value}),
        st.lists(inner, min_size=1, max_size=2).map(lambda value: {"many": value}),
    ),
    max_leaves=4,
)


@given(options)
@settings(deadline=None)
def test_secrets_never_reach_the_manifest(found: dict[str, object]) -> None:
    assert SECRET not in Manifest("s", options=found).to_json()


@pytest.mark.parametrize(
    "found",
    [
        {"tokenizer": "cl100k"},
        {"max_tokens": 5},
        {"keywords": ["a"]},
        {"author": "me"},
        {"url": "https://host/a?q=1"},
    ],
)
def test_what_is_no_secret_is_kept(found: dict[str, object]) -> None:
    assert without_secrets(found) == found


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
