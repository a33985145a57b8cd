from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import snowballstemmer

from rankgate.errors import InputError, SystemFailedError
from rankgate.model import Document, Query
from rankgate.systems.registry import open_system
from rankgate.testing import ODD, check_system
from rankgate_engines.bm25s import Bm25sOptions, Bm25sSystem
from support.commands import rankgate
from support.engine_material import functions, queries

if TYPE_CHECKING:
    from pathlib import Path

RECORDS = (
    {"sku": "1", "name": "Red shoes", "body": "Shoes for running", "colour": "red"},
    {"sku": "2", "name": "Laces", "body": "Laces for red shoes and blue shoes", "colour": "white"},
    {"sku": "3", "name": "Blue shoes", "body": "For walking and running", "colour": "blue"},
)


@pytest.fixture
def system(tmp_path: Path) -> Bm25sSystem:
    system = Bm25sSystem(Bm25sOptions(folder=str(tmp_path)))
    system.build(functions(), "click")
    return system


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """An index that somebody saved, without rankgate: other records, and words as they are."""
    import bm25s

    retriever = bm25s.BM25(k1=1.2, b=0.75)
    texts = [f"{record['name']} {record['body']}" for record in RECORDS]
    retriever.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    retriever.save(tmp_path / "shop", corpus=list(RECORDS), show_progress=False)
    return tmp_path / "shop"


def opened(shop: Path, **options: object) -> Any:
    given = {"kind": "bm25s", "index": shop.name, "root": str(shop.parent), "stemmer": "none"}
    return open_system("shop", {**given, "fields": {"id": "sku"}, **options})


def ids(system: Any, text: str, **filters: str | tuple[str, ...]) -> list[str | None]:
    return [hit.id for hit in system.search(Query(text, 10, filters)).hits]


def test_an_index_of_bm25s_keeps_the_contract(system: Bm25sSystem, shop: Path) -> None:
    check_system(system, queries()[:5])
    check_system(opened(shop), ("shoes", "red laces"))


def test_bm25s_ranks_as_the_bare_client_does(system: Bm25sSystem) -> None:
    import bm25s

    stemmer = snowballstemmer.stemmer("english")
    retriever = bm25s.BM25()
    texts = [f"{one.title}\n{one.text}" for one in functions()]
    retriever.index(bm25s.tokenize(texts, stemmer=stemmer, show_progress=False), show_progress=False)
    names = np.array([one.id for one in functions()])

    def bare(text: str, k: int = 10) -> list[tuple[str, float]]:
        tokens = bm25s.tokenize(text, stemmer=stemmer, show_progress=False)
        found, scores = retriever.retrieve(tokens, corpus=names, k=k, show_progress=False)
        # Where fewer than k hold a word, bm25s fills the list up with others, of no score.
        pairs = zip(found[0].tolist(), scores[0].tolist(), strict=True)
        return [(name, score) for name, score in pairs if score > 0]

    total = 0
    for text in queries():
        hits, expected = system.search(Query(text, 10)).hits, bare(text)
        found = [(hit.id, hit.score) for hit in hits]
        # bm25s gives equals in no order, and any of those that are as good as the last.
        assert [score for _, score in found] == [score for _, score in expected], text
        assert found == sorted(bare(text, len(names)), key=lambda pair: (-pair[1], pair[0]))[:10], text
        total += len(expected)
    assert total > 1500


def test_a_saved_index_is_searched_with_the_words_it_was_made_of(shop: Path) -> None:
    assert ids(opened(shop), "red laces") == ["2", "1"]
    assert ids(opened(shop), "shoe") == []
    assert ids(opened(shop), "running") == ["1", "3"]
    hit = opened(shop, fields={"id": "sku", "text": "body"}).search(Query("laces")).hits[0]
    assert (hit.id, hit.text) == ("2", RECORDS[1]["body"])


