"""The ranks of queries over evaluations: matched by question, bounded, and read with distrust."""

from __future__ import annotations

import gzip
import json
import tempfile
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from rankgate.evaluation.history.ranks import RANKS, RUNS, Strips
from rankgate.model import Case
from rankgate.reports.page.model import PageTarget
from support.page_samples import usual

PAGE = usual(2)


def _asked(cases: dict[str, str], ranks: dict[str, int | None], before: Strips, number: int) -> Strips:
    queries = tuple(
        replace(
            PAGE.queries[0],
            case=name,
            query=text,
            ended="passed",
            targets=(PageTarget("a.md", "1", ranks[name], "", "✅" if ranks[name] else "❌"),),
        )
        for name, text in cases.items()
    )
    listed = [Case(name, text, ()) for name, text in cases.items()]
    return before.added(number, listed, replace(PAGE, queries=queries))


def test_a_renamed_case_keeps_its_past_and_another_question_has_none() -> None:
    first = _asked({"one": "keys", "two": "hooks"}, {"one": 1, "two": 4}, Strips(), 1)
    second = _asked({"uno": "keys", "two": "web hooks"}, {"uno": 2, "two": None}, first, 2)
    assert second.numbers == (1, 2)
    assert second.by_case == {"uno": (1, 2), "two": (None, 0)}


def test_two_cases_of_one_question_keep_their_own_past() -> None:
    cases = {"one": "keys", "two": "keys"}
    first = _asked(cases, {"one": 1, "two": 7}, Strips(), 1)
    assert _asked(cases, {"one": 2, "two": 8}, first, 2).by_case == {"one": (1, 2), "two": (7, 8)}


def test_what_was_written_is_read_and_only_the_latest_are_kept(tmp_path: Path) -> None:
    strips = Strips()
    for number in range(1, RUNS + 6):
        strips = _asked({"one": "keys"}, {"one": number}, strips, number)
        strips.write(tmp_path)
        strips = Strips.read(tmp_path)
    assert strips.numbers == tuple(range(6, RUNS + 6))
    assert strips.by_case == {"one": tuple(range(6, RUNS + 6))}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["runs", "rows"]), inner),
    max_leaves=8,
)


@given(st.binary(max_size=80) | _JSON.map(lambda one: gzip.compress(json.dumps(one).encode())))
def test_any_bytes_are_ranks_or_none(data: bytes) -> None:
    with tempfile.TemporaryDirectory() as name:
        (Path(name) / RANKS).write_bytes(data)
        found = Strips.read(Path(name))
        assert all(len(row) == len(found.numbers) for row in found.rows.values())
