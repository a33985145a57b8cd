from __future__ import annotations

from dataclasses import replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import pytest
from filelock import FileLock

import rankgate as rg
from rankgate_reference.documents.nodes import nodes_of
from rankgate_reference.library.library import Library
from rankgate_reference.system import ReferenceSystem, open_reference
from rankgate_reference.vectors.hybrid import Blend, is_symbol
from reference_support.embedders import Letters

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.skipif(
    not (find_spec("lancedb") and find_spec("tantivy")), reason="LanceDB and Tantivy are not both installed"
)

FILES = {
    "guide.md": "# Keys\n\nHow keys rotate.\n\n## Rotation\n\nA key is made anew every day.\n",
    "keys.py": "class Key:\n    def rotate(self):\n        return 'new'\n\n\ndef make():\n    return Key()\n",
    "mail.py": "def send(letter):\n    'Put a letter into the box.'\n",
    "tests/test_keys.py": "def test_rotate():\n    assert Key().rotate()\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        file = tmp_path / "root" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return tmp_path / "root"


def opened(root: Path, **options: object) -> ReferenceSystem:
    chosen = {
        "root": str(root),
        "cache": str(root.parent / "cache"),
        "model": "reference_support.embedders:Letters",
        "mode": "hybrid",
        **options,
    }
    return open_reference("keys", chosen)


def ids(system: ReferenceSystem, text: str, k: int = 10, **filters: str) -> list[str | None]:
    return [hit.id for hit in system.search(rg.Query(text, k=k, filters=filters)).hits]


@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_every_mode_ranks_nodes_with_their_places(root: Path, mode: str) -> None:
    found = opened(root, mode=mode).search(rg.Query("how keys rotate", k=3)).hits
    assert 0 < len(found) <= 3
    assert all(hit.path and hit.lines and hit.score is not None for hit in found)
    assert [hit.score for hit in found] == sorted((hit.score or 0 for hit in found), reverse=True)


def test_hybrid_finds_by_words_and_by_vectors(root: Path) -> None:
    hybrid = set(ids(opened(root), "rotate keys", 100))
    assert hybrid >= set(ids(opened(root, mode="lexical"), "rotate keys", 100))
    assert hybrid >= set(ids(opened(root, mode="vector"), "rotate keys", 100))


@pytest.mark.parametrize("text", ["rotate keys", "a letter for the box", "Key.rotate"])
def test_where_words_count_all_hybrid_is_lexical(root: Path, text: str) -> None:
    assert ids(opened(root, lexical=1.0), text, 100) == ids(opened(root, mode="lexical"), text, 100)


@pytest.mark.parametrize("text", ["rotate keys", "a letter for the box", "Key.rotate"])
def test_where_words_count_nothing_hybrid_finds_what_vectors_find(root: Path, text: str) -> None:
    assert set(ids(opened(root, lexical=0.0), text, 100)) == set(ids(opened(root, mode="vector"), text, 100))


@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_where_files_are_ranked_the_second_node_of_each_is_far_behind(root: Path, mode: str) -> None:
    query = rg.Query("rotate keys", k=100)
    files = opened(root, mode=mode, ranked="files").search(query).hits
    firsts = {hit.path: hit.score or 0 for hit in files[::-1]}
    assert len(firsts) < len(files)
    for path, first in firsts.items():
        assert all(
            (hit.score or 0) <= first / 100 for hit in files if hit.path == path and hit.score != first
        )
    nodes = opened(root, mode=mode).search(query).hits
    assert {hit.id for hit in nodes} == {hit.id for hit in files}


def test_an_identifier_leans_on_words(root: Path) -> None:
    for fusion in ("scores", "ranks"):
        assert ids(opened(root, fusion=fusion, lexical=0.1), "Key.rotate")[0] == "keys.py::Key.rotate"
    assert Blend(lexical=0.5).share("Key.rotate") > 0.9
    assert Blend(lexical=0.5).share("rotate a key") == 0.5
    assert [is_symbol(text) for text in ("a::b", "f()", "", "why?", "über_alles")] == [
        True,
        True,
        False,
        False,
        True,
    ]


def test_words_count_less_where_no_node_has_much_of_the_query() -> None:
    assert Blend(lexical=0.8).share("rotate a key", 0.5) == 0.4
    assert Blend(lexical=0.8, steady=True).share("rotate a key", 0.5) == 0.8
    assert Blend(lexical=1.0).share("rotate a key", 0.5) == 1.0
    assert Blend(lexical=0.0).share("Key.rotate", 0.5) == 0.0


def test_the_same_question_has_the_same_answer_also_from_a_library_that_was_made_anew(root: Path) -> None:
    first = opened(root).search(rg.Query("rotate a key", k=20))
    assert first == opened(root).search(rg.Query("rotate a key", k=20))
    assert first == opened(root, cache=str(root.parent / "other")).search(rg.Query("rotate a key", k=20))


def test_an_edited_file_is_found_by_its_new_text_in_every_mode(root: Path) -> None:
    opened(root).close()
    (root / "mail.py").write_text("def deliver(parcel):\n    'Carry it upstairs.'\n")
    for mode in ("lexical", "vector", "hybrid"):
        found = ids(opened(root, mode=mode), "carry parcel upstairs", 100)
        assert found[0] == "mail.py::deliver"
        assert "mail.py::send" not in found


@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_filters_hold_in_every_mode(root: Path, mode: str) -> None:
    system = opened(root, mode=mode)
    assert {str(one).split("#")[0] for one in ids(system, "rotate keys", 100, language="markdown")} == {
        "guide.md"
    }
    assert ids(system, "rotate keys", 100, colour="red") == []
    assert system.warnings(rg.Query("x", filters={"colour": "red"}))


def test_a_reranker_has_the_last_word(root: Path) -> None:
    plain = ids(opened(root), "rotate keys", 100)
    turned = (
        opened(root, rerank="reference_support.embedders:backwards").search(rg.Query("rotate keys", k=3)).hits
    )
    assert [hit.id for hit in turned] == plain[::-1][:3]
    assert [hit.score for hit in turned] == [1, 1 / 2, 1 / 3]


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("mode", "magic"),
        ("fusion", "magic"),
        ("lexical", 1.5),
        ("lexical", True),
        ("lexical", float("nan")),
        ("model", "nowhere"),
        ("model", 3),
        ("rerank", "nowhere"),
        ("ranked", "lines"),
    ],
)
def test_options_that_are_wrong_are_refused(root: Path, option: str, value: object) -> None:
    with pytest.raises(rg.InputError, match=option):
        opened(root, **{option: value})


