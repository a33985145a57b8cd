"""Lexical search: what stands above what, what is filtered, and what an index remembers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate_reference.documents.nodes import nodes_of
from rankgate_reference.lexical.index import LexicalIndex
from rankgate_reference.lexical.weights import Weights

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

PAGES = {
    "auth/keys.md": "# API keys\n\nMake a key.\n\n## Rotation\n\nRotate an API key every year.\n",
    "auth/login.md": "# Login\n\nAuthentication by password.\n\n## Sessions\n\nA session ends at midnight.\n",
    "code/app.py": "def getUserName(user):\n    '''Give the name.'''\n    return user.name\n",
    "code/route.py": "class Router:\n    def register(self, route):\n        self.routes.append(route)\n",
    "tests/test_route.py": "class TestRouter:\n    def test_register(self, route):\n        return route\n",
}


def _index(folder: Path, pages: Mapping[str, str] = PAGES, weights: Weights | None = None) -> LexicalIndex:
    index = LexicalIndex.open(folder, weights)
    index.update((path, nodes_of(path, text)) for path, text in pages.items())
    return index


@pytest.fixture
def index(tmp_path: Path) -> LexicalIndex:
    return _index(tmp_path)


def _ids(index: LexicalIndex, text: str, k: int = 10, **filters: str | tuple[str, ...]) -> list[str]:
    return [one.id for one in index.search(text, k, filters)]


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("rotate an api key", "auth/keys.md#API keys/Rotation"),
        ("authenticate", "auth/login.md#Login"),
        ("get_user_name", "code/app.py::getUserName"),
        ("how are routes registered", "code/route.py::Router.register"),
        ("authentica", "auth/login.md#Login"),
        ("authentcation", "auth/login.md#Login"),
        ("autehntcation", "auth/login.md#Login"),
        ("midnigth", "auth/login.md#Login/Sessions"),
    ],
)
def test_the_first_hit_is_the_one_meant(index: LexicalIndex, query: str, first: str) -> None:
    assert _ids(index, query)[0] == first


def test_prefix_matches_stand_below_exact_ones_and_near_ones_below_both(tmp_path: Path) -> None:
    pages = {
        "near.md": "rotu rotu rotu rotu",
        "prefix.md": "rotators rotators",
        "exact.md": f"{'other words ' * 200} rota",
    }
    index = _index(tmp_path, pages)
    found = index.search("rota", 10)
    assert [one.id for one in found] == ["exact.md", "prefix.md", "near.md"]
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
    assert len({one.score for one in found}) == 3


def test_a_term_that_is_nowhere_helps_among_nodes_with_one_that_is(tmp_path: Path) -> None:
    pages = {"a.md": "retry the deploy", "b.md": "retry the webhook", "c.md": "webhook webhook"}
    assert _ids(_index(tmp_path, pages), "retry webhok") == ["b.md", "a.md", "c.md"]


def test_short_words_have_no_near_ones(index: LexicalIndex) -> None:
    assert _ids(index, "kex") == []


def test_a_node_with_all_terms_gains_and_a_single_term_gives_no_bonus(tmp_path: Path) -> None:
    pages = {
        "all.md": f"alpha beta {'filling ' * 120}",
        "one.md": "alpha alpha alpha alpha",
        "x.md": "nothing",
    }
    with_bonus, without = (
        _index(tmp_path / str(weight), pages, Weights(coverage=weight)) for weight in (5.0, 0.0)
    )
    assert _ids(with_bonus, "alpha beta")[0] == "all.md"
    gained, plain = (index.search("alpha beta")[0].score for index in (with_bonus, without))
    assert gained > plain
    assert with_bonus.search("alpha") == without.search("alpha")


def test_what_is_named_by_the_query_stands_before_what_lies_in_it(tmp_path: Path) -> None:
    code = "class RetryBudget:\n    share = 0.1\n    least = 10\n\n    def spend(self):\n        pass\n"
    pages = {"a.py": code, "b.py": "def other():\n    pass\n"}
    named, plain = (_index(tmp_path / str(titled), pages, Weights(titled=titled)) for titled in (1.0, 0.0))
    assert _ids(named, "retry budget")[:2] == ["a.py::RetryBudget", "a.py::RetryBudget.spend"]
    assert _ids(plain, "retry budget")[0] == "a.py::RetryBudget.spend"
    assert _ids(named, "RetryBudget.spend")[0] == "a.py::RetryBudget.spend"


def test_a_word_that_is_nowhere_does_not_keep_a_title_from_being_the_query(tmp_path: Path) -> None:
    index = _index(tmp_path)
    alone, beside = (index.search(text)[0] for text in ("rotation", "rotation xqzvk"))
    assert alone.id == beside.id
    assert alone.score == pytest.approx(beside.score)


def test_fillers_are_not_needed_for_the_bonus(tmp_path: Path) -> None:
    index = _index(tmp_path, {"a.md": "alpha beta", "b.md": "how are"}, Weights(coverage=3.0))
    assert "all of alpha, beta: " in index.explain("how are alpha beta", "a.md")
    assert "not all are in it" not in index.explain("how are alpha beta", "a.md")


@pytest.mark.parametrize("query", ["", " ", "???", "zzzzqqqqzzzz", "\x00", "a\ud800"])
def test_what_is_not_there_is_not_found(index: LexicalIndex, query: str) -> None:
    assert all("zzz" not in one for one in _ids(index, query))
    assert _ids(index, "") == _ids(index, "zzzzqqqqzzzz") == []


def test_equal_nodes_come_in_the_order_of_their_ids_whatever_k(tmp_path: Path) -> None:
    names = [f"{(n * 37) % 150:03}.md" for n in range(150)]
    index = _index(tmp_path, dict.fromkeys(names, "same words here"))
    expected = sorted(names)
    for k in (1, 7, 100, 149, 500):
        assert _ids(index, "same words", k) == expected[:k]


def test_the_same_nodes_give_the_same_answers_in_any_order_of_writing(tmp_path: Path) -> None:
    there = _index(tmp_path / "a")
    back = _index(tmp_path / "b", dict(reversed(PAGES.items())))
    for query in ("route", "key", "session login", "user"):
        assert there.search(query) == back.search(query)


def test_filters_are_or_within_a_key_and_and_across_keys(index: LexicalIndex) -> None:
    everything = "key login route user session"
    assert {one.partition("/")[0] for one in _ids(index, everything, type="auth")} == {"auth"}
    either = _ids(index, everything, type=("auth", "code"))
    assert {one.partition("/")[0] for one in either} == {"auth", "code"}
    both = _ids(index, everything, type=("auth", "code"), kind="class")
    assert both == ["code/route.py::Router"]
    assert _ids(index, everything, type="nowhere") == []


def test_a_filter_changes_no_score(index: LexicalIndex) -> None:
    weights = {one.id: one.score for one in index.search("session", 10)}
    for one in index.search("session", 10, {"language": "markdown"}):
        assert one.score == pytest.approx(weights[one.id])


def test_an_unknown_key_finds_nothing_and_says_so(index: LexicalIndex) -> None:
    assert _ids(index, "key", colour="red") == []
    (warning,) = index.warnings({"colour": "red", "type": "auth"})
    assert warning == "no node has the facet 'colour', so nothing is found; facets are: kind, language, type"
    assert index.warnings({"type": "nowhere"}) == ()


@pytest.mark.parametrize("key", ["", "a\x1fb", "type\x1fauth", "\ud800", 'k" OR *'])
def test_no_key_is_an_operator(index: LexicalIndex, key: str) -> None:
    assert index.search("key", 10, {key: "auth"}) == []


def test_tests_stand_behind_what_they_test_unless_asked_for(tmp_path: Path) -> None:
    index = _index(tmp_path, {"a/tests/x.md": "zebra", "b/other/x.md": "zebra"})
    assert _ids(index, "zebra") == ["b/other/x.md", "a/tests/x.md"]
    assert _ids(index, "test zebra")[0] == "a/tests/x.md"


def test_an_update_replaces_files_and_takes_others_out(tmp_path: Path) -> None:
    index = _index(tmp_path)
    before = len(index)
    index.update([("auth/keys.md", nodes_of("auth/keys.md", "# Zebra\n"))], ["auth/login.md"])
    assert sorted(_ids(index, "zebra")) == ["auth/keys.md", "auth/keys.md#Zebra"]
    assert _ids(index, "midnight") == []
    assert len(index) < before
    assert _ids(LexicalIndex.open(tmp_path), "zebra") == _ids(index, "zebra")


def test_an_explanation_says_what_each_term_counted_and_where(index: LexicalIndex) -> None:
    node = nodes_of("auth/keys.md", PAGES["auth/keys.md"])[2]
    said = index.explain("rotate keyz blockchain", node.id, node)
    assert "rotate (rotat): " in said
    assert "title 1×" in said
    assert "keyz, as key, which is near to it: " in said
    assert "blockchain: in no node" in said
    assert index.explain("x", "no such id") == "no such id is not in the index"


def test_what_an_explanation_adds_up_is_what_a_node_scores_alone(tmp_path: Path) -> None:
    index = _index(tmp_path, weights=Weights(file=0.0, spread=1.0))
    for query in ("rotate api key", "how are routes registered", "session"):
        first = index.search(query)[0]
        assert f"{first.id}: {first.score:.2f} by itself" in index.explain(query, first.id)


def test_slips_are_words_that_are_nowhere_in_any_way(tmp_path: Path) -> None:
    made = _index(tmp_path, {"b.md": "# Delete a page\n\nIt is gone for good.\n", "d.md": "# Weather\n"})
    assert made.slips("delte a pgae") == {"delte": "delete", "pgae": "page"}
    assert made.slips("weath of xqzvkw") == {}


LONG = {
    "code/long.py": "def long():\n"
    + "".join(f"    step_{at} = {at}\n" for at in range(300))
    + "    flush(buffer)\n" * 4,
    "code/short.py": "def short(text):\n" + "    text = text.strip()\n" * 30 + "    flush(buffer)\n",
}


def test_a_few_lines_of_a_long_node_count_as_much_as_in_a_short_one(tmp_path: Path) -> None:
    """By its whole text the long function would stand behind: there is a word of everything in it."""
    pages = {**LONG, **{f"code/{at}.py": f"def other_{at}():\n    return {at}\n" for at in range(50)}}
    first, second = _index(tmp_path, pages).search("flush the buffer")
    assert (first.id, first.start, first.end) == ("code/long.py::long", 1, 305)
    assert second.id == "code/short.py::short"


def test_a_long_node_is_found_once_and_counts_as_one(tmp_path: Path) -> None:
    index = _index(tmp_path, LONG)
    assert _ids(index, "step 150 long", 100) == ["code/long.py::long", "code/long.py"]
    assert len(index) == 4
    index.update([("code/long.py", nodes_of("code/long.py", "def long():\n    return 1\n"))])
    assert len(index) == 4
    index.update([], removed=["code/long.py"])
    assert len(index) == 2


def test_what_is_asked_for_is_found_whatever_parts_stand_before_it(tmp_path: Path) -> None:
    """Each long function has ten parts and more with the word, which fill what is looked at first."""
    lines = "    rotate(key)\n" * 500
    pages = {f"code/long_{at}.py": f"def long_{at}():\n{lines}" for at in range(20)}
    pages |= {f"code/short_{at}.py": f"def short_{at}(key):\n    return key\n" for at in range(60)}
    index = _index(tmp_path, pages)
    assert len(set(_ids(index, "key", 70))) == 70
    assert len(set(_ids(index, "key", 80))) == 80


def test_a_long_node_is_explained_by_what_it_is_ranked_by(tmp_path: Path) -> None:
    index = _index(tmp_path, LONG)
    for query in ("flush buffer", "flush", "step 150", "long"):
        first = index.search(query, 1)[0]
        assert f"{first.id}: {first.score:.2f} by itself" in index.explain(query, first.id)


def test_how_much_of_a_query_the_best_nodes_have(index: LexicalIndex) -> None:
    def coverage(text: str) -> float:
        return index.coverage(text, index.search(text, 5))

    assert coverage("rotate an api key") == pytest.approx(1.0)
    assert coverage("how to do it") == 0.0
    assert coverage("blockchain ledger") == 0.0
    assert 0.1 < coverage("rotate the blockchain ledger") < 0.5
    assert coverage("midnigth") == pytest.approx(Weights().near)
    assert index.coverage("rotate", []) == 0.0
