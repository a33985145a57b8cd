"""What options name: files of requests, variables, functions, indexes; and what a server does not tell."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

from rankgate.systems.contents import FUNCTION_FILES
from rankgate.systems.registry import open_system

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def opened(root: Path, **options: Any) -> Any:
    """Open a system whose paths are relative to a folder."""
    return open_system("app", {"root": str(root), **options})


def test_a_request_is_made_of_its_file_and_of_every_variable_in_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "body.json").write_text(json.dumps({"q": "{query}", "tenant": "${TENANT}"}))
    for name in ("BASE", "APP_TOKEN", "TENANT"):
        monkeypatch.setenv(name, f"http://user:pw-of-{name.lower()}@127.0.0.1:9/x")
    system = opened(
        tmp_path,
        kind="http",
        url="${BASE}/find",
        headers={"X-Token": "${APP_TOKEN}"},
        body_file="body.json",
    )
    assert set(system.contents()) == {"$APP_TOKEN", "$BASE", "$TENANT", "body.json"}
    assert system.unknown() == ("the state of the server at 127.0.0.1:9",)
    assert "pw-of" not in str((system.contents(), system.unknown()))


def test_a_database_is_made_of_its_file_and_of_its_statement(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "shop.db")) as database, database:
        database.execute("CREATE TABLE goods (id, name)")
    (tmp_path / "find.sql").write_text("SELECT id FROM goods WHERE name = :query LIMIT :k")
    table = {"kind": "sqlite", "database": "shop.db", "sql_file": "find.sql"}
    system = opened(tmp_path, **table)
    before = system.contents()
    system.close()
    assert set(before) == {"Python", "find.sql", "shop.db"}
    with closing(sqlite3.connect(tmp_path / "shop.db")) as database, database:
        database.execute("INSERT INTO goods VALUES (1, 'x')")
    system = opened(tmp_path, **table)
    assert {name for name, held in system.contents().items() if held != before[name]} == {"shop.db"}
    system.close()


def test_a_built_index_adds_nothing_to_its_options(tmp_path: Path) -> None:
    system = opened(tmp_path, kind="tantivy", folder="kept")
    assert set(system.contents()) == {"Python"}
    assert system.unknown() == ()


def test_an_index_that_is_there_counts_with_its_files(tmp_path: Path) -> None:
    import bm25s

    retriever = bm25s.BM25()
    retriever.index(bm25s.tokenize(["red shoes", "laces"], show_progress=False), show_progress=False)
    retriever.save(tmp_path / "shop", corpus=[{"id": "1"}, {"id": "2"}], show_progress=False)
    names = set(opened(tmp_path, kind="bm25s", index="shop").contents())
    assert "shop/params.index.json" in names
    assert all(name.startswith("shop/") for name in names - {"Python"})


def test_an_embedder_counts_with_its_source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "own_embedder.py").write_text("import own_weights\ndef embed(texts): ...\n")
    (tmp_path / "own_weights.py").touch()
    system = opened(tmp_path, kind="lancedb", mode="vector", embedder="own_embedder:embed", folder="kept")
    assert {"own_embedder.py", "own_weights.py"} <= set(system.contents())
    assert FUNCTION_FILES in system.unknown()


def test_a_folder_that_ripgrep_searches_counts_with_its_files(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/keys.md").write_text("Rotate a key.")
    assert set(opened(tmp_path, kind="ripgrep", folder="docs").contents()) == {"docs/keys.md"}
    assert set(opened(tmp_path, kind="ripgrep").contents()) == {"docs/keys.md"}
