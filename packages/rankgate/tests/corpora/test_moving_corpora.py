"""Another state of a corpus: a commit or a path."""

from __future__ import annotations

import pytest

from rankgate.corpora.corpus import moved_to
from rankgate.errors import InputError
from rankgate.model import CorpusSource

OLD = CorpusSource("a.zip", "archive", {"sha256": "0" * 64, "under": "x"})


@pytest.mark.parametrize(
    ("source", "to", "expected"),
    [
        (
            CorpusSource(".", "git", {"commit": "1a2b3c4", "under": "docs"}),
            "main",
            CorpusSource(".", "git", {"commit": "main", "under": "docs"}),
        ),
        (CorpusSource("docs/"), "docs-v2/", CorpusSource("docs-v2/")),
        (OLD, "b.zip", CorpusSource("b.zip", "archive", {"under": "x"})),
        (
            CorpusSource("a.jsonl", "jsonl", {"id": "_id", "text": ("a", "b")}),
            "b.jsonl",
            CorpusSource("b.jsonl", "jsonl", {"id": "_id", "text": ("a", "b")}),
        ),
        (CorpusSource("a/", "beir"), "b/", CorpusSource("b/", "beir")),
    ],
)
def test_a_corpus_moves(source: CorpusSource, to: str, expected: CorpusSource) -> None:
    assert moved_to(source, to) == expected


def test_what_names_no_state_is_refused() -> None:
    with pytest.raises(InputError, match="found nothing to move to, expected a commit or a path"):
        moved_to(OLD, " ")
