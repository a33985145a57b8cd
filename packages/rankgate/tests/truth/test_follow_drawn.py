"""Targets of every kind are followed through drawn edits; an oracle follows every line by its identity."""

from __future__ import annotations

from collections import Counter

from support.drawn_edits import drawn

SEQUENCES = 60


def test_nothing_is_moved_wrong_and_what_is_left_is_found() -> None:
    counts = Counter(one for seed in range(SEQUENCES) for one in drawn(seed))
    assert not [one for one in counts if one.startswith("wrong")], counts
    for kind, least in (("unchanged", 0.95), ("most left", 0.8)):
        every = sum(count for one, count in counts.items() if one.endswith(kind))
        found = counts[f"sure, {kind}"] + counts[f"first proposal, {kind}"]
        assert every
        assert found >= least * every, counts
    # What is unchanged is not asked for where it need not be.
    unchanged = sum(count for one, count in counts.items() if one.endswith("unchanged"))
    assert counts["sure, unchanged"] >= 0.8 * unchanged, counts
