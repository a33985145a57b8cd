"""19, point 1: a server that answers right and is read wrong is told from a bad search, with the setting.

Nothing of its records goes to a file, but for the name of the field that was meant.
"""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING

import polars as pl
import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SECRET = "the-note-that-nobody-may-see-0123456789"
SETTING = 'fields = { id = "metadata.title", text = "page_content" }'
TEXTS = {
    "keys.md": "Rotate the key when people leave the team.",
    "roles.md": "Only an owner may delete a whole project.",
    "hooks.md": "A hook that fails is tried again in five minutes.",
}


class Answers(BaseHTTPRequestHandler):
    """Answers with all pages, as a store of vectors does."""

    def do_GET(self) -> None:
        found = [
            {"page_content": text, "metadata": {"title": name[0], "note": f"{SECRET} {name}"}}
            for name, text in TEXTS.items()
        ]
        body = json.dumps({"matches": found}).encode()
        self.send_response(200)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_words: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Answers) as running:
        thread = Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_port}"
        running.shutdown()
        thread.join()


def test_an_http_server_is_mended_from_its_own_answers_and_they_are_kept_nowhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, server: str
) -> None:
    (tmp_path / "docs").mkdir()
    for name, text in TEXTS.items():
        (tmp_path / "docs" / name).write_text(f"# {name}\n\n## Section\n\n{text}\n")
    cases = "".join(f"  - {{query: about {name}, at: '{name}#Section'}}\n" for name in TEXTS)
    (tmp_path / "s.yaml").write_text(f"corpus: docs/\ngates: [hit@3 >= 1]\ncases:\n{cases}")
    # Four times three hits: enough that something is said of all of them.
    with (tmp_path / "s.yaml").open("a") as file:
        file.write("  - {query: about keys, at: 'keys.md#Section'}\n")
    (tmp_path / "rankgate.toml").write_text(
        f'[systems.docs]\nkind = "http"\nurl = "{server}/search?q={{query}}"\nhits = "matches"\n'
        'fields = { id = "metadata.title" }\n'
    )
    monkeypatch.chdir(tmp_path)
    failed = rankgate("test", "s.yaml", "--system", "docs")
    assert failed.code == 3
    assert f"set {SETTING}, or test with --fix-mapping" in " ".join(failed.out.split())
    done = rankgate("test", "s.yaml", "--system", "docs", "--fix-mapping")
    assert done.code == 3
    assert f"docs: 0 of the first 12 hits have a location; with {SETTING}, 12 have" in done.out
    assert SETTING in (tmp_path / "rankgate.toml").read_text()
    written = [path for path in tmp_path.rglob("*") if path.is_file() and path.parent.name != "docs"]
    assert any(path.suffix == ".parquet" for path in written)
    for path in written:
        said = str(pl.read_parquet(path).to_dicts()) if path.suffix == ".parquet" else ""
        assert SECRET not in said
        assert SECRET.encode() not in path.read_bytes()
    assert SECRET not in failed.out + failed.err + done.out + done.err
    assert rankgate("test", "s.yaml", "--system", "docs").code == 0