def test_a_configuration_names_a_saved_index_from_its_own_folder(
    shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = '[systems.shop]\nkind = "bm25s"\nindex = "shop"\nstemmer = "none"\nfields = { id = "sku" }\n'
    (shop.parent / "rankgate.toml").write_text(settings, encoding="utf-8")
    (shop.parent / "below").mkdir()
    monkeypatch.chdir(shop.parent / "below")
    assert "2" in rankgate("query", "shop", "laces").printed().split()


def test_a_saved_index_without_records_gives_numbers(shop: Path) -> None:
    (shop / "corpus.jsonl").unlink()
    assert ids(opened(shop), "laces") == ["1"]
    assert ids(opened(shop), "running") == ["0", "2"]
    with pytest.raises(SystemFailedError, match="filters colour"):
        opened(shop).search(Query("laces", filters={"colour": "red"}))


def test_filters_of_a_saved_index_are_keys_of_its_records(shop: Path) -> None:
    system = opened(shop)
    assert ids(system, "shoes", colour="blue") == ["3"]
    assert sorted(map(str, ids(system, "shoes", colour=("blue", "red")))) == ["1", "3"]
    assert ids(system, "laces", colour="blue") == []
    with pytest.raises(SystemFailedError, match="filters size"):
        system.search(Query("shoes", filters={"size": "44"}))


def test_equal_documents_are_in_the_order_of_their_ids_whatever_is_wanted(tmp_path: Path) -> None:
    names = [f"{number * 37 % 101:03}" for number in range(101)]
    system = Bm25sSystem(Bm25sOptions(folder=str(tmp_path)))
    documents = [Document(name, "key lock" if name == "050" else "key door") for name in names]
    system.build(documents, "equals")
    for k in (1, 2, 7, 100, 101, 1000):
        found = [hit.id for hit in system.search(Query("key lock", k)).hits]
        assert found == ["050", *sorted({*names} - {"050"})][:k]


def test_words_with_marks_are_found_with_a_pattern_that_takes_them(tmp_path: Path) -> None:
    system = Bm25sSystem(Bm25sOptions(folder=str(tmp_path), token_pattern=r"[^\s.,;:!?()]+"))
    system.build([Document("1", "हिन्दी में (खोज)."), Document("2", "كِتَابٌ")], "scripts")
    assert [ids(system, text) for text in ("खोज", "हिन्दी", "كِتَابٌ")] == [["1"], ["1"], ["2"]]


@pytest.mark.parametrize("method", ["lucene", "robertson", "atire", "bm25l", "bm25+"])
def test_only_what_holds_a_word_is_found_whatever_the_method(tmp_path: Path, method: Any) -> None:
    system = Bm25sSystem(Bm25sOptions(folder=str(tmp_path), method=method, keep=False))
    texts = ("key", "key lock", "door", "house door", "wall", "roof", "window pane", "floor", "cellar")
    system.build([Document(str(number), text) for number, text in enumerate(texts)], "nine")
    assert sorted(map(str, ids(system, "key lock absent"))) == ["0", "1"]
    assert ids(system, "absent") == []
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "settings",
    [{"k1": 0.9, "b": 0.4}, {"k1": 2.0, "b": 0.0, "method": "atire"}, {"delta": 1.5, "method": "bm25+"}],
)
def test_the_settings_of_bm25_are_those_of_the_bare_client(settings: dict[str, Any]) -> None:
    import bm25s

    documents = functions()[:50]
    system = Bm25sSystem(Bm25sOptions(keep=False, stemmer="none", **settings))
    system.build(documents, "fifty")
    retriever = bm25s.BM25(**settings)
    texts = [f"{one.title}\n{one.text}" for one in documents]
    retriever.index(bm25s.tokenize(texts, show_progress=False), show_progress=False)
    found = retriever.retrieve(bm25s.tokenize("def return", show_progress=False), k=5, show_progress=False)
    hits = system.search(Query("def return", 5)).hits
    assert [hit.score for hit in hits] == found.scores[0].tolist()


def test_threads_do_not_spoil_each_others_words(system: Bm25sSystem) -> None:
    asked = [Query(text, 5) for text in queries()]
    alone = [system.search(query) for query in asked]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(8) as pool:
            assert list(pool.map(system.search, asked)) == alone
    finally:
        sys.setswitchinterval(interval)


@pytest.mark.parametrize("text", [*ODD.values(), "AND", "NOT word", "title:word"])
def test_every_text_is_words_to_bm25s(tmp_path: Path, text: str) -> None:
    system = Bm25sSystem(Bm25sOptions(folder=str(tmp_path), stopwords=(), stemmer="none"))
    system.build([Document("1", "word other"), Document("2", "and not title")], "two")
    words = set("".join(char if char.isalnum() else " " for char in text.lower()).split())
    expected = {"1"} if words & {"word", "other"} else set()
    expected |= {"2"} if words & {"and", "not", "title"} else set()
    assert set(ids(system, text)) == expected


def test_wrong_options_of_bm25s_are_told_when_it_is_opened(shop: Path) -> None:
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"index": "nowhere"}, "BM25.save"),
        ({"stemmer": "englsh"}, "did you mean english"),
        ({"stopwords": "klingon"}, "stopwords that bm25s knows"),
        ({"token_pattern": "("}, "token_pattern"),
        ({"fields": {"name": "x"}}, "unknown field"),
        ({"b": 2}, "0 to 1"),
        ({"k1": -1}, "0 or more"),
        ({"indx": "x"}, "Did you mean `index`"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said):
            opened(shop, **options)


@pytest.mark.parametrize(
    "name", ["data.csc.index.npy", "vocab.index.json", "params.index.json", "corpus.jsonl"]
)
def test_a_damaged_index_of_bm25s_is_refused(shop: Path, name: str) -> None:
    whole = (shop / name).read_bytes()
    for content in (b"", b"{", b'{"a": [1]}\n', whole[: len(whole) // 2], b"\x80\x04pickle"):
        (shop / name).write_bytes(content)
        with pytest.raises((InputError, SystemFailedError)):
            opened(shop).search(Query("red laces shoes"))


def test_records_must_be_one_for_each_document_of_a_saved_index(shop: Path) -> None:
    with (shop / "corpus.jsonl").open("a", encoding="utf-8") as file:
        file.write('{"sku": "4"}\n')
    with pytest.raises(InputError, match="4 records for 3 documents"):
        opened(shop)


def test_an_index_without_a_word_and_none_at_all_are_told(tmp_path: Path) -> None:
    system = Bm25sSystem(Bm25sOptions(folder=str(tmp_path)))
    for documents in ([], [Document("1", "the")]):
        with pytest.raises(InputError, match="without a word"):
            system.build(documents, "nothing")
    with pytest.raises(InputError, match="no index"):
        system.search(Query("a"))
