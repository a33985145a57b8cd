"""What docs/verdicts.md says of each gate and change is what rankgate says."""

from __future__ import annotations

import re
from pathlib import Path

from rankgate.model import Case, Verdict
from support.evaluations import evaluated, target

PAGE = Path(__file__).parents[4] / "docs" / "verdicts.md"
QUERIES = 48
RANKS = {"absent": 0, "2": 2}


def shown(verdict: Verdict) -> str:
    """Format a verdict as the table has it: its status and value."""
    assert verdict.value is not None
    figure = f"{verdict.value:.4f}"
    if verdict.gate.startswith("lost"):
        figure = f"{verdict.value:.0f}"
    return f"{verdict.status.value} ({figure})"


def test_the_table_of_changes_is_what_the_gates_say() -> None:
    table = PAGE.read_text(encoding="utf-8").partition("| what changed |")[2].partition("\n\n")[0]
    head, _, *rows = table.splitlines()
    gates = re.findall(r"`([^`]+)`", head)
    assert (len(gates), len(rows)) == (2, 6)
    cases = [Case(f"q{n}", f"query {n}", (target("right"),)) for n in range(QUERIES)]
    answers = {
        rank: ["right" if place == rank else f"x{place}" for place in range(1, 11)] for rank in range(3)
    }
    before = evaluated(cases, {f"q{n}": answers[1] for n in range(QUERIES)}, metrics=["ndcg@10"])
    for row in rows:
        what, *cells = (cell.strip() for cell in row.strip("|").split("|"))
        moved, rank = 0, 1
        if change := re.fullmatch(r"(\d+) (?:query|queries): rank 1 to (\w+)", what):
            moved, rank = int(change[1]), RANKS[change[2]]
        after = evaluated(
            cases, {f"q{n}": answers[rank if n < moved else 1] for n in range(QUERIES)}, metrics=["ndcg@10"]
        )
        verdicts = after.judge(*gates, against=after.since(before))
        assert [shown(one) for one in verdicts] == cells, what
