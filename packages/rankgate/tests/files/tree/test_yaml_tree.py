"""Values are what the YAML library itself would make of a file: the same kinds, contents and places."""

from __future__ import annotations

import sys
import warnings
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

from rankgate.errors import FormatError
from rankgate.files.problems import Problems
from rankgate.files.tree.yaml_tree import read_yaml
from support.plain_values import plain

if TYPE_CHECKING:
    from ruamel.yaml.nodes import Node

    from rankgate.files.tree.values import Value

KINDS = {
    "bool": "flag",
    "float": "number",
    "int": "number",
    "map": "mapping",
    "merge": "text",
    "null": "nothing",
    "seq": "list",
    "str": "text",
    "timestamp": "text",
    "value": "text",
}

WORDS = st.sampled_from(
    [
        *("true", "True", "tRUE", "false", "yes", "no", "on", "y", "n", "null", "Null", "~", "", "<<", "="),
        *("1", "-1", "+1", "007", "0o17", "0x1F", "0b1", "1_000", "1.5", "1e3", "1e-3", ".5", "-.5e+3", "1."),
        *(".inf", "-.Inf", ".nan", "1:30", "190:20:30.15", "2024-01-01", "2024-01-01 10:20:30", "a", "a b"),
        *("a:b", "a#b", "'1'", '"true"', '"\\u00e9"', "'it''s'", "é", "東京", "- a", "[a, 1]", "{a: 1, b: }"),
        *("|\n    x\n    y", ">-\n    x\n    y", "! 5", "!!str 5", "&x 1", "a: b", "? a", "# c", "'x' # c"),
    ]
)
LINES = st.builds(lambda indent, start, word: f"{' ' * indent}{start}{word}\n", st.sampled_from([0, 2, 4]),
                  st.sampled_from(["- ", "key: ", "k2: ", "? ", "'q': ", ""]), WORDS)  # fmt: skip
FILES = st.lists(LINES, max_size=8).map("".join) | st.text("ab1 -:[]{},'\"#&*!|>\n\t?%~.é", max_size=40)


def told(value: Value) -> Any:
    """What a value is, all the way down."""
    content = value.content
    if value.kind == "list":
        content = [told(item) for item in content]
    elif value.kind == "mapping":
        content = [(told(key), told(item)) for key, item in content]
    left_out = content == "" and value.kind == "nothing"
    return (value.kind, content, None if left_out else (value.line, value.column))


def composed(node: Node) -> Any:
    """The same of what the library composes."""
    # Its round-trip parser marks where folded text was folded.
    content: Any = node.value.replace("\a", "") if isinstance(node.value, str) else node.value
    if isinstance(node, SequenceNode):
        content = [composed(item) for item in node.value]
    elif isinstance(node, MappingNode):
        content = [(composed(key), composed(item)) for key, item in node.value]
    kind = KINDS.get(str(node.tag).rpartition(":")[2], "text")
    left_out = isinstance(node, ScalarNode) and content == "" and kind == "nothing"
    return (kind, content, None if left_out else (node.start_mark.line + 1, node.start_mark.column + 1))


