"""What holds of every index that rankgate builds into a folder, whichever engine writes it."""

from __future__ import annotations

import os
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest

from rankgate.errors import InputError, SystemFailedError
from rankgate.model import Document, Indexer, Query
from rankgate.systems.registry import kind_of, open_system
from rankgate_engines.indexes import built, facet_names, index_folder
from rankgate_engines.records import facet_term
from rankgate_engines.tantivy_query import quoted_placeholder
from support.commands import rankgate
from support.engine_material import functions, scifact

KINDS = ("bm25s", "lancedb", "tantivy")
ODD_FACETS = {
    "time": "2024-01-01T00:00:00Z",
    "date": "2024-01-01",
    "number": "1.5",
    "truth": "true",
    "nothing": "null",
    "json": '["time", "x"]',
    "*": "star",
    "a.b": "dotted",
    "long": "x" * 70_000,
    "empty": "",
}


def opened(kind: str, folder: Path, **options: object) -> Any:
    return open_system("docs", {"kind": kind, "folder": str(folder), **options})


def ids(system: Any, text: str, **filters: str | tuple[str, ...]) -> list[str | None]:
    return [hit.id for hit in system.search(Query(text, 10, filters)).hits]


@pytest.mark.parametrize("kind", KINDS)
def test_hits_of_a_built_index_say_where_they_lie(tmp_path: Path, kind: str) -> None:
    system = opened(kind, tmp_path)
    system.build(functions(), "click")
    document = next(one for one in functions() if one.title == "get_best_encoding")
    hits = system.search(Query("get_best_encoding", 3)).hits
    (hit,) = (hit for hit in hits if hit.id == document.id)
    assert (hit.path, hit.lines) == (document.path, document.lines)
    assert (hit.score or 0) > 0


