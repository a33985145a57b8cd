"""How scores come about, side by side: the same part on one line, the deepest left out first."""

from __future__ import annotations

import click

from rankgate.model.search import ScoreExplanation as Explained
from rankgate.reports.explanations import MOST_LINES, ExplainedHit, aligned, explanation_text


def _weight(term: str, document: int, value: float) -> Explained:
    return Explained(value, f"weight(body:{term} in {document}) [BM25]", (Explained(1.2, "k1"),))


def test_parts_stand_beside_each_other_whatever_the_document() -> None:
    expected = Explained(1.5, "sum of:", (_weight("key", 7, 1.5),))
    first = Explained(4.0, "sum of:", (_weight("rotate", 12, 2.5), _weight("key", 12, 1.5)))
    rows = [(line.depth, line.words, line.values) for line in aligned([expected, first])]
    assert rows == [
        (0, "sum of:", (1.5, 4.0)),
        (1, "weight(body:key) [BM25]", (1.5, 1.5)),
        (2, "k1", (1.2, 1.2)),
        (1, "weight(body:rotate) [BM25]", (None, 2.5)),
        (2, "k1", (None, 1.2)),
    ]


def test_equal_parts_of_one_hit_are_not_put_together() -> None:
    twice = Explained(2.0, "sum of:", (Explained(1.5, "clause"), Explained(0.5, "clause")))
    assert [line.values for line in aligned([twice, twice])] == [(2.0, 2.0), (1.5, 1.5), (0.5, 0.5)]


def test_the_deepest_parts_are_left_out_first_and_counted() -> None:
    clauses = tuple(
        Explained(1.0, f"clause {at}", tuple(Explained(0.1, f"part {part}") for part in range(4)))
        for at in range(10)
    )
    text = explanation_text([ExplainedHit("first", 1, "a.md", Explained(10.0, "sum of:", clauses))])
    assert "clause 9" in text
    assert "part 0" not in text
    assert "… 40 deeper parts not shown" in text
    assert len(text.splitlines()) <= MOST_LINES + 4


def test_texts_of_an_engine_cannot_move_the_terminal() -> None:
    hostile = Explained(1.0, "sum\x1b[31m of\r:")
    text = click.unstyle(explanation_text([ExplainedHit("first", 1, "a\x1b.md", hostile)], "why\x07"))
    assert not {"\x1b", "\r", "\x07"} & set(text)


def test_a_part_that_an_engine_adds_for_nothing_has_a_name() -> None:
    assert [line.words for line in aligned([Explained(1.0, "")])] == ["score"]