@settings(max_examples=300)
@given(text=FILES)
@example("%YAML 1.1\n---\n[yes, 1:30, 010, on]\n")
@example("%YAML 1.2\n---\n[yes, 1:30, 010, on]\n")
@example("a: &a [1, 2]\nb: *a\nc: {<<: *a}\n")
@example("a:\nb:\n  - \n  -\n")
@example('"a\\\n  b"\n')
@example("- >-\n    x\n    y\n")
def test_a_value_is_what_the_library_composes(text: str) -> None:
    problems = Problems("s.yaml")
    try:
        found = told(read_yaml(text, "s.yaml", problems))
    except FormatError:
        found = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            node = YAML().compose(StringIO(text))
    except (YAMLError, ValueError, AttributeError, IndexError):
        # Whatever the library makes of such a file, it is not a value.
        node = None
    assert found == (None if node is None else composed(node))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a: !!map b\n", "s.yaml:1:4: found the tag !!map, expected a value without a tag"),
        ("a: !!str [b]\n", "s.yaml:1:4: found the tag !!str, expected a value without a tag"),
        ("a: !x b\n", "s.yaml:1:4: found the tag !x, expected a value without a tag"),
        ("{a: 1, b: {c: 1, c: 2}, a: 3}\n", "s.yaml:1:25: found 'a' a second time, first in line 1"),
    ],
)
def test_what_yaml_allows_and_a_suite_does_not_is_gathered(text: str, told: str) -> None:
    problems = Problems("s.yaml")
    read_yaml(text, "s.yaml", problems)
    with pytest.raises(FormatError) as caught:
        problems.check()
    assert str(caught.value).startswith(told)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('"\\ud800"\n', "s.yaml:1:1: found what is not YAML (found half of a surrogate pair)"),
        ('"\\U00110000"\n', "s.yaml: found what is not YAML ("),
        ("%YAML 1.9\n---\n[yes]\n", "s.yaml: found what is not YAML (version minor part can only be 2 or 1"),
        ("a: *b\n", "s.yaml:1:4: found what is not YAML (found undefined alias 'b')"),
        (
            "a\n---\nb\n",
            "s.yaml:2:1: found what is not YAML (expected a single document in the stream but found",
        ),
    ],
)
def test_what_is_no_value_is_refused(text: str, told: str) -> None:
    with pytest.raises(FormatError) as caught:
        read_yaml(text, "s.yaml", Problems("s.yaml"))
    assert str(caught.value).startswith(told)


def test_an_anchor_may_be_used_again() -> None:
    found = read_yaml("[&a 1, *a, &a 2, *a]\n", "s.yaml", Problems("s.yaml"))
    assert plain(found) == [1, 1, 2, 2]


ODD = st.sampled_from(
    [
        *(
            "[a:1]",
            "{a:1}",
            '{"a":1}',
            "[:a]",
            "[?a]",
            "&x.y 1",
            "*x.y",
            "&x: 1",
            "a\tb",
            "\ta",
            "a\t",
            '"a\\/b"',
        ),
        *(
            "a\u2028b",
            "a\x85b",
            "\ufeffa",
            "a\ufeffb",
            "\x07",
            "😀 x",
            "|#a",
            "|\n#",
            "!",
            "!e a",
            "!<a> b",
            "!!set {a}",
        ),
        *(
            "%YAML 1.1\n---\n",
            "%TAG ! tag:x,\n---\n",
            "--- ",
            "...\n",
            "? a\n  : b",
            ": a",
            "a\r\n",
            "&a [*a]",
        ),
    ]
)
DRESSED = st.lists(LINES | ODD.map(lambda word: f"- {word}\n") | ODD, max_size=8).map("".join)


def read(text: str) -> Any:
    """Read a text, with where each value begins and ends; or give what is said of it."""

    def all_told(value: Value) -> Any:
        parts = value.items() or [part for pair in value.pairs() for part in pair]
        place = (value.line, value.column, value.start, value.end, value.style, value.bare)
        return (value.kind, [all_told(part) for part in parts] or value.raw, place, value.repeats is None)

    problems = Problems("s.yaml")
    try:
        found = all_told(read_yaml(text, "s.yaml", problems))
        problems.check()
    except FormatError as error:
        return str(error)
    return found


@settings(max_examples=300)
@given(text=FILES | DRESSED)
@example("a: &q |\n  two\n\nb: [*q, 'x' ] # c\n")
@example("a:\n- {b: , c: &d }\n# c\ne: >-\n  x\n")
def test_a_file_is_the_same_with_libyaml_and_without_it(text: str) -> None:
    found = read(text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setitem(sys.modules, "yaml.cyaml", None)
        assert read(text) == found


def test_numbers_beyond_all_bounds_are_text() -> None:
    found = read_yaml(f"[{'9' * 400}, {'9' * 5000}, 1e999]\n", "s.yaml", Problems("s.yaml"))
    assert plain(found) == ["9" * 400, "9" * 5000, "1e999"]
