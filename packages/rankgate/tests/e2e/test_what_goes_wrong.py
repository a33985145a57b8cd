"""What a person reads when the suite, the call or the system is wrong; never a traceback."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from support.flows import shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

SUITE = """\
corpus: docs/
metrics: [ndcg@10, rr]
gates: [ndcg@10 >= 0.65]
cases:
  - query: rotate an API key
    at: keys.md#Rotation
    category: howto
  - query: end a leaked key
    at: keys.md:7-8
    category: howto
"""
GOOD = "def search(query, k):\n    return ['keys.md#Rotation', 'keys.md#Revocation']\n"

WRONG: dict[str, tuple[str, str, str]] = {
    "misspelt_slice": (
        SUITE.replace("ndcg@10 >= 0.65", "ndcg@10 >= 0.65 where category = howtoo"),
        GOOD,
        "rankgate test search.yaml --system app:search",
    ),
    "misspelt_metric": (
        SUITE.replace("[ndcg@10, rr]", "[ngcd@10, rr]"),
        GOOD,
        "rankgate test search.yaml --system app:search",
    ),
    "misspelt_gate_metric": (
        SUITE.replace("ndcg@10 >= 0.65", "ndgc@10 >= 0.65"),
        GOOD,
        "rankgate test search.yaml --system app:search",
    ),
    "missing_corpus": (
        SUITE.replace("docs/", "documents/"),
        GOOD,
        "rankgate test search.yaml --system app:search",
    ),
    "target_past_the_end": (
        SUITE.replace("keys.md:7-8", "keys.md:70-80"),
        GOOD,
        "rankgate test search.yaml --system app:search",
    ),
    "system_that_raises": (
        SUITE,
        "def search(query, k):\n    raise ConnectionError('no route to the index')\n",
        "rankgate test search.yaml --system app:search",
    ),
    "system_that_returns_rubbish": (
        SUITE,
        "def search(query, k):\n    return [0.5, {'colour': 'red'}]\n",
        "rankgate test search.yaml --system app:search",
    ),
    "system_that_is_not_there": (SUITE, GOOD, "rankgate test search.yaml --system app:serach"),
    "no_system": (SUITE, GOOD, "rankgate test search.yaml"),
    "no_suite": (SUITE, GOOD, "rankgate test --system app:search"),
    "many_mistakes_in_one_suite": (
        SUITE.replace("category: howto", "catgory: howto").replace("keys.md:7-8", "keys.md:8-7"),
        GOOD,
        "rankgate test search.yaml --system app:search",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_the_message_says_where_what_and_what_to_do(
    name: str, tmp_path: Path, golden: Callable[[str, str], None]
) -> None:
    suite, system, command = WRONG[name]
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/keys.md").write_text("# Keys\n\n## Rotation\n\n90 days.\n\n## Revocation\nAt once.\n")
    (tmp_path / "search.yaml").write_text(suite)
    (tmp_path / "app.py").write_text(system)
    text = shown(tmp_path, command)
    assert "exit 3" in text if "raises" in name or "rubbish" in name else "exit 2" in text
    golden(f"wrong_{name}", text)
