"""Walking documents: which node is meant, what each step costs, and whatever a system may answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankgate.errors import SystemFailedError
from rankgate.locations import Lines, Location
from rankgate.model import Action, Node, Scenario, Step, Waypoint
from rankgate.outline import read_outline
from rankgate.runs.navigation.navigate import MOST_TEXT, navigate
from rankgate.runs.navigation.titles import names, parts
from rankgate.runs.navigation.transcripts import StepStatus, read_transcript, write_transcript
from rankgate.runs.navigation.trees import LONGEST_NAME, MOST_CHARACTERS, MOST_NODES, find_node, listed
from support.navigators import MarkdownNavigator
from support.sdists import unpacked

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rankgate.runs.navigation.transcripts import Observation

T = TypeVar("T")
ODD_NODE: Any = Node
ODD_PLACE: Any = Location
PAGE = (
    "# Keys\n\n## Rotation\n\nEvery 90 days.\n\n### Steps\n\nOne.\n\n"
    "## Revocation\n\nAt once.\n\n### Steps\n\nTwo.\n"
)
TEXTS = {"auth/keys.md": PAGE, "hooks.md": "# Hooks\n\nText.\n"}
KEYS = Waypoint("auth/keys.md")
ROTATION = Waypoint("auth/keys.md", 3, 10, ("Keys", "Rotation"))


class Scripted(MarkdownNavigator):
    """Gives what it is told to in place of the honest answer; an exception is raised."""

    def __init__(self, **answers: object) -> None:
        super().__init__(TEXTS)
        self.answers: dict[str, Any] = answers

    def documents(self) -> Sequence[Node]:
        return self._scripted("documents", super().documents)

    def tree(self, document: str) -> Sequence[Node]:
        return self._scripted("tree", lambda: super(Scripted, self).tree(document))

    def read(self, node: str) -> str:
        return self._scripted("read", lambda: f"text of {node}")

    def subtree(self, node: str) -> str:
        return self._scripted("subtree", lambda: f"text of {node}")

    def _scripted(self, name: str, honest: Callable[[], T]) -> T:
        if name not in self.answers:
            return honest()
        self.called.append(name)
        if isinstance(self.answers[name], BaseException):
            raise self.answers[name]
        return cast("T", self.answers[name])


def took(navigator: MarkdownNavigator, *steps: tuple[Action, Waypoint]) -> tuple[Observation, ...]:
    """Take steps of one scenario."""
    scenario = Scenario("s", tuple(Step(action, at=Location.at(point.path)) for action, point in steps))
    places = {("s", number): point for number, (_, point) in enumerate(steps)}
    return navigate([scenario], navigator, places).observations


def read(waypoint: Waypoint, *nodes: Node) -> Observation:
    """Read a place of a tree that has these nodes."""
    given = {"tree": list(nodes)} if nodes else {}
    return took(Scripted(**given), (Action.READ, waypoint))[0]


def node(
    name: str, title: str, start: int | None = None, end: int | None = None, parent: str | None = None
) -> Node:
    lines = None if start is None else Lines(start, end or start)
    return Node(name, title, Location(path="auth/keys.md", lines=lines), parent)


def test_a_tree_shows_its_nodes_and_a_place_is_read_by_the_node_that_starts_there() -> None:
    navigator = MarkdownNavigator(TEXTS)
    tree, rotation, whole = took(
        navigator, (Action.TREE, KEYS), (Action.READ, ROTATION), (Action.SUBTREE, KEYS)
    )
    assert [(one.title, one.parent, one.start, one.end) for one in tree.nodes][:2] == [
        ("Keys", None, 1, 17),
        ("Rotation", "auth/keys.md@1", 3, 10),
    ]
    assert (rotation.node, rotation.text) == ("auth/keys.md@3", "## Rotation\n\nEvery 90 days.\n")
    assert (whole.node, whole.text) == ("auth/keys.md", PAGE)
    assert {one.status for one in (tree, rotation, whole)} == {StepStatus.OK}
    assert all(one.latency_ms is not None and one.latency_ms >= 0 for one in (tree, rotation, whole))


def test_calls_and_tokens_are_charged_to_the_step_that_needs_them() -> None:
    steps = (Step(Action.TREE), Step(Action.READ), Step(Action.SUBTREE))
    places = {(name, at): point for name in "ab" for at, point in enumerate((KEYS, ROTATION, KEYS))}
    navigator = MarkdownNavigator(TEXTS)
    transcript = navigate([Scenario("a", steps), Scenario("b", steps)], navigator, places)
    # The titles of two documents have 1 + 2 tokens, those of five nodes 1 + 2 + 2 + 3 + 2.
    assert [(one.calls, one.tokens) for one in transcript.observations] == [(2, 13), (1, 7), (1, 24)] * 2
    # The list of documents is asked for once and charged to both.
    one_walk = ["tree auth/keys.md", "read auth/keys.md@3", "subtree auth/keys.md"]
    assert navigator.called == ["documents", *one_walk, *one_walk]


def test_a_tree_is_asked_for_once_a_scenario_whatever_comes_between() -> None:
    navigator = MarkdownNavigator(TEXTS)
    took(navigator, (Action.TREE, KEYS), (Action.TREE, Waypoint("hooks.md")), (Action.TREE, KEYS))
    assert navigator.called == ["documents", "tree auth/keys.md", "tree hooks.md"]


def test_searches_are_no_steps_of_a_walk() -> None:
    scenario = Scenario("s", (Step(Action.SEARCH, "q"), Step(Action.TREE)))
    (seen,) = navigate([scenario], MarkdownNavigator(TEXTS), {("s", 1): KEYS}).observations
    assert (seen.step, seen.action) == (1, Action.TREE)


def test_a_node_without_lines_is_known_by_the_titles_above_it() -> None:
    nodes = [
        node("k", "Keys"),
        node("r", " Rotation", parent="k"),
        node("v", "Revocation", parent="k"),
        node("rs", "Steps", parent="r"),
        node("vs", "Steps", parent="v"),
    ]
    steps = Waypoint("auth/keys.md", 15, 17, ("Keys", "Revocation", "Steps"))
    assert read(steps, *nodes).node == "vs"
    assert read(replace(steps, titles=("Rotation", "Steps")), *nodes).node == "rs"
    assert read(replace(steps, titles=("Rotation",)), *nodes).node == "r"
    seen = read(replace(steps, titles=("Steps",)), *nodes)
    assert (seen.status, seen.error) == (StepStatus.NOT_FOUND, "2 of 5 nodes may be 'Steps': 'rs', 'vs'")
    assert (seen.latency_ms, seen.text, seen.calls) == (None, None, 2)


def test_a_tree_may_leave_the_title_of_the_page_out_or_have_the_file_there() -> None:
    steps = Waypoint("auth/keys.md", 7, 10, ("Keys", "Rotation", "Steps"))
    bare = [node("r", "Rotation"), node("s", "Steps", parent="r")]
    assert read(steps, *bare).node == "s"
    file = [node("f", "keys.md"), node("r", "Rotation", parent="f"), node("s", "Steps", parent="r")]
    assert read(steps, *file).node == "s"
    unknown = [node("r", "Rotation", parent="auth/keys.md"), node("s", "Steps", parent="r")]
    assert read(steps, *unknown).node == "s"
    elsewhere = [node("o", "Other"), node("r", "Rotation", parent="o"), node("s", "Steps", parent="r")]
    assert read(steps, *elsewhere).status is StepStatus.NOT_FOUND


@pytest.mark.parametrize(
    "title", ["rotate", "def rotate(self, key)", "Store.rotate", "Store::rotate(int key)"]
)
def test_a_symbol_is_known_with_or_without_its_signature(title: str) -> None:
    place = Waypoint("auth/keys.md", titles=("Store", "rotate"))
    nodes = [node("c", "class Store"), node("o", "Other"), node("n", "rotate_all()", parent="c")]
    assert read(place, *nodes, node("m", title, parent="c")).node == "m"
    assert read(place, *nodes, node("m", "rotate", parent="o")).status is StepStatus.NOT_FOUND


def test_a_name_that_stands_inside_another_too_is_the_outer_one_if_nothing_more_is_said() -> None:
    inner = [node("f", "wrap"), node("i", "isatty", parent="f"), node("o", "isatty")]
    assert read(Waypoint("auth/keys.md", titles=("isatty",)), *inner).node == "o"
    assert read(Waypoint("auth/keys.md", titles=("wrap", "isatty")), *inner).node == "i"


@pytest.mark.parametrize("project", ["click-8.5.1", "flask-3.1.3"])
def test_every_section_and_symbol_of_a_real_project_is_found(project: str) -> None:
    """By its lines always; by its titles where the file has no other of the same path."""
    folder = unpacked(project)
    tried = 0
    for file in sorted(folder.rglob("*")):
        if file.suffix not in (".md", ".rst", ".py"):
            continue
        path = file.relative_to(folder).as_posix()
        pieces = read_outline(path, file.read_text(encoding="utf-8")) or ()
        document = Node(path, path, Location(path=path))
        nodes = [
            Node(
                f"n{number}",
                f"def {piece.name}(self)" if piece.kind in ("function", "method") else piece.name,
                Location(path=path, lines=Lines(piece.start, piece.end)),
                f"n{piece.parent}" if piece.parent else None,
            )
            for number, piece in enumerate(pieces)
        ][1:]
        bare = [replace(one, location=Location(path=path)) for one in nodes]
        paths = Counter(piece.path for piece in pieces)
        for number, piece in enumerate(pieces[1:], 1):
            place = Waypoint(path, piece.start, piece.end, piece.path)
            assert find_node(listed(nodes, "tree"), document, place).id == f"n{number}"
            if paths[piece.path] == 1:
                assert find_node(listed(bare, "tree"), document, place).id == f"n{number}"
                tried += 1
    assert tried > 1500


def test_a_bracket_after_a_space_is_part_of_a_title() -> None:
    assert names("Scopes (optional)") == {"Scopes (optional)"}
    assert names("static files") == {"static files"}
    assert "Put" in names("func (s *Store) Put(x int) error")
    assert parts("class A::B : C") == ("A", "B")


def test_lines_tell_before_titles_do() -> None:
    nodes = [node("wrong", "Rotation", 11), node("right", "Key rotation", 3)]
    assert read(ROTATION, *nodes).node == "right"
    other_file = Node("x", "Rotation", Location(path="hooks.md", lines=Lines(3, 10)))
    assert read(ROTATION, other_file).status is StepStatus.NOT_FOUND


def test_of_nodes_that_start_together_the_title_or_the_end_or_the_innermost_tells() -> None:
    first = Waypoint("auth/keys.md", 1, 17, ("Keys",))
    file, section = node("f", "keys.md", 1, 17), node("k", "Keys", 1, 17, "f")
    assert read(first, file, section).node == "k"
    assert read(first, replace(file, title="Keys"), section).node == "k"
    assert read(first, node("k", "Keys", 1, 9), node("l", "Keys", 1, 17)).node == "l"
    assert read(replace(first, titles=()), node("a", "A", 1, 9), node("b", "B", 1, 17)).node == "b"
    seen = read(first, node("a", "Keys", 1, 17), node("b", "Keys", 1, 17))
    assert seen.error == "2 of 2 nodes may be 'Keys': 'a', 'b'"


def test_what_is_not_there_is_told_with_what_is_near() -> None:
    (seen,) = took(MarkdownNavigator(TEXTS), (Action.TREE, Waypoint("auth/key.md")))
    assert (seen.status, seen.error) == (
        StepStatus.NOT_FOUND,
        "none of 2 documents is 'auth/key.md'; near it: 'auth/keys.md'",
    )
    seen = read(Waypoint("auth/keys.md", titles=("Rotaton",)))
    assert seen.error == "none of 5 nodes is 'Rotaton'; near it: 'Rotation', 'Revocation'"
    twice = [Node(name, "K", Location(path="auth/keys.md")) for name in "ab"]
    (seen,) = took(Scripted(documents=twice), (Action.TREE, KEYS))
    assert seen.error == "2 of 2 documents are 'auth/keys.md': 'a', 'b'"
    (seen,) = navigate([Scenario("s", (Step(Action.TREE),))], MarkdownNavigator(TEXTS), {}).observations
    assert seen.error == "its location was not looked up in the corpus"


def test_a_document_is_known_by_its_path_or_by_an_id_that_is_one() -> None:
    for name in ("auth/keys.md", "./auth\\keys.md"):
        by_id = Node(name, "Keys", Location.of_id(name))
        (seen,) = took(Scripted(documents=[by_id]), (Action.SUBTREE, KEYS))
        assert seen.node == name


def test_a_step_that_could_not_be_taken_does_not_end_the_scenario() -> None:
    lost = Waypoint("auth/keys.md", 99, 99, ("Lost",))
    seen = took(MarkdownNavigator(TEXTS), (Action.READ, lost), (Action.READ, ROTATION), (Action.TREE, KEYS))
    assert [one.status for one in seen] == [StepStatus.NOT_FOUND, StepStatus.OK, StepStatus.OK]


@pytest.mark.parametrize("call", ["documents", "tree", "read"])
def test_whatever_a_system_raises_becomes_the_error_of_the_step(call: str) -> None:
    class SilentError(Exception):
        def __str__(self) -> str:
            raise RuntimeError("no words")

    for raised, status, said in [
        (
            ValueError("no\nindex \x1b[31m"),
            StepStatus.ERROR,
            "ValueError: no; index \\x1b[31m [system-raised]",
        ),
        (SystemFailedError("down"), StepStatus.ERROR, "down [system-failed]"),
        (TimeoutError("late"), StepStatus.TIMEOUT, "TimeoutError: late [timed-out]"),
        (SilentError(), StepStatus.ERROR, "SilentError [system-raised]"),
        (RecursionError(), StepStatus.ERROR, "RecursionError [system-raised]"),
    ]:
        (seen,) = took(Scripted(**{call: raised}), (Action.READ, ROTATION))
        assert (seen.status, seen.error, seen.latency_ms) == (status, said, None)
        assert seen.calls == ["documents", "tree", "read"].index(call) + 1


def test_a_call_that_failed_is_not_made_again_in_the_same_scenario_but_in_the_next() -> None:
    navigator = Scripted(documents=ValueError("down"))
    scenarios = [Scenario(name, (Step(Action.TREE), Step(Action.TREE))) for name in "ab"]
    places = {(name, number): KEYS for name in "ab" for number in (0, 1)}
    transcript = navigate(scenarios, navigator, places)
    assert [one.status for one in transcript.observations] == [StepStatus.ERROR] * 4
    assert [one.calls for one in transcript.observations] == [1, 0, 1, 0]
    assert transcript.errored == 4
    assert navigator.called == ["documents"] * 2


@pytest.mark.parametrize(
    ("answers", "said"),
    [
        ({"documents": None}, "documents: found a NoneType, expected a list of Nodes"),
        ({"documents": "auth/keys.md"}, "documents: found a str, expected a list of Nodes"),
        ({"tree": iter([])}, "tree: found a list_iterator, expected a list of Nodes"),
        ({"tree": [{"id": "a"}]}, "tree[0]: found a dict, expected a Node"),
        ({"tree": [ODD_NODE(1, "t", Location.of_id("x"))]}, "tree[0].id: found a int, expected a string"),
        ({"tree": [ODD_NODE("a", None, Location.of_id("x"))]}, "tree[0].title: found a NoneType"),
        ({"tree": [ODD_NODE("a", "t", "keys.md")]}, "tree[0].location: found a str, expected a Location"),
        ({"tree": [ODD_NODE("a", "t", Location.of_id("x"), 7)]}, "tree[0].parent: found a int"),
        ({"tree": [Node("a", "t", ODD_PLACE(path="k", lines=3))]}, "tree[0].location.lines: found a int"),
        ({"read": b"bytes"}, "read: found a bytes, expected a string"),
    ],
)
def test_answers_of_another_type_are_errors(answers: dict[str, object], said: str) -> None:
    (seen,) = took(Scripted(**answers), (Action.READ, ROTATION))
    assert seen.status is StepStatus.ERROR
    assert said in str(seen.error)


def test_circles_unknown_parents_and_ids_that_stand_twice_end_no_walk() -> None:
    circle = [node("a", "Rotation", parent="b"), node("b", "Rotation", parent="a")]
    assert read(Waypoint("auth/keys.md", titles=("Keys", "Rotation")), *circle).status is StepStatus.NOT_FOUND
    assert read(replace(ROTATION, titles=("Rotation",)), *circle).error == (
        "2 of 2 nodes may be 'Rotation': 'a', 'b'"
    )
    own = node("a", "Rotation", parent="a")
    assert read(Waypoint("auth/keys.md", titles=("Rotation",)), own).node == "a"
    twice = [node("k", "Keys"), node("k", "Other"), node("r", "Rotation", parent="k")]
    assert read(Waypoint("auth/keys.md", titles=("Keys", "Rotation")), *twice).node == "r"


class Endless(Sequence[Node]):
    """Says it has a billion nodes, and would give them."""

    def __len__(self) -> int:
        return 10**9

    def __getitem__(self, at: Any) -> Any:
        return node(f"n{at}", "Same", 3, parent=f"n{at - 1}")


def test_a_million_nodes_are_cut_and_counted() -> None:
    tree, place = took(Scripted(tree=Endless()), (Action.TREE, KEYS), (Action.READ, ROTATION))
    assert (len(tree.nodes), tree.cut) == (MOST_NODES, 10**9 - MOST_NODES)
    assert place.error is None
    assert place.node == f"n{MOST_NODES - 1}"


def test_long_names_are_cut_and_nodes_with_too_many_letters_are_counted() -> None:
    long = [node(f"n{number}", "x" * (MOST_CHARACTERS // 4)) for number in range(10)]
    (tree,) = took(Scripted(tree=long), (Action.TREE, KEYS))
    assert (len(tree.nodes), tree.cut) == (3, 7)
    assert {len(one.title) for one in tree.nodes} == {LONGEST_NAME}


def test_a_long_text_is_cut_at_a_character_and_what_was_cut_is_counted() -> None:
    (seen,) = took(Scripted(read="a" + "é" * 10**6), (Action.READ, ROTATION))
    assert len(str(seen.text).encode()) == MOST_TEXT - 1
    assert (seen.cut, seen.tokens) == (10**6 + 1, 13 + -(-(2 * 10**6 + 1) // 4))


def test_half_a_surrogate_pair_is_stored(tmp_path: Path) -> None:
    half = Scripted(read="a\ud800b", tree=[node("n\ud800", "Rotation\udfff", 3)])
    scenario = Scenario("s", (Step(Action.TREE), Step(Action.READ)))
    transcript = navigate([scenario], half, {("s", 0): KEYS, ("s", 1): ROTATION})
    assert transcript.observations[1].text == "a?b"
    write_transcript(transcript, tmp_path / "t.jsonl")
    assert read_transcript(tmp_path / "t.jsonl") == transcript


_IDS = st.sampled_from(["", "a", "b", "c", "auth/keys.md"])
_NODES = st.builds(
    lambda name, title, start, parent: node(name, title, start, parent=parent),
    _IDS,
    st.sampled_from(["Keys", "Rotation", "Steps", "f(", "((", "class", "a.b", ""]) | st.text(max_size=9),
    st.none() | st.integers(1, 9),
    st.none() | _IDS,
)
_POINTS = st.builds(
    lambda start, titles: Waypoint("auth/keys.md", start, start, tuple(titles)),
    st.none() | st.integers(1, 9),
    st.lists(st.sampled_from(["Keys", "Rotation", "Steps", "f"]), max_size=3),
)


@given(
    st.lists(_NODES, max_size=8), st.lists(st.tuples(st.sampled_from(list(Action)[1:]), _POINTS), max_size=4)
)
def test_any_tree_gives_an_observation_for_every_step(
    nodes: list[Node], steps: list[tuple[Action, Waypoint]]
) -> None:
    seen = took(Scripted(tree=nodes, subtree="x"), *steps)
    assert [(one.step, one.action) for one in seen] == [(at, action) for at, (action, _) in enumerate(steps)]
    for one, (_, place) in zip(seen, steps, strict=True):
        assert (one.status is StepStatus.OK) == (one.error is None)
        if one.status is StepStatus.OK and one.text is not None and (place.titles or place.start):
            assert one.node in {each.id for each in nodes}