@pytest.mark.parametrize(
    ("kind", "other"),
    [("bm25s", {"stemmer": "none"}), ("lancedb", {"language": "German"}), ("tantivy", {"tokenizer": "raw"})],
)
def test_a_built_index_is_kept_and_a_half_built_one_never_used(
    tmp_path: Path, kind: str, other: dict[str, object]
) -> None:
    system = opened(kind, tmp_path)
    assert isinstance(system, Indexer)

    def broken() -> Any:
        yield from (Document(str(number), "word") for number in range(1500))
        raise KeyError

    with pytest.raises(KeyError):
        system.build(broken(), "docs")
    assert list(tmp_path.iterdir()) == []
    assert system.build([Document("1", "words")], "docs")
    assert not system.build(broken(), "docs")
    assert ids(system, "word") == ["1"]
    again = opened(kind, tmp_path, **other)
    assert again.build([Document("1", "other")], "docs")
    assert ids(again, "word") == []
    assert ids(system, "word") == ["1"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_alone_is_enough_to_test_with(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text("# Keys\n\nMaking one.\n\n## Rotation\n\nTo rotate a key.\n")
    case = "{query: rotate a key, at: keys.md#Rotation}"
    (tmp_path / "search.yaml").write_text(f"corpus: docs/\ngates: [hit@1 >= 1]\ncases: [{case}]\n")
    (tmp_path / "rankgate.toml").write_text(f"[systems.app]\nkind = '{kind}'\n")
    first = rankgate("test", "search.yaml").printed()
    assert "1 document cut by section into 2 pieces\n" in first
    again = rankgate("test", "search.yaml").printed()
    assert "1 document cut by section into 2 pieces: built before" in again


@pytest.mark.once
@pytest.mark.parametrize(
    ("kind", "options"),
    [
        ("bm25s", {"k1": 1.2}),
        ("bm25s", {"k1": 0.9, "b": 0.4}),
        pytest.param("lancedb", {}, marks=pytest.mark.long),
        ("tantivy", {}),
    ],
)
def test_bm25_reaches_the_published_figure_of_scifact(
    shared_data: Path, tmp_path: Path, kind: str, options: dict[str, object]
) -> None:
    judged = scifact(shared_data)
    system = opened(kind, tmp_path, **options)
    system.build(judged.documents, "scifact")
    assert judged.ndcg(system) == pytest.approx(0.6789, abs=0.01)


@pytest.mark.parametrize("kind", KINDS)
def test_a_filter_that_no_document_has_is_an_error_with_those_that_there_are(
    tmp_path: Path, kind: str
) -> None:
    documents = [Document("1", "word", {"lang": "py"}), Document("2", "word", {"kind": "class"})]
    opened(kind, tmp_path).build(documents, "two")
    kept = opened(kind, tmp_path)
    assert not kept.build((), "two")
    assert ids(kept, "word", lang="go") == []
    assert ids(kept, "word", lang="py", kind="class") == []
    for text in ("word", "nowhere", ""):
        with pytest.raises(SystemFailedError, match=r"filters lnag, .*the facets kind, lang"):
            kept.search(Query(text, filters={"lang": "py", "lnag": "py"}))
    kept.build([Document("1", "word")], "none")
    with pytest.raises(SystemFailedError, match=r"filters lang, .*no facets"):
        kept.search(Query("word", filters={"lang": "py"}))


@pytest.mark.parametrize("kind", KINDS)
def test_a_facet_filters_whatever_its_value_looks_like(tmp_path: Path, kind: str) -> None:
    system = opened(kind, tmp_path)
    plain = Document("plain", "word", dict.fromkeys(ODD_FACETS, "other"))
    system.build([Document("odd", "word", ODD_FACETS), plain], "odd")
    for name, value in ODD_FACETS.items():
        assert ids(system, "word", **{name: value}) == ["odd"], name
        assert sorted(map(str, ids(system, "word", **{name: (value, "other")}))) == ["odd", "plain"]
        assert ids(system, "word", **{name: f"{value} "}) == []


@pytest.mark.parametrize("kind", KINDS)
def test_half_a_surrogate_pair_is_a_question_mark_in_every_index(tmp_path: Path, kind: str) -> None:
    system = opened(kind, tmp_path)
    odd = Document("a\ud800", "word \udfff", {"f\ud800": "v\ud800"}, title="t\ud800", path="p\ud800.md")
    system.build([odd, Document("2", "word", {"f?": "other"})], "odd")
    for filters in ({"f\ud800": "v\ud800"}, {"f?": "v?"}, {"f\ud800": ("v?", "v\udfff")}):
        (hit,) = system.search(Query("word \ud800", filters=filters)).hits
        assert (hit.id, hit.path) == ("a?", "p?.md")


@pytest.mark.parametrize("kind", KINDS)
def test_an_index_of_another_layout_is_another_index(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert opened(kind, tmp_path).build([Document("1", "word")], "docs")
    module = type(opened(kind, tmp_path)).__module__
    monkeypatch.setattr(import_module(module), "FORMAT", 999)
    assert opened(kind, tmp_path).build([Document("1", "word")], "docs")
    assert len(list(tmp_path.iterdir())) == 2


def test_an_index_of_another_stemmer_is_another_index(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert opened("bm25s", tmp_path).build([Document("1", "word")], "docs")
    monkeypatch.setattr("rankgate_engines.bm25s.version", lambda name: f"{name} 999")
    assert opened("bm25s", tmp_path).build([Document("1", "word")], "docs")


@pytest.mark.parametrize("kind", ["lancedb", "tantivy"])
def test_an_index_that_lost_its_facets_is_refused(tmp_path: Path, kind: str) -> None:
    opened(kind, tmp_path).build([Document("1", "word", {"lang": "py"})], "docs")
    (folder,) = tmp_path.iterdir()
    assert facet_names(folder) == {"lang"}
    for content in (b"", b"[" * 100_000, b"1", b"\xff"):
        (folder / "facets.rankgate.json").write_bytes(content)
        with pytest.raises(InputError, match="delete the folder"):
            opened(kind, tmp_path).build((), "docs")


def test_the_layout_is_part_of_what_names_an_index() -> None:
    one, other = (index_folder("tantivy", "docs", Path(), "kept", {}, layout=number) for number in (1, 2))
    assert one != other


def test_a_facet_that_is_too_long_for_a_term_is_told_by_its_fingerprint() -> None:
    terms = {facet_term(name, "x" * length) for name in ("a", "b") for length in (10, 8000, 8001)}
    assert len(terms) == 6
    assert max(map(len, terms)) < 8100


@pytest.mark.parametrize(
    ("request_text", "expected"),
    [
        ("{query}", False),
        ('"{query}"', True),
        ('{query} "{query}"', True),
        ('"a" {query} "b"', False),
        (r"\"{query}", False),
        (r'"a\" {query}"', True),
        (r'"a\\" {query}', False),
        ("'{query}'", True),
        ("'\"' {query}", False),
        ('"open {query}', True),
        ("{query} \\", False),
        ('"open', False),
    ],
)
def test_every_hole_in_quotes_is_seen(request_text: str, expected: bool) -> None:
    assert quoted_placeholder(request_text) is expected


def test_what_a_killed_builder_left_is_removed_a_day_later(tmp_path: Path) -> None:
    place = index_folder("tantivy", "docs", tmp_path, ".", {}, layout=1)
    old, new = (place.with_name(f".{place.name}.{end}") for end in ("0123abcd", "4567abcd"))
    for left in (old, new, tmp_path / ".mine"):
        left.mkdir()
    for left in (old, tmp_path / ".mine"):
        os.utime(left, (0, 0))
    assert built(place, (), lambda folder, _: (folder / "index").touch())
    assert not old.exists()
    assert new.exists()
    assert (tmp_path / ".mine").exists()


@pytest.mark.parametrize("name", KINDS)
def test_the_version_that_is_said_to_be_tested_is_the_one_that_is_tested(name: str) -> None:
    assert kind_of(name).tested == f"tested with {name} {version(name)}"
