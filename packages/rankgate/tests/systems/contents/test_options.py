"""What options name: files of requests, variables, functions, indexes."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING, Any

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
    assert "pw-of" not in str(system.contents())


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
