from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import rankgate as rg
from rankgate_reference.documents.nodes import TreeNode, nodes_of
from rankgate_reference.vectors.index import VectorIndex
from rankgate_reference.vectors.texts import MOST_PARTS, embedded_text, embedded_texts
from reference_support.embedders import Faulty, Letters, Loud

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path


@pytest.fixture(autouse=True, params=["array", "LanceDB"])
def table(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Have every vector in an array, or none."""
    if request.param == "LanceDB":
        pytest.importorskip("lancedb")
        monkeypatch.setattr("rankgate_reference.vectors.index.MOST_IN_ARRAY", 0)
    return str(request.param)


FILES = {
    "guide/keys.md": "---\ntopic: [keys]\n---\n# Keys\n\nHow keys rotate.\n\n## Rotation\n\nEvery day.\n",
    "src/keys.py": "class Key:\n    def rotate(self):\n        return 'new key'\n",
    "src/it's.py": "def quoted():\n    return 1\n",
}


def updated(index: VectorIndex, files: Mapping[str, str]) -> int:
    def nodes(path: str) -> Sequence[TreeNode]:
        return nodes_of(path, files[path])

    return index.update(
        {path: hashlib.sha256(text.encode()).hexdigest() for path, text in files.items()}, nodes
    )


def rows(index: VectorIndex, text: str = "keys", k: int = 100) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in index.search(text, k)]


@pytest.fixture
def index(tmp_path: Path) -> VectorIndex:
    made = VectorIndex.open(tmp_path, Letters())
    updated(made, FILES)
    return made


def test_the_nearest_node_is_first_and_every_node_is_ranked(index: VectorIndex) -> None:
    found = index.search("guide keys.md Keys # Keys How keys rotate.", 100)
    assert found[0].id == "guide/keys.md#Keys"
    assert (found[0].path, found[0].start) == ("guide/keys.md", 4)
    assert len(found) == len(index) == 8
    assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)


class Broken(Letters):
    """Says what it knows in a way that fails."""

    def __init__(self, knows: object) -> None:
        super().__init__()
        self.knows = knows


@pytest.mark.parametrize("knows", [lambda _: 1 / 0, "every word", lambda: True])
def test_a_model_that_fails_to_say_what_it_knows_is_named(tmp_path: Path, knows: object) -> None:
    with pytest.raises(rg.SystemFailedError, match="model 'letters': found knows: "):
        VectorIndex.open(tmp_path, Broken(knows)).knows("kubernetes")


def test_scores_are_cosines(index: VectorIndex) -> None:
    model = Letters()
    nodes = {node.id: node for path, text in FILES.items() for node in nodes_of(path, text)}
    asked = model.embed(["keys rotate"])[0]
    for hit in index.search("keys rotate", 100):
        cosine = asked @ model.embed([embedded_text(nodes[hit.id])])[0]
        assert hit.score == pytest.approx(float(cosine), abs=1e-5)


DEEP = "zq jx vw"
"""Letters that nothing else here has."""
LONG = {"src/deep.py": "def deep():\n" + "    aaaa = 'bbbb'\n" * 200 + f"    {DEEP}\n" * 30}


def test_what_stands_far_down_in_a_long_node_finds_it_once(tmp_path: Path) -> None:
    index = VectorIndex.open(tmp_path, Letters())
    files = {**FILES, **LONG}
    updated(index, files)
    found = index.search(DEEP, 100)
    assert found[0].id == "src/deep.py::deep"
    assert (found[0].start, found[0].end) == (1, 231)
    assert sorted(one.id for one in found) == sorted(
        node.id for path, text in files.items() for node in nodes_of(path, text)
    )
    assert len(found) == len(index) == 10


@pytest.mark.parametrize("k", [1, 2, 3, 9])
def test_as_many_nodes_are_found_as_are_asked_for_whatever_parts_they_have(tmp_path: Path, k: int) -> None:
    index = VectorIndex.open(tmp_path, Letters())
    updated(index, {**FILES, **LONG})
    assert index.search(DEEP, k) == index.search(DEEP, 100)[:k]
    assert len(index.search("aaaa bbbb", k)) == k


def test_the_parts_of_a_node_hold_all_of_its_lines_up_to_a_bound() -> None:
    *_, node = nodes_of("src/deep.py", LONG["src/deep.py"])
    first, *others = [text.split("\n", 2)[2] for text in embedded_texts(node)]
    before, after = node.text.split("\n".join(others))
    assert first.startswith(before)
    assert len(after) < 300
    assert 3 < len(others) < 9
    *_, huge = nodes_of("src/deep.py", LONG["src/deep.py"] * 100)
    assert len(embedded_texts(huge)) <= MOST_PARTS
    *_, endless = nodes_of("src/endless.py", "def endless():\n" + "    aaaa = 'bbbb'\n" * 20_000)
    assert len(embedded_texts(endless)) == MOST_PARTS


def test_only_files_that_changed_are_embedded(tmp_path: Path) -> None:
    updated(VectorIndex.open(tmp_path, Letters()), FILES)
    model = Letters()
    again = VectorIndex.open(tmp_path, model)
    assert updated(again, FILES) == 0
    assert model.embedded == []
    changed = {**FILES, "src/keys.py": "def other():\n    pass\n"}
    assert updated(again, changed) == 1
    assert len(model.embedded) == 2
    assert "src/keys.py::Key" not in dict(rows(again))
    assert "src/keys.py::other" in dict(rows(again))


@given(
    st.lists(
        st.dictionaries(st.sampled_from(sorted(FILES)), st.sampled_from(sorted(FILES.values())), min_size=1),
        max_size=3,
    )
)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_updates_end_where_making_anew_does(
    tmp_path_factory: pytest.TempPathFactory, steps: list[dict[str, str]]
) -> None:
    one = VectorIndex.open(tmp_path_factory.mktemp("one"), Letters())
    for files in [*steps, FILES]:
        updated(one, files)
    other = VectorIndex.open(tmp_path_factory.mktemp("other"), Letters())
    updated(other, FILES)
    assert rows(one) == rows(other)


def test_an_update_that_was_cut_short_is_completed(tmp_path: Path) -> None:
    index = VectorIndex.open(tmp_path, Letters())

    def broken(path: str) -> Sequence[TreeNode]:
        if path == "src/keys.py":
            raise KeyboardInterrupt
        return nodes_of(path, FILES[path])

    with pytest.raises(KeyboardInterrupt):
        index.update(dict.fromkeys(FILES, "1"), broken)
    again = VectorIndex.open(tmp_path, Letters())
    updated(again, FILES)
    assert len(again) == 8


def test_files_that_are_gone_are_taken_out(index: VectorIndex) -> None:
    updated(index, {"src/keys.py": FILES["src/keys.py"]})
    assert {hit.path for hit in index.search("keys", 100)} == {"src/keys.py"}


def test_equal_scores_are_in_the_order_of_ids_however_few_are_asked_for(tmp_path: Path) -> None:
    index = VectorIndex.open(tmp_path, Letters())
    files = {"many.py": "".join(f"def f{at:03}(): pass\n" for at in range(300))}
    updated(index, files)
    everything = rows(index, "nothing of the kind", 1000)
    assert everything == sorted(everything, key=lambda row: (-row[1], row[0]))
    assert rows(index, "nothing of the kind", 5) == everything[:5]


@pytest.mark.parametrize(
    ("filters", "paths"),
    [
        ({"language": "python"}, {"src/keys.py", "src/it's.py"}),
        ({"topic": ("keys", "else")}, {"guide/keys.md"}),
        ({"language": ("python", "markdown"), "kind": "section"}, {"guide/keys.md"}),
        ({"kind": "it's"}, set()),
        ({"kind": ()}, set()),
        ({"unknown": "x"}, set()),
    ],
)
def test_filters_are_or_within_a_key_and_and_across(
    index: VectorIndex, filters: dict[str, str | tuple[str, ...]], paths: set[str]
) -> None:
    assert {hit.path for hit in index.search("keys", 100, filters)} == paths


@given(st.text(max_size=20), st.text(max_size=20))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_query_and_any_filter_have_an_answer(index: VectorIndex, text: str, value: str) -> None:
    assert len(index.search(text, 3)) <= 3
    assert index.search(text, 3, {"kind": value}) == [] or value in ("class", "document", "function")


def test_models_have_tables_of_their_own(tmp_path: Path) -> None:
    class Other(Letters):
        name = "let/ters"

    updated(VectorIndex.open(tmp_path, Letters()), FILES)
    assert len(VectorIndex.open(tmp_path, Other())) == 0
    assert len(VectorIndex.open(tmp_path, Letters())) == 8


def test_a_table_that_does_not_open_is_made_anew(tmp_path: Path) -> None:
    updated(VectorIndex.open(tmp_path, Letters()), FILES)
    damaged = [*tmp_path.rglob("*.manifest"), *tmp_path.rglob("rows.json")]
    assert damaged
    for file in damaged:
        file.write_bytes(b"nothing")
    again = VectorIndex.open(tmp_path, Letters())
    updated(again, FILES)
    assert len(again) == 8


def test_a_model_that_gives_other_vectors_than_it_says_is_refused(tmp_path: Path) -> None:
    with pytest.raises(rg.SystemFailedError, match="3 vectors of 8"):
        updated(VectorIndex.open(tmp_path, Faulty()), {"src/keys.py": FILES["src/keys.py"]})


def test_scores_are_cosines_whatever_the_length_of_vectors(tmp_path: Path) -> None:
    quiet = VectorIndex.open(tmp_path / "quiet", Letters())
    loud = VectorIndex.open(tmp_path / "loud", Loud())
    for index in (quiet, loud):
        updated(index, FILES)
    assert [id_ for id_, _ in rows(loud)] == [id_ for id_, _ in rows(quiet)]
    assert dict(rows(loud)) == pytest.approx(dict(rows(quiet)), abs=1e-5)


def test_a_vector_of_what_is_no_number_is_near_to_nothing(tmp_path: Path) -> None:
    index = VectorIndex.open(tmp_path, Loud())
    files = {**FILES, "odd.txt": "unspeakable"}
    updated(index, files)
    found = dict(rows(index))
    assert found["odd.txt"] == 0
    assert index.search("unspeakable") == []


class Drawn:
    """Knows the vector of each text from a table of random ones; some texts have the same."""

    name, dimensions = "drawn", 256

    def __init__(self, texts: int) -> None:
        self._vectors = np.random.default_rng(7).standard_normal((texts * 9 // 10, self.dimensions))

    def embed(self, texts: Sequence[str]) -> np.ndarray[Any, Any]:
        return np.array(
            [self._vectors[int(re.findall("[0-9]+", text)[-1]) % len(self._vectors)] for text in texts]
        )


@pytest.mark.parametrize("filters", [{}, {"type": "a"}])
def test_an_array_and_a_table_have_the_same_neighbours(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, filters: dict[str, str]
) -> None:
    pytest.importorskip("lancedb")
    model, files = Drawn(1000), {f"{'ab'[at % 2]}/{at}.txt": f"{at}" for at in range(1000)}
    found = []
    for most in (len(files), 0):
        monkeypatch.setattr("rankgate_reference.vectors.index.MOST_IN_ARRAY", most)
        index = VectorIndex.open(tmp_path / str(most), model)
        updated(index, files)
        found.append([index.search(str(at), 10, filters) for at in range(0, 1000, 40)])
    assert [[hit.id for hit in hits] for hits in found[0]] == [[hit.id for hit in hits] for hits in found[1]]
    for one, other in zip(*found, strict=True):
        assert [hit.score for hit in one] == pytest.approx([hit.score for hit in other], abs=1e-5)


def test_what_grows_beyond_an_array_is_moved_and_nothing_is_embedded_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lancedb")
    monkeypatch.setattr("rankgate_reference.vectors.index.MOST_IN_ARRAY", 8)
    model = Letters()
    index = VectorIndex.open(tmp_path, model)
    updated(index, FILES)
    before = len(model.embedded)
    assert list(tmp_path.rglob("*.npy"))
    assert not list(tmp_path.rglob("*.lance"))
    more = {**FILES, "z.py": "def last():\n    pass\n"}
    updated(index, more)
    assert len(model.embedded) == before + 2
    assert not list(tmp_path.rglob("*.npy"))
    assert len(index) == len(VectorIndex.open(tmp_path, Letters())) == 10
    assert updated(VectorIndex.open(tmp_path, Letters()), more) == 0
