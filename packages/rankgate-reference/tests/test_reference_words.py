"""What texts are indexed under and queries ask for."""

from __future__ import annotations

import re
import unicodedata
from functools import partial

import pytest
import snowballstemmer
from hypothesis import assume, given
from hypothesis import strategies as st

from rankgate_reference.documents.nodes import nodes_of
from rankgate_reference.lexical.scripts import has_unspaced
from rankgate_reference.lexical.titles import title_key, titles_of
from rankgate_reference.lexical.words import (
    FILLERS,
    LONGEST,
    chunks_of,
    is_one_word,
    query_terms,
    stem,
    stems_of_title,
    terms,
    words_of,
)
from support.timing import least_seconds


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("authentication", "authenticate"),
        ("query", "queries"),
        ("deploy", "deployment"),
        ("retrieval", "retrieve"),
        ("functional", "functionality"),
        ("internal", "internals"),
    ],
)
def test_these_words_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("function", "functional"), ("option", "optional"), ("relation", "relational"), ("intern", "internal")],
)
def test_an_adjective_is_another_term_than_its_noun(one: str, other: str) -> None:
    assert terms(one) != terms(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("getUserName", "getusername get user name"),
        ("get_user_name", "getusername get user name"),
        ("HTTPServer2", "httpserver2 http server 2"),
        ("URLs", "url"),
        ("parseURLs", "parseurls pars url"),
        ("os.path.join", "os.path.join os path join"),
        ("__init__", "init"),
        ("5.2.8", "5.2.8 5 2 8"),
        ("größeÄndern", "grösseändern grösse ändern"),
        ("ﬁle ＦＵＬＬ", "file full"),
        ("cafe\u0301", "café"),
        ("a\ud800b", "a b"),
        ("... _ -- __", ""),
    ],
)
def test_identifiers_are_kept_whole_and_split(text: str, expected: str) -> None:
    assert terms(text) == expected.split()


@given(st.text())
def test_any_text_gives_terms_without_spaces_in_lower_case(text: str) -> None:
    found = terms(text)
    assert all(term and not term.isspace() and len(term) <= 4 * LONGEST for term in found)


@given(st.text())
def test_every_term_of_a_text_belongs_to_a_word_of_it(text: str) -> None:
    words = words_of(chunks_of(text))
    assert set(words.values()) <= set(terms(text)) <= {*words.values(), *words}


@given(st.text(alphabet="aAsSZ09_.. -\u00e9\u00c9\u0301\u3000\x85ßΣ中"))
def test_cutting_by_a_table_gives_what_a_regular_expression_gives(text: str) -> None:
    runs = re.findall(r"\w+(?:\.\w+)*", unicodedata.normalize("NFKC", text))
    assert terms(text) == [term for run in runs for term in terms(run)]


def test_a_word_that_is_also_a_whole_name_has_the_term_of_the_word() -> None:
    assert (
        words_of(["re_lated", "related"])["related"]
        == words_of(["related", "re_lated"])["related"]
        == "relat"
    )


@given(st.text(max_size=200))
def test_a_query_asks_for_what_a_text_of_the_same_words_is_indexed_under(text: str) -> None:
    runs = re.findall(r"\w+(?:\.\w+)*", unicodedata.normalize("NFKC", text))
    assume(not any(is_one_word(run) for run in runs))
    assume(not has_unspaced("".join(runs)))
    assert {term.stem for term in query_terms(text)} == set(terms(text))


@given(st.text(alphabet="ab1_.密钥键サーバ서버를 。，・ー々"))
def test_a_query_in_a_script_without_spaces_asks_for_what_a_text_is_indexed_under(text: str) -> None:
    indexed = set(terms(text))
    assert {term.stem for term in query_terms(text)} <= indexed
    # Every pair and every letter of a run, wherever it begins.
    for run in re.findall("[密钥键サーバ서버를ー々]+", text):
        assert set(run) <= indexed
        assert {run[at : at + 2] for at in range(len(run) - 1)} <= indexed


def test_a_long_sentence_without_spaces_is_indexed_to_its_end() -> None:
    assert {"密钥", "轮换"} <= set(terms("字" * (LONGEST + 1) + "密钥轮换"))
    assert [term.stem for term in query_terms("API密钥の輪")] == ["api", "密钥", "钥の", "の輪"]


@pytest.mark.parametrize("word", ["OAuth", "gRPC", "iPhone"])
def test_a_letter_and_a_word_are_asked_for_as_the_word_in_lower_case_is(word: str) -> None:
    assert query_terms(word) == query_terms(word.lower())
    assert {term.stem for term in query_terms(word)} < set(terms(word))


@pytest.mark.parametrize("name", ["OAuthClient", "getUser", "v2", "S3"])
def test_other_names_are_asked_for_in_parts(name: str) -> None:
    assert {term.stem for term in query_terms(name)} == set(terms(name))


def test_a_title_is_known_by_its_words_without_fillers_in_any_order() -> None:
    keys = [
        title_key(query_terms(text)) for text in ("Restoring a backup", "backup restored", "RestoreBackup")
    ]
    assert keys == ["backup restor"] * 3
    assert title_key(query_terms("Restoring backups at night")) != keys[0]


@given(
    st.lists(st.sampled_from(["is", "In", "TO", "keys", "Key", "used", "x", "_", "2", ".", " "]), max_size=6)
)
def test_a_title_that_is_a_name_is_known_by_what_a_query_of_it_asks_for(pieces: list[str]) -> None:
    title = "".join(pieces)
    asked = query_terms(title)
    stems = frozenset(term.stem for term in asked if not term.whole and not term.filler)
    assert stems_of_title(title) == (stems, all(term.typed in FILLERS for term in asked))


def test_what_is_longer_than_any_word_is_left_out() -> None:
    assert terms("a" * (LONGEST + 1) + " b") == ["b"]
    assert terms("x" * 5_000_000) == []


def test_fillers_are_marked_unless_they_are_all_there_is() -> None:
    asked = query_terms("how are routes registered")
    assert [term.typed for term in asked if term.filler] == ["how", "are"]
    assert not any(term.filler for term in query_terms("how to"))


def test_only_words_with_certain_endings_are_changed_by_the_stemmer() -> None:
    snowball = snowballstemmer.stemmer("english")
    starts = ["connect", "ration", "hop", "fri", "dy", "gener", "sk", "controll", "happ", "univers"]
    for letter in "abfhjkopquvwxz":
        for start in starts:
            assert snowball.stemWord(start + letter) == start + letter == stem(start + letter)


def test_ten_million_words_take_seconds() -> None:
    text = " ".join(f"word{n % 50_000} getUserName{n % 997} rotating" for n in range(100_000))
    # A hundred thousand times three words; ten million would take thirty-three times as long.
    assert least_seconds(partial(terms, text), enough=1) < 1


def test_a_node_is_named_by_its_title_alone_and_behind_those_above_it() -> None:
    text = "# Shapes\n\n## Circle of friends\n\n### is\n"
    nodes = nodes_of("a.md", text)
    assert [titles_of(node) for node in nodes[1:]] == [
        ["shape"],
        ["circl friend shape", "circl friend"],
        ["circl friend shape", "circl friend", "is"],
    ]
