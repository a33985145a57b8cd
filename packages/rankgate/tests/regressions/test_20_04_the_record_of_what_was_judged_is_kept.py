"""Issue 20, found 4: what nobody decided keeps its anchor, its record and its corpus."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

KEYS = "# Keys\n\n## Rotation\n\nRotate keys every 90 days.\nTell the team first.\nKeep the old one a day.\n"
LIMITS = (
    "# Limits\n\n## Rates\n\nA hundred calls a minute.\nAsk for more by mail.\nThey are counted by key.\n"
)
SUITE = """name: docs
corpus: docs
cases:
  - {name: rotate, query: rotate a key, at: "keys.md#Rotation"}
  - {name: rates, query: how many calls, at: "limits.md#Rates"}
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(KEYS, encoding="utf-8")
    (tmp_path / "docs" / "limits.md").write_text(LIMITS, encoding="utf-8")
    (tmp_path / "search.yaml").write_text(SUITE, encoding="utf-8")
    return tmp_path / "search.yaml"


def _anchors(suite: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(suite.with_name("search.anchors.json").read_bytes())
    return found


def test_what_is_not_decided_keeps_its_record_and_its_fingerprint(suite: Path) -> None:
    assert rankgate("suite", "fix", suite, "--yes").code == 0
    before = _anchors(suite)
    (suite.parent / "docs" / "keys.md").write_text(KEYS.replace("90", "30"), encoding="utf-8")
    (suite.parent / "docs" / "limits.md").write_text(LIMITS.replace("hundred", "dozen"), encoding="utf-8")
    done = rankgate("suite", "fix", suite, "--take", "rotate")
    assert done.code == 1
    assert "1 target still needs a decision; what was recorded of it is kept." in done.out
    after = _anchors(suite)
    assert after["fingerprint"] == before["fingerprint"]
    assert after["cases"]["rates"] == before["cases"]["rates"]
    assert after["texts"]["limits.md#Rates"] == before["texts"]["limits.md#Rates"]
    assert after["cases"]["rotate"] != before["cases"]["rotate"]
    assert after["texts"]["keys.md#Rotation"]["corpus"] not in (None, before["fingerprint"])
    # When all is decided, the file speaks of the documents of today.
    assert rankgate("suite", "fix", suite, "--keep").code == 0
    last = _anchors(suite)
    assert last["fingerprint"] == after["texts"]["keys.md#Rotation"]["corpus"]
    assert "corpus" not in last["texts"]["keys.md#Rotation"]


def test_a_target_that_is_marked_gone_keeps_its_record(suite: Path) -> None:
    assert rankgate("suite", "fix", suite, "--yes").code == 0
    before = _anchors(suite)
    (suite.parent / "docs" / "limits.md").unlink()
    assert rankgate("suite", "fix", suite, "--gone", "rates", "--reason", "page removed").code == 0
    assert "{at: limits.md#Rates, gone: page removed}" in suite.read_text(encoding="utf-8")
    after = _anchors(suite)
    assert after["cases"]["rates"] == before["cases"]["rates"]
    assert after["texts"]["limits.md#Rates"]["lines"] == before["texts"]["limits.md#Rates"]["lines"]
    assert rankgate("suite", "lint", suite).code == 0
    assert rankgate("suite", "fix", suite).code == 0
