from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st

from rankgate.errors import InputError, SystemFailedError
from rankgate.model import Document, Query
from rankgate.systems.registry import open_system
from rankgate.testing import ODD, check_system
from rankgate_engines.tantivy import TantivyOptions, TantivySystem
from rankgate_engines.tantivy_query import QueryWriter
from support.engine_material import functions, queries

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture
def system(tmp_path: Path) -> TantivySystem:
    system = TantivySystem(TantivyOptions(folder=str(tmp_path)))
    system.build(functions(), "click")
    return system


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    """An index that somebody has: other fields, written without rankgate."""
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("sku", stored=True, tokenizer_name="raw")
    builder.add_text_field("name", tokenizer_name="en_stem")
    builder.add_text_field("body", tokenizer_name="en_stem")
    builder.add_text_field("colour", tokenizer_name="raw")
    folder = tmp_path / "shop"
    folder.mkdir()
    writer = tantivy.Index(builder.build(), path=str(folder)).writer(num_threads=1)
    rows = (
        ("1", "Red shoes", "Shoes for running", "red"),
        ("2", "Laces", "Laces for red shoes and blue shoes", "white"),
        ("3", "Blue shoes", "For walking AND running", "blue"),
    )
    for sku, name, body, colour in rows:
        writer.add_document(tantivy.Document(sku=sku, name=name, body=body, colour=colour))
    writer.commit()
    writer.wait_merging_threads()
    return folder


def ids(system: Any, text: str, **filters: str | tuple[str, ...]) -> list[str | None]:
    return [hit.id for hit in system.search(Query(text, 10, filters)).hits]


def test_a_tantivy_index_keeps_the_contract(system: TantivySystem) -> None:
    check_system(system, queries()[:5])


def test_tantivy_ranks_as_the_bare_client_does(tmp_path: Path, system: TantivySystem) -> None:
    (folder,) = tmp_path.iterdir()
    index = tantivy.Index.open(str(folder))
    searcher = index.searcher()

    def bare(text: str) -> list[tuple[str, float]]:
        hits = searcher.search(index.parse_query(text, ["all"]), 10).hits
        return [(searcher.doc(address)["id"][0], score) for score, address in hits]

    total = 0
    for text in queries():
        hits, expected = system.search(Query(text, 10)).hits, bare(text)
        assert [(hit.id, hit.score) for hit in hits] == expected, text
        total += len(expected)
    assert total > 1500


def test_an_existing_tantivy_index_is_searched_in_the_fields_that_are_named(shop: Path) -> None:
    options = {"kind": "tantivy", "index": "shop", "root": str(shop.parent), "fields": {"id": "sku"}}
    by_name = open_system("shop", {**options, "search": {"name": 1}})
    assert ids(by_name, "shoe") == ["1", "3"]
    boosted = open_system("shop", {**options, "search": {"name": 1, "body": 50}})
    assert ids(boosted, "red shoe")[0] == "2"


def test_an_existing_tantivy_index_takes_the_users_own_request(shop: Path) -> None:
    options = {"kind": "tantivy", "index": str(shop), "fields": {"id": "sku"}}
    request = "+name:{query} -colour:blue"
    own = open_system("shop", {**options, "request": request})
    assert ids(own, "shoes") == ["1"]
    assert ids(own, ") OR colour:blue (") == []
    check_system(own, ("shoes",))
    language = open_system("shop", {**options, "search": {"body": 1}, "syntax": "tantivy"})
    assert ids(language, 'running -walking +"for running"') == ["1"]
    with pytest.raises(SystemFailedError, match="Syntax Error"):
        language.search(Query("name:("))


def test_filters_of_an_existing_tantivy_index_are_terms_of_a_field(shop: Path) -> None:
    options = {"kind": "tantivy", "index": str(shop), "fields": {"id": "sku"}, "search": {"name": 1}}
    system = open_system("shop", {**options, "filters": {"tint": "colour"}})
    assert ids(system, "shoes", tint="blue") == ["3"]
    assert ids(system, "shoes", tint=("blue", "red")) == ids(system, "shoes")
    assert ids(system, "shoes", tint='blue" OR colour:red') == []
    plain, filtered = system.search(Query("blue")), system.search(Query("blue", filters={"tint": "blue"}))
    assert plain.hits[0].score == filtered.hits[0].score
    with pytest.raises(SystemFailedError, match="filters colour"):
        system.search(Query("shoes", filters={"colour": "red"}))


