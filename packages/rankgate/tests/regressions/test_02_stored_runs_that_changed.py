"""A stored run is read where it is what was written and answers what is asked; otherwise it is exit 2."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from support.commands import rankgate

SUITE = """\
corpus: docs/
metrics: [rr]
gates: [rr >= 0.9]
cases:
  - query: rotate keys
    at: keys.md#Rotation
  - query: revoke keys
    at: keys.md#Revocation
"""
APP = """\
def search(query, k):
    return ["keys.md:3-4" if "rotate" in query else "keys.md:6-7"]
"""
DOCS = "# Keys\n\n## Rotation\nEvery 90 days.\n\n## Revocation\nAt once.\n"


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("docs").mkdir()
    Path("docs/keys.md").write_text(DOCS)
    Path("search.yaml").write_text(SUITE)
    Path("app.py").write_text(APP)
    Path("rankgate.toml").write_text(
        '[systems.app]\nfunction = "./app.py:search"\n[systems.stored]\nrun = "out"\n'
    )
    rankgate("run", "search.yaml", "-s", "app", "-o", "out").printed()
    assert rankgate("test", "search.yaml", "-s", "stored").code == 0


def test_a_query_that_was_changed_under_its_name_is_named() -> None:
    Path("search.yaml").write_text(SUITE.replace("rotate keys", "rotate a key\n    name: rotate-keys"))
    said = rankgate("test", "search.yaml", "-s", "stored").refused()
    assert "the query 'rotate-keys' was 'rotate keys' and is 'rotate a key'" in said
    assert "rankgate run search.yaml --system app -o out --replace" in said


def test_a_query_that_was_never_asked_is_named() -> None:
    more = "  - query: scopes\n    at: keys.md#Rotation\n"
    Path("search.yaml").write_text(SUITE + more)
    assert "no answer to 1 query ('scopes')" in rankgate("test", "search.yaml", "-s", "stored").refused()


def test_lines_of_another_state_of_the_corpus_are_refused() -> None:
    Path("docs/keys.md").write_text(DOCS.replace("# Keys\n", "# Keys\n\nAbout keys.\n"))
    assert "another state of the corpus" in rankgate("test", "search.yaml", "-s", "stored").refused()


@pytest.mark.parametrize("way", ["rewritten", "one byte"])
def test_a_changed_shard_is_refused_by_every_reader(way: str) -> None:
    rankgate("test", "search.yaml", "-s", "app").printed()
    for folder in (Path("out"), Path(".rankgate/search/app/run")):
        path = folder / "hits-00000.parquet"
        if way == "rewritten":
            pl.read_parquet(path).with_columns(path=pl.lit("other.md")).write_parquet(path)
        else:
            content = bytearray(path.read_bytes())
            content[len(content) // 2] ^= 1
            path.write_bytes(content)
    commands = [
        ("test", "search.yaml", "-s", "stored"),
        ("test", "search.yaml", "-s", "app", "--resume"),
        ("score", "-q", ".rankgate/search/app/judgments", "-r", "out"),
        ("compare", "out", "app", "-u", "search.yaml"),
        ("compare", "app", "app", "-u", "search.yaml"),
        ("baseline", "set", "search.yaml", "-s", "app"),
        ("runs", "merge", "out", "-o", "whole"),
        ("run", "search.yaml", "-s", "app", "-o", "out", "--resume"),
        ("suite", "update", "search.yaml", "-s", "app"),
    ]
    for command in commands:
        assert "another SHA-256" in rankgate(*command).refused(), command


def test_python_refuses_a_changed_shard_too() -> None:
    from rankgate import load_judgments, load_run, score
    from rankgate.errors import FormatError

    rankgate("test", "search.yaml", "-s", "app").printed()
    path = Path("out/queries-00000.parquet")
    path.write_bytes(path.read_bytes()[:-1] + b"x")
    with pytest.raises(FormatError, match="another SHA-256"):
        score(load_judgments(".rankgate/search/app/judgments"), load_run("out"), ["rr"])


def test_a_run_that_is_too_shallow_is_refused_with_the_command() -> None:
    rankgate("run", "search.yaml", "-s", "app", "-o", "out", "--k", "5", "--replace").printed()
    said = rankgate("test", "search.yaml", "-s", "stored").refused()
    assert "found 5 hits a query, expected 10" in said
    assert "rankgate run search.yaml --system app -o out --replace --k 10" in said
