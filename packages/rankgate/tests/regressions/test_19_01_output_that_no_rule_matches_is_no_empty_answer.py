"""Output of which no line matches the pattern is an error: it does not pass `expect: empty`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

SYSTEM = """\
[systems.app]
command = ["printf", "%s", "PRINTED"]
stdin = "query"
output = "lines"
pattern = '^(?P<path>[^:]+):(?P<start>\\d+):'
"""
EMPTY = "empty = '(?m)^No results'\n"


@pytest.mark.parametrize(
    ("printed", "empty", "code"),
    [
        ("Error: the index is still being built", "", 3),
        ("Error: the index is still being built", EMPTY, 3),
        ("No results for that", "", 3),
        ("searching...\\nNo results for that", EMPTY, 0),
        ("", "", 0),
        ("docs/a.md:1:found", EMPTY, 1),
    ],
)
def test_only_nothing_or_what_is_declared_is_an_empty_answer(
    printed: str, empty: str, code: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "search.yaml").write_text("cases: [{query: blockchain, expect: empty}]\n")
    (tmp_path / "rankgate.toml").write_text(SYSTEM.replace("PRINTED", printed) + empty)
    done = rankgate("test", "search.yaml", "--system", "app")
    assert done.code == code, done.out
    if code == 3:
        assert "no line matches the pattern" in " ".join(done.out.split())