def test_operators_of_tantivy_are_words_by_default(tmp_path: Path) -> None:
    system = TantivySystem(TantivyOptions(folder=str(tmp_path)))
    system.build([Document("1", "word other"), Document("2", "and not title")], "two")
    expected: dict[str, set[str]] = {
        **{text: set() for text in ODD.values()},
        ODD["a query language"]: {"2"},
        "AND": {"2"},
        "NOT word": {"1", "2"},
        "title:word": {"1", "2"},
        "word^9 -other": {"1"},
        '"word title"': {"1", "2"},
        "and-or-other": {"1", "2"},
        "/.*/": set(),
        "*": set(),
    }
    assert {text: set(ids(system, text)) for text in expected} == expected


SCRIPTS = {
    "hindi": "हिन्दी में खोज",
    "arabic": "كِتَابٌ جَدِيدٌ",
    "hebrew": "סֵפֶר חָדָשׁ",
    "thai": "ค้นหาเอกสาร",
    "tamil": "தேடல் இயந்திரம்",
    "german": "Größe der Schlüssel",
    "decomposed": "cafe\u0301 re\u0301sume\u0301",
    "numbers": "Ⅷ x² ½ ٣",
    "code": "c++ foo-bar snake_case",
}


@pytest.mark.parametrize("tokenizer", ["default", "en_stem", "ar_stem", "whitespace", "raw"])
def test_a_document_of_any_script_is_found_by_its_own_words(tmp_path: Path, tokenizer: str) -> None:
    system = TantivySystem(TantivyOptions(folder=str(tmp_path), tokenizer=tokenizer))
    system.build([Document(name, text, title=f"in {name}") for name, text in SCRIPTS.items()], "scripts")
    for name, text in SCRIPTS.items():
        assert ids(system, text)[:1] == [name]
        if tokenizer != "raw":
            for word in text.split():
                assert name in ids(system, f"{word} nowhere"), word
    assert ids(system, "in german")[:1] == ["german"]


def test_words_are_cut_as_the_index_cuts_them(tmp_path: Path) -> None:
    texts = {"plus": "c++", "dash": "foo-bar", "words": "foo bar", "quoted": 'a"b\\'}
    found: dict[str, dict[str, set[str | None]]] = {}
    for tokenizer in ("default", "whitespace", "raw"):
        system = TantivySystem(TantivyOptions(folder=str(tmp_path), tokenizer=tokenizer))
        system.build([Document(name, text) for name, text in texts.items()], "words")
        found[tokenizer] = {text: set(ids(system, text)) for text in ("c++", "foo-bar", "foo bar", 'a"b\\')}
    assert found == {
        "default": {
            "c++": {"plus"},
            "foo-bar": {"dash", "words"},
            "foo bar": {"dash", "words"},
            'a"b\\': {"quoted"},
        },
        "whitespace": {
            "c++": {"plus"},
            "foo-bar": {"dash"},
            "foo bar": {"words"},
            'a"b\\': {"quoted"},
        },
        "raw": {"c++": {"plus"}, "foo-bar": {"dash"}, "foo bar": {"words"}, 'a"b\\': {"quoted"}},
    }


@pytest.mark.parametrize("tokenizer", ["raw", "whitespace", "en_stem"])
@settings(max_examples=60, deadline=None)
@given(text=st.text(st.characters(codec="utf-8"), min_size=1, max_size=9))
def test_whatever_is_indexed_is_found_by_its_own_text(tokenizer: str, text: str) -> None:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name=tokenizer)
    index = tantivy.Index(builder.build())
    writer = index.writer(15_000_000, 1)
    writer.add_document(tantivy.Document(text=text))
    writer.commit()
    index.reload()
    asked = QueryWriter(tantivy, {"text": tokenizer}, ["text"], None).query(text)
    # What the tokenizer makes no term of is in no index.
    held = any(char.isalnum() for char in text) if tokenizer == "en_stem" else bool(text.strip("\t\n\f\r "))
    if not text.isspace() and held:
        assert index.searcher().search(index.parse_query(asked, ["text"])).hits