@pytest.mark.parametrize("mode", ["vector", "hybrid"])
def test_nodes_that_other_parsers_make_are_embedded_anew(
    root: Path, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As when the extra for a language is installed: the files are the same, their nodes are not."""
    from rankgate_reference.documents import sources
    from rankgate_reference.library import library

    with monkeypatch.context() as patched:
        patched.setattr(
            sources,
            "nodes_of",
            lambda path, text, _notes: [replace(nodes_of(path, text)[0], id=f"{path}#old", text=text)],
        )
        patched.setattr(library, "parsers", lambda: ("none",))
        opened(root, mode=mode).close()
    system = opened(root, mode=mode, texts=True)
    found = system.search(rg.Query("rotate keys", k=100)).hits
    assert "keys.py::Key.rotate" in {hit.id for hit in found}
    assert all(hit.text is not None for hit in found)


@pytest.mark.parametrize("k", [0, 5000, 2**31, 2**63, 10**30])
@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_any_number_of_hits_can_be_asked_for(root: Path, mode: str, k: int) -> None:
    system = opened(root, mode=mode)
    assert ids(system, "rotate keys", k) == (ids(system, "rotate keys", 60) if k else [])


@pytest.mark.parametrize("mode", ["lexical", "vector", "hybrid"])
def test_whoever_asks_for_more_meets_the_same_first_ones(root: Path, mode: str) -> None:
    for at in range(40):
        body = "".join(f"def {'rotate' if (at + one) % 3 else 'key'}_{one}(): ...\n" for one in range(at % 9))
        (root / f"f{at}.py").write_text(f"# keys rotate {'key ' * (at % 5)}\n{body}")
    system = opened(root, mode=mode)
    everything = ids(system, "how keys rotate", 10_000)
    assert len(everything) == len(set(everything)) > 150
    for k in (1, 10, 60, 80, 130, 200):
        hits = system.search(rg.Query("how keys rotate", k=k)).hits
        assert [hit.id for hit in hits] == everything[:k]
        assert [hit.score for hit in hits] == sorted((hit.score or 0 for hit in hits), reverse=True)


@pytest.mark.parametrize("words", [True, False])
def test_a_library_that_is_open_searches_what_it_walks_while_another_updates(root: Path, words: bool) -> None:
    before = Library.open(root, cache=root.parent / "cache")
    (root / "mail.py").write_text("def deliver(parcel):\n    'Carry it upstairs.'\n")
    after = Library.open(root, cache=root.parent / "cache")
    later = after.hybrid(Letters(), words=words)
    earlier = before.hybrid(Letters(), words=words)
    for text in ("carry parcel upstairs", "letter into the box"):
        for library, search in ((before, earlier), (after, later)):
            found = {one.id for one in search.search(rg.Query(text, k=100))}
            assert found <= {node.id for page in library.documents() for node in library.nodes(page.id)}
            assert any(one.startswith("mail.py::") for one in found)


def test_words_can_be_searched_while_vectors_are_made(root: Path) -> None:
    class Asking(Letters):
        def embed(self, texts: Sequence[str]) -> Any:
            with FileLock(root.parent / "cache" / "lock", timeout=0):
                return super().embed(texts)

    model = Asking()
    Library.open(root, cache=root.parent / "cache").hybrid(model)
    assert model.embedded


def test_a_slip_that_the_model_cannot_read_is_put_right(root: Path) -> None:
    class Knowing(Letters):
        def knows(self, word: str) -> bool:
            return word == "rotat"

    library = Library.open(root, cache=root.parent / "cache")
    model = Knowing()
    search = library.hybrid(model)
    search.search(rg.Query("Rottae the keys"))
    assert model.embedded[-1] == "rotate the keys"
    search.search(rg.Query("rotat the keys"))
    assert model.embedded[-1] == "rotat the keys"
    library.close()


def test_a_model_that_cannot_say_what_it_knows_reads_the_query_as_it_is(root: Path) -> None:
    library = Library.open(root, cache=root.parent / "cache")
    model = Letters()
    library.hybrid(model).search(rg.Query("rottae the keys"))
    assert model.embedded[-1] == "rottae the keys"
    library.close()
