"""Another state of a corpus: a commit, a release, or a path."""

from __future__ import annotations

import pytest

from rankgate.corpora.corpus import moved_to
from rankgate.errors import InputError
from rankgate.model import CorpusSource

OLD = CorpusSource("click==8.3.2", "sdist", {"sha256": "0" * 64, "under": "src"})


@pytest.mark.parametrize(
    ("source", "to", "expected"),
    [
        (
            CorpusSource(".", "git", {"commit": "1a2b3c4", "under": "docs"}),
            "main",
            CorpusSource(".", "git", {"commit": "main", "under": "docs"}),
        ),
        (OLD, "8.5.1", CorpusSource("click==8.5.1", "sdist", {"under": "src"})),
        (OLD, "Click == 8.5.1", CorpusSource("Click == 8.5.1", "sdist", {"under": "src"})),
        (
            OLD,
            f"8.5.1@sha256:{'A' * 64}",
            CorpusSource("click==8.5.1", "sdist", {"under": "src", "sha256": "A" * 64}),
        ),
        (CorpusSource("docs/"), "docs-v2/", CorpusSource("docs-v2/")),
        (
            CorpusSource("a.zip", "archive", {"sha256": "0" * 64, "under": "x"}),
            "b.zip",
            CorpusSource("b.zip", "archive", {"under": "x"}),
        ),
        (
            CorpusSource("a.jsonl", "jsonl", {"id": "_id", "text": ("a", "b")}),
            "b.jsonl",
            CorpusSource("b.jsonl", "jsonl", {"id": "_id", "text": ("a", "b")}),
        ),
        (CorpusSource("a/", "beir"), "b/", CorpusSource("b/", "beir")),
        (CorpusSource("a.json", "openapi"), "b.json", CorpusSource("b.json", "openapi")),
    ],
)
def test_a_corpus_moves(source: CorpusSource, to: str, expected: CorpusSource) -> None:
    assert moved_to(source, to) == expected


@pytest.mark.parametrize(
    ("to", "told"),
    [
        ("latest", "found 'latest', expected a version such as 8.5.1, or name==version"),
        ("click==", "found 'click==', expected a version such as 8.5.1, or name==version"),
        ("8.5.1@sha256:12", "sha256: found '12', expected a SHA-256, 64 hexadecimal digits"),
        (" ", "found nothing to move to, expected a commit, a release or a path"),
    ],
)
def test_what_names_no_release_is_refused(to: str, told: str) -> None:
    with pytest.raises(InputError) as caught:
        moved_to(OLD, to)
    assert told in str(caught.value)
