"""Documents of frameworks become hits by the frameworks' own metadata, and by nothing else."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from rankgate.systems.function.documents import DocumentReader
from support.retriever_doubles import MetaDocument, NodeWithScore, PageDocument, TextNode

TEXT = "Rotate each month."
ENDS = {"start_char_idx": 4, "end_char_idx": 4 + len(TEXT)}


def fields(document: object) -> dict[str, Any]:
    found = DocumentReader().read([document]).hits
    assert isinstance(found, list)
    [hit] = found
    assert isinstance(hit, dict)
    return hit


@pytest.mark.parametrize(
    ("document", "expected"),
    [
        (PageDocument(TEXT), {"text": TEXT}),
        (PageDocument(TEXT, {"source": "a.md"}, "7"), {"text": TEXT, "path": "a.md", "id": "7"}),
        (PageDocument(TEXT, {"file_path": Path("b/a.md")}), {"text": TEXT, "path": "b/a.md"}),
        (PageDocument(TEXT, {"source": "a.md", "file_path": "b.md"}), {"text": TEXT, "path": "a.md"}),
        (PageDocument(TEXT, {"start_index": 0}), {"text": TEXT, "start_char": 0}),
        ((PageDocument(TEXT), 0.5), {"text": TEXT, "score": 0.5}),
        (TextNode("n", TEXT), {"id": "n", "text": TEXT}),
        (NodeWithScore(TextNode("n", TEXT), 0.25), {"id": "n", "text": TEXT, "score": 0.25}),
        (
            NodeWithScore(TextNode("n", TEXT, {"file_path": "a.md", "source": "b.md"}, **ENDS)),
            {"id": "n", "text": TEXT, "path": "a.md", "start_char": 4, "end_char": 4 + len(TEXT)},
        ),
        (
            MetaDocument("d", TEXT, {"file_path": "a.md", "split_idx_start": 9, "page_number": 1}, 2.5),
            {"id": "d", "text": TEXT, "path": "a.md", "start_char": 9, "score": 2.5},
        ),
        (
            MetaDocument("d", TEXT, {"source": "a.py", "start_line": 3, "end_line": 8}),
            {"id": "d", "text": TEXT, "path": "a.py", "start": 3, "end": 8},
        ),
        (MetaDocument("d", None), {"id": "d"}),
        (PageDocument(TEXT, {"source": "a.pdf", "page": 0}), {"text": TEXT, "path": "a.pdf#page=1"}),
        (
            MetaDocument("d", TEXT, {"file_path": "A.PDF", "page_number": 3}),
            {"id": "d", "text": TEXT, "path": "A.PDF#page=3"},
        ),
        (
            TextNode("n", TEXT, {"file_path": "a.pdf", "page_label": "3"}),
            {"id": "n", "text": TEXT, "path": "a.pdf"},
        ),
        (PageDocument(TEXT, {"source": "a.html", "page": 0}), {"text": TEXT, "path": "a.html"}),
    ],
)
def test_a_document_says_what_its_framework_writes(document: object, expected: dict[str, Any]) -> None:
    assert fields(document) == expected


@pytest.mark.parametrize(
    ("document", "why"),
    [
        (
            PageDocument(TEXT, {"start_index": -1}),
            "metadata.start_index: -1: the splitter did not find the chunk",
        ),
        (PageDocument(TEXT, {"start_index": 5, "page": 0}), "metadata.start_index: it counts in a page"),
        (TextNode("n", TEXT, {"page_label": "2"}, **ENDS), "start_char_idx: it counts in a page"),
        (
            TextNode("n", f"Before. {TEXT} After.", {}, **ENDS),
            "start_char_idx: they count another text than that of the hit",
        ),
        (
            MetaDocument("d", TEXT, {"file_path": "a.pdf", "split_idx_start": 5}),
            "meta.split_idx_start: it counts in the text that was made of the PDF",
        ),
        (
            MetaDocument("d", TEXT, {"split_idx_start": 5, "__level": 2}),
            "meta.split_idx_start: it counts in the part above",
        ),
    ],
)
def test_an_offset_that_counts_something_else_is_not_used_and_that_is_said(
    document: object, why: str
) -> None:
    found = DocumentReader().read([document])

    assert "start_char" not in fields(document)
    assert why in found.left


@pytest.mark.parametrize(
    "metadata", [{"filename": "a.md"}, {"url": "a.md"}, {"chunk_start": 3}, {"source": 7}]
)
def test_keys_that_no_framework_writes_are_not_read(metadata: dict[str, Any]) -> None:
    assert fields(PageDocument(TEXT, metadata)) == {"text": TEXT}


def test_what_is_looked_for_and_not_there_is_said() -> None:
    found = DocumentReader().read([PageDocument(TEXT)])

    assert found.read == ("text from page_content",)
    assert "path (metadata.source, metadata.file_path)" in found.left


@pytest.mark.parametrize(
    "answer",
    [["a", "b"], [("a", 0.5)], [{"id": "a"}], [], None, "text", {"hits": []}, [("a", 1, 2)], [3]],
)
def test_an_answer_without_documents_is_left_alone(answer: object) -> None:
    assert DocumentReader().read(answer).hits is answer


def test_the_documents_of_a_component_are_taken_out() -> None:
    found = DocumentReader().read({"documents": [MetaDocument("d", TEXT)]})

    assert found.hits == [{"id": "d", "text": TEXT}]
    assert DocumentReader().read({"documents": []}).hits == []


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ("keys.md", "keys.md"),
        ("docs/keys.md", "keys.md"),
        ("./docs/keys.md", "keys.md"),
        ("{root}/docs/keys.md", "keys.md"),
        ("docs/deep/../keys.md", "keys.md"),
        ("docs/deep/docs/keys.md", "deep/docs/keys.md"),
        ("deep/docs/keys.md", "deep/docs/keys.md"),
        ("docs/gone.md", "docs/gone.md"),
        ("other/keys.md", "other/keys.md"),
        ("/elsewhere/docs/keys.md", "/elsewhere/docs/keys.md"),
        ("https://example.org/docs/keys.md", "https://example.org/docs/keys.md"),
        ("docs/keys.md\0", "docs/keys.md\0"),
    ],
)
def test_a_path_into_the_folder_of_the_corpus_is_made_relative_to_it(
    source: str, path: str, tmp_path: Path
) -> None:
    for name in ("docs/keys.md", "docs/deep/docs/keys.md", "other/keys.md"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(TEXT)
    reader = DocumentReader(str(tmp_path), str(tmp_path / "docs"))

    found = reader.read([PageDocument(TEXT, {"source": source.replace("{root}", str(tmp_path))})])

    assert found.hits == [{"text": TEXT, "path": path}]
