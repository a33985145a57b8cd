"""Secrets that a system says back, in an error or as a hit, are hidden in all that is printed and kept."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from support.commands import rankgate
from support.written_pages import page_data

if TYPE_CHECKING:
    from pathlib import Path

TOKEN, WORD = "t0k3n-0123456789", "hunter22"
KEY = "-----BEGIN KEY-----\nMIIEvAIBADANBgkqhkiG9w0\nC1yZbH9kQ==\n-----END KEY-----"
ADDRESS = f"postgres://me:{WORD}@db/shop"
SECRETS = (TOKEN, WORD, "MIIEvAIBADANBgkqhkiG9w0")
SUITE = "gates: [rr >= 0]\ncases: [{query: a query, id: keys}]\n"
SAY = """printf '%s\\n' "$SHOP_TOKEN" "$SHOP_PASSWORD" "$SHOP_KEY" "$SHOP_DATABASE" """
ECHO = """printf '[{"id":"%s","path":"a/%s.md","text":"has %s in it"},{"id":"keys"}]' """
APP = """\
import os
def said(query, k):
    raise ValueError(" ".join(os.environ[name] for name in ("SHOP_TOKEN", "SHOP_PASSWORD", "SHOP_KEY")))
def cut(query, k):
    raise ValueError("x" * 375 + os.environ["SHOP_TOKEN"])
def hits(query, k):
    token = os.environ["SHOP_TOKEN"]
    return [{"id": token, "path": f"a/{token}.md", "text": f"has {token} in it"}, "keys"]
"""
FILLER = "y" * 5000
SYSTEMS: dict[str, dict[str, object]] = {
    "stderr": {"command": ["sh", "-c", f"{SAY} >&2; exit 1", "{query}"]},
    "long": {"command": ["sh", "-c", f"printf '%s%s' {FILLER} $SHOP_TOKEN >&2; exit 1", "{query}"]},
    "wrong": {"command": ["sh", "-c", SAY, "{query}"]},
    "hit": {"command": ["sh", "-c", f'{ECHO} "$SHOP_TOKEN" "$SHOP_TOKEN" "$SHOP_TOKEN"', "{query}"]},
    "word": {"command": ["sh", "-c", f'{ECHO} "$SHOP_PASSWORD" x x', "{query}"]},
    "said": {"function": "./app.py:said"},
    "cut": {"function": "./app.py:cut"},
    "hits": {"function": "./app.py:hits"},
}
ENV = ("SHOP_TOKEN", "SHOP_PASSWORD", "SHOP_KEY", "SHOP_DATABASE")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    values = (TOKEN, WORD, KEY, ADDRESS)
    for name, value in zip(ENV, values, strict=True):
        monkeypatch.setenv(name, value)
    tables = []
    for name, options in SYSTEMS.items():
        given = {**options, "max_errors": 9, **({"env": ENV} if "command" in options else {})}
        lines = (f"{key} = {json.dumps(value)}" for key, value in given.items())
        tables.append("\n".join((f"[systems.{name}]", *lines)))
    (tmp_path / "rankgate.toml").write_text("\n".join(tables))
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "app.py").write_text(APP)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def written(folder: Path) -> str:
    """Return all that the files below a folder hold, unpacked."""
    text = ""
    for path in sorted(folder.rglob("*.*")):
        if path.is_file() and path.name not in ("rankgate.toml", "app.py"):
            text += f"\n{path}\n" + path.read_bytes().decode(errors="replace")
            if path.suffix == ".parquet":
                text += pl.read_parquet(path).write_json()
            if path.suffix == ".gz":
                text += gzip.decompress(path.read_bytes()).decode()
            if path.suffix == ".html":
                text += json.dumps(page_data(path.read_text(encoding="utf-8")), ensure_ascii=False)
    return text


@pytest.mark.parametrize("name", SYSTEMS)
def test_secret_in_errors_and_hits_is_masked_everywhere(project: Path, name: str) -> None:
    reports = (f"{style}=out.{style}" for style in ("junit", "json", "markdown", "github-comment", "html"))
    words = [word for report in reports for word in ("--report", report)]
    done = (rankgate("test", "search.yaml", "--system", name, *words), rankgate("query", name, "a query"))
    text = "".join(one.out + one.err for one in done) + written(project)
    assert "Traceback" not in text
    assert "***" in text or name == "long"
    for secret in SECRETS:
        at = text.find(secret)
        assert at < 0, text[max(0, at - 300) : at + 100]
    assert TOKEN[:8] not in text


def test_secret_in_an_import_error_is_masked(project: Path) -> None:
    (project / "app.py").write_text("import os\nraise ValueError(os.environ['SHOP_TOKEN'])\n")
    assert "found ValueError: ***" in rankgate("test", "search.yaml", "--system", "said").refused()


def test_short_values_and_words_stay_in_hits(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "import os\ndef said(query, k):\n    return [os.environ['SHOP_TOKEN']]\n"
    text += "def hits(query, k):\n    raise ValueError(os.environ['SHOP_TOKEN'])\n"
    (project / "app.py").write_text(text)
    kept = {"abc": (True, True), "abcde": (True, True), "abcdef": (True, False), "webhooks": (True, False)}
    kept |= {"w3bh00ks": (False, False), "documentation": (False, False), str(project): (True, True)}
    for value, (in_hits, in_errors) in kept.items():
        monkeypatch.setenv("SHOP_TOKEN", value)
        rankgate("run", "search.yaml", "--system", "said", "-o", "kept", "--replace")
        hits = pl.read_parquet(min((project / "kept").glob("hits*.parquet")))
        assert (hits["id"].to_list() == [value]) is in_hits, value
        assert (value in rankgate("query", "hits", "q").out) is in_errors, value
