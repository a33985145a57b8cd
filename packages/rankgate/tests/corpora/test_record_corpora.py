"""Records: BEIR, JSON lines and the operations of an API, named by ids that are never parsed."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.corpora import records
from rankgate.corpora.corpus import Corpus, OpenContext, open_source
from rankgate.errors import FormatError, InputError, RankgateError
from rankgate.io.text import read_lines
from rankgate.model import CorpusSource, Document

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

RECORDS = [
    {"_id": "2", "title": "Second", "text": "two\r\nlines"},
    {"_id": "a:1-2#x", "title": "", "text": "first"},
    {"_id": "10", "title": "No text"},
]


def lines(objects: list[Any]) -> bytes:
    return b"".join(json.dumps(record).encode() + b"\n" for record in objects)


def opened(folder: Path, place: str, kind: str, **options: str | tuple[str, ...]) -> Corpus:
    return open_source(CorpusSource(place, kind, options), OpenContext(folder, folder))


def refusal(folder: Path, place: str, kind: str, **options: str | tuple[str, ...]) -> str:
    with pytest.raises(InputError) as caught:
        opened(folder, place, kind, **options)
    return str(caught.value).replace(str(folder), "F")


def test_records_have_ids_and_texts(tmp_path: Path) -> None:
    (tmp_path / "corpus.jsonl").write_bytes(b"\xef\xbb\xbf" + lines(RECORDS) + b"\n")
    corpus = opened(tmp_path, ".", "beir")
    assert corpus.records
    assert corpus.paths() == ("10", "2", "a:1-2#x")
    assert corpus.text("2") == "Second\n\ntwo\nlines"
    assert [corpus.lines(name) for name in corpus.paths()] == [1, 4, 1]
    assert next(corpus.documents()) == Document("10", "No text")
    assert "a:1-2#x" in corpus
    assert "a" not in corpus
    assert corpus.notes == ()


def test_the_same_records_have_the_same_fingerprint(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "corpus.jsonl.gz").write_bytes(gzip.compress(lines(RECORDS)))
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "corpus.jsonl.zst").write_bytes(zstd.compress(lines(RECORDS[::-1])))
    named = [{"key": r["_id"], "head": r["title"], "body": r.get("text")} for r in RECORDS]
    (tmp_path / "c.jsonl").write_bytes(lines(named))
    corpora = [
        opened(tmp_path, "a", "beir"),
        opened(tmp_path, "b", "beir"),
        opened(tmp_path, "c.jsonl", "jsonl", id="key", text=("head", "body")),
    ]
    assert len({corpus.fingerprint for corpus in corpora}) == 1
    other = opened(tmp_path, "c.jsonl", "jsonl", id="key", text="head")
    assert other.fingerprint != corpora[0].fingerprint
    assert other.notes == ("1 records with an empty text",)


def test_ids_may_be_whole_numbers_and_the_usual_fields_need_no_names(tmp_path: Path) -> None:
    (tmp_path / "c.jsonl").write_bytes(lines([{"id": 7, "text": "x"}, {"id": "8", "text": "y"}]))
    assert opened(tmp_path, "c.jsonl", "jsonl").paths() == ("7", "8")


def test_a_title_that_is_no_part_of_the_text_is_the_title(tmp_path: Path) -> None:
    record = {"id": "a", "text": "x", "title": " Rotate\na key "}
    (tmp_path / "c.jsonl").write_bytes(lines([record, {"id": "b", "text": "y", "title": 3}]))
    corpus = opened(tmp_path, "c.jsonl", "jsonl")
    assert list(corpus.documents()) == [Document("a", "x", title="Rotate a key"), Document("b", "y")]
    (tmp_path / "d.jsonl").write_bytes(lines([record]))
    both = opened(tmp_path, "d.jsonl", "jsonl", text=("title", "text"))
    assert [document.title for document in both.documents()] == [""]


def test_everything_that_is_wrong_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    data = lines([{"id": "a", "text": "x"}, {"id": "b", "text": 3}, {"id": "a", "text": "y"}, {"idd": "c"}])
    data += b'{"id": "d"\n[1]\n{"id": true, "text": ""}\n{"id": "\\ud800", "text": ""}\nnul \0\n'
    (tmp_path / "c.jsonl").write_bytes(data)
    told = refusal(tmp_path, "c.jsonl", "jsonl").splitlines()
    assert told[:3] == [
        "F/c.jsonl:2: text: found 3, expected a string",
        "F/c.jsonl:3: found id 'a' a second time, first in line 1, expected each id once",
        "F/c.jsonl:4: id: found no 'id', expected an id, as text or a whole number; did you mean idd?",
    ]
    assert [line.split(": ")[0] for line in told[3:]] == [f"F/c.jsonl:{number}" for number in range(5, 10)]


@pytest.mark.parametrize(
    ("place", "kind", "options", "told"),
    [
        ("c.jsonl", "jsonl", {"text": "txt"}, "found no record with a field 'txt', expected fields of"),
        ("c.jsonl", "jsonl", {"fields": "x"}, "found the option 'fields', expected one of id, text"),
        (
            "c.jsonl",
            "jsonl",
            {"id": ("a", "b")},
            "corpus jsonl c.jsonl: id: found a list, expected one value",
        ),
        ("c.jsonl", "beir", {}, "c.jsonl is not a folder. Name a folder with corpus.jsonl, relative to"),
        (".", "beir", {}, "corpus beir .: found a folder without it, expected a folder with corpus.jsonl"),
        (".", "jsonl", {}, "is a folder. Name a file of JSON objects, one a line, relative"),
        ("../c.jsonl", "jsonl", {}, "outside the project"),
        ("empty.jsonl", "jsonl", {}, "found no records, expected at least one"),
    ],
)
def test_what_cannot_be_opened_says_why(
    tmp_path: Path, place: str, kind: str, options: dict[str, str], told: str
) -> None:
    (tmp_path / "c.jsonl").write_bytes(lines([{"id": "a", "text": "x"}]))
    (tmp_path / "empty.jsonl").write_bytes(b"\n")
    assert told in refusal(tmp_path, place, kind, **options)


def test_texts_beyond_the_limit_are_rejected(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "TOTAL", 1000)
    (tmp_path / "big.jsonl").write_bytes(lines([{"id": name, "text": "é" * 400} for name in "ab"]))
    told = refusal(tmp_path, "big.jsonl", "jsonl")
    assert told.startswith(
        "F/big.jsonl: found texts of more than 1000 bytes, expected at most 1000, kept in memory"
    )


def test_lines_are_read_one_by_one_whatever_their_length(tmp_path: Path) -> None:
    path = tmp_path / "x"
    found = [b"a" * size for size in (0, 1, 5_000_000, 0, 4_194_304, 3, 4_194_303, 9_000_000)]
    path.write_bytes(b"\n".join(found))
    assert list(read_lines(path)) == found
    path.write_bytes(b"\n".join(found) + b"\n")
    assert list(read_lines(path)) == found
    with pytest.raises(FormatError, match=r"x:3: found a line of more than 1000000 bytes"):
        list(read_lines(path, longest=1_000_000))


@given(st.binary(max_size=300) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_records_or_refused(data: bytes) -> None:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "corpus.jsonl").write_bytes(data)
        for place, kind in ((".", "beir"), ("corpus.jsonl", "jsonl")):
            try:
                opened(folder, place, kind)
            except RankgateError:
                continue


def test_real_documents_are_read(shared_data: Path) -> None:
    corpus = opened(shared_data / "beir", "scifact", "beir")
    assert len(corpus) == 5183
    assert corpus.text("4983").startswith(
        "Microstructural development of human newborn cerebral white matter"
    )
    assert corpus.notes == ()


def test_real_operations_are_read(shared_data: Path) -> None:
    folder = shared_data / "openapi"
    corpus = opened(folder, "jira-platform-2025.jsonl", "jsonl", id="operationId", text="summary")
    assert len(corpus) == 616
    assert "setBanner" in corpus
