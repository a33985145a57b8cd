"""Values of the variables that a configuration names are masked in all output, whatever a system returns."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate.io.secrets import hidden, hide
from rankgate.model import Hit, Ranking
from rankgate.plugins import without_secrets
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

TOKEN, WORD = "t0k3n-0123456789", "hunter22"
KEY = "-----BEGIN KEY-----\nMIIEvAIBADANBgkqhkiG9w0\nC1yZbH9kQ==\n-----END KEY-----"
ADDRESS = f"postgres://me:{WORD}@db/shop"
SECRETS = (TOKEN, WORD, "MIIEvAIBADANBgkqhkiG9w0")
SUITE = "cases: [{query: a query, id: keys}]\n"
SAY = """printf '%s\\n' "$SHOP_TOKEN" "$SHOP_PASSWORD" "$SHOP_KEY" "$SHOP_DATABASE" """
ECHO = """printf '[{"id":"keys","text":"has %s in it"}]' """
APP = """\
import os
def said(query, k):
    raise ValueError(" ".join(os.environ[name] for name in ("SHOP_TOKEN", "SHOP_PASSWORD", "SHOP_KEY")))
def cut(query, k):
    raise ValueError("x" * 375 + os.environ["SHOP_TOKEN"])
def hits(query, k):
    token = os.environ["SHOP_TOKEN"]
    return [{"id": "keys", "text": f"has {token} in it"}]
"""
FILLER = "y" * 5000
SYSTEMS: dict[str, dict[str, object]] = {
    "stderr": {"command": ["sh", "-c", f"{SAY} >&2; exit 1", "{query}"]},
    "long": {"command": ["sh", "-c", f"printf '%s%s' {FILLER} $SHOP_TOKEN >&2; exit 1", "{query}"]},
    "wrong": {"command": ["sh", "-c", SAY, "{query}"]},
    "hit": {"command": ["sh", "-c", f'{ECHO} "$SHOP_TOKEN"', "{query}"]},
    "said": {"function": "./app.py:said"},
    "cut": {"function": "./app.py:cut"},
    "hits": {"function": "./app.py:hits"},
}
ENV = ("SHOP_TOKEN", "SHOP_PASSWORD", "SHOP_KEY", "SHOP_DATABASE")
NEEDS = [f"${{{name}}}" for name in ENV]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    values = (TOKEN, WORD, KEY, ADDRESS)
    for name, value in zip(ENV, values, strict=True):
        monkeypatch.setenv(name, value)
    tables = ["max_errors = 9"]
    for name, options in SYSTEMS.items():
        given = {**options, **({"env": ENV} if "command" in options else {"needs": NEEDS})}
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


@pytest.mark.parametrize(
    ("value", "in_results", "in_errors"),
    [
        ("abcde", True, True),
        ("abcdef", True, False),
        ("documentation", False, False),
        (__file__, True, True),
    ],
)
def test_short_values_stay_in_results_and_ids_always_do(
    value: str, in_results: bool, in_errors: bool
) -> None:
    hide(value)
    (hit,) = without_secrets(Ranking((Hit(value, text=value),))).hits
    assert hit.id == value
    assert (hit.text == value) is in_results
    assert (hidden(value) == value) is in_errors


NAVIGATOR = """\
import os
import rankgate as rg
TOKEN = os.environ["SHOP_TOKEN"]

class Walk:
    def search(self, query):
        return rg.Ranking((rg.Hit(path="keys.md"),))
    def documents(self):
        return [rg.Node("keys.md", f"Keys {TOKEN}", rg.Location(path="keys.md"))]
    def tree(self, document):
        top = rg.Node(f"1-{TOKEN}", f"Keys {TOKEN}", rg.Location(path="keys.md", lines=rg.Lines(1, 3)))
        last = rg.Location(path="keys.md", lines=rg.Lines(3, 3))
        return [top, rg.Node(f"2-{TOKEN}", "x" * 990 + TOKEN, last, parent=f"1-{TOKEN}")]
    def read(self, node):
        assert node == f"2-{TOKEN}"
        return f"{node} is read"
    def subtree(self, node):
        raise ValueError(node)
"""


WALK = """\
corpus: docs/
scenarios:
  - name: rotate
    steps:
      - {tree: keys.md, has: [Rotation]}
      - {read: keys.md#Rotation}
      - {subtree: keys.md#Rotation}
"""


def test_secret_in_a_tree_is_masked_and_its_node_still_read(project: Path) -> None:
    (project / "docs").mkdir()
    (project / "docs" / "keys.md").write_text("# Keys\n\n## Rotation\n")
    (project / "search.yaml").write_text(f"{WALK}cases: [{{query: a query, at: keys.md}}]\n")
    (project / "app.py").write_text(NAVIGATOR)
    (project / "rankgate.toml").write_text(
        '[systems.walk]\nneeds = ["${SHOP_TOKEN}"]\nfunction = "./app.py:Walk"\n'
    )
    done = rankgate("test", "search.yaml", "--report", "json=out.json", "--report", "html=out.html")
    assert done.err == ""
    (kept,) = project.rglob("scenarios.jsonl")
    tree, read, subtree = (json.loads(line) for line in kept.read_text().splitlines()[1:])
    assert [(node["id"], node.get("parent")) for node in tree["nodes"]] == [
        ("1-***", None),
        ("2-***", "1-***"),
    ]
    assert tree["nodes"][0]["title"] == "Keys ***"
    assert read["text"] == "2-*** is read"
    assert "ValueError: 2-*** (" in subtree["error"]
    text = done.out + done.err + written(project)
    assert TOKEN not in text
    assert TOKEN[:8] not in text