def test_each_field_of_a_request_has_its_own_words(tmp_path: Path) -> None:
    builder = tantivy.SchemaBuilder()
    for column, tokenizer in (("sku", "raw"), ("name", "en_stem"), ("tags", "whitespace"), ("a b", "raw")):
        builder.add_text_field(column, stored=column == "sku", tokenizer_name=tokenizer)
    builder.add_json_field("more", tokenizer_name="raw")
    writer = tantivy.Index(builder.build(), path=str(tmp_path)).writer(num_threads=1)
    rows: tuple[dict[str, Any], ...] = (
        {"sku": "AB-1 x", "name": "shoes", "tags": "c++ new", "a b": "o p", "more": {"x": "p-q r"}},
        {"sku": "2", "name": "Laces for AB shoes", "tags": "AB", "a b": "o", "more": {"x": "p"}},
    )
    for row in rows:
        writer.add_document(tantivy.Document(**row))
    writer.commit()
    writer.wait_merging_threads()
    asked: tuple[tuple[dict[str, object], str, set[str]], ...] = (
        ({"search": {"sku": 1}}, "AB-1 x", {"AB-1 x"}),
        ({"search": {"sku": 1, "name": 2}}, "AB-1 x", {"AB-1 x", "2"}),
        ({"search": {"sku": 1, "tags": 1}}, "new", {"AB-1 x"}),
        ({"search": {"a b": 1, "tags": 1}}, "o p", {"AB-1 x"}),
        ({"request": "sku:{query}^2 tags:{query}"}, "AB-1 x", {"AB-1 x"}),
        ({"request": "sku:({query} OR nothing)"}, "AB-1 x", {"AB-1 x"}),
        ({"request": "+name:(shoes {query}) +more.x: {query}"}, "p-q r", {"AB-1 x"}),
        ({"request": "+({query}) +(name:lace)", "search": {"tags": 1, "name": 1}}, "AB", {"2"}),
        ({"request": "name:{query} tags:{query}"}, "++", set()),
        ({"request": "name:{query} tags:{query}"}, "c++", {"AB-1 x"}),
    )
    for options, text, expected in asked:
        system = open_system(
            "shop", {"kind": "tantivy", "index": str(tmp_path), "fields": {"id": "sku"}, **options}
        )
        assert set(ids(system, text)) == expected, options
        check_system(system, ("shoes", "AB-1 x"))


def test_wrong_options_of_tantivy_are_told_when_it_is_opened(tmp_path: Path, shop: Path) -> None:
    wrong: tuple[tuple[dict[str, object], str], ...] = (
        ({"index": "nowhere", "search": {"a": 1}}, "where there is none"),
        ({"index": str(shop)}, "found no field"),
        ({"index": str(shop), "search": {"nmae": 1}}, "Field `nmae` is not defined"),
        ({"index": str(shop), "request": 'name:"{query}"'}, "in quotes"),
        ({"index": str(shop), "request": 'name:{query} body:"{query}"'}, "in quotes"),
        ({"index": str(shop), "request": "name:{query} body:'{query}'"}, "in quotes"),
        ({"index": str(shop), "request": "name:({query}"}, "Syntax Error"),
        ({"index": str(shop), "request": "name:x"}, "no {query}"),
        ({"fields": {"name": "x"}}, "unknown field"),
        ({"indx": "x"}, "Did you mean `index`?"),
    )
    for options, said in wrong:
        with pytest.raises(InputError, match=said.replace("{", r"\{")):
            open_system("app", {"kind": "tantivy", "root": str(tmp_path), **options})
    damaged = shop / "meta.json"
    damaged.write_text("{")
    with pytest.raises(InputError, match="an index that opens"):
        open_system("app", {"kind": "tantivy", "index": str(shop), "search": {"name": 1}})
    with pytest.raises(InputError, match="letters, digits"):
        TantivySystem(TantivyOptions(folder=str(tmp_path))).build([], "../out")
    with pytest.raises(SystemFailedError, match="one that was built"):
        TantivySystem(TantivyOptions()).search(Query("a"))
