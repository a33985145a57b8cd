"""An MCP server that answers in text is searched and walked by a configuration alone."""

from __future__ import annotations

import sys
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, SystemFailedError
from rankgate.model import Hit, Query
from rankgate.systems.registry import open_system
from support.commands import rankgate
from support.repository import SUPPORT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SYSTEM = f"""\
[systems.texts]
kind = "mcp"
command = ["{sys.executable}", "{SUPPORT / "mcp_text_server.py"}"]
tool = "search"
arguments = {{ query = "{{query}}" }}
output = "text"
pattern = '''(?mx)
  ^\\d+\\.\\ \\[.*\\n
  \\ +File:\\ (?P<path>\\S+)\\ .*\\n
  \\ +Score:\\ (?P<score>[\\d.]+)\\n
  \\ +Snippet:\\ (?P<text>.*)$'''
empty = '^No results'

[systems.texts.navigate.documents]
tool = "list_documents"
output = "text"
pattern = '(?m)^\\* \\[(?P<id>\\w+)\\] (?P<title>.*)\\n  path: (?P<path>.*)$'

[systems.texts.navigate.tree]
tool = "get_outline"
arguments = {{ document = "{{document}}" }}
output = "lines"
pattern = '^(?P<indent> *)\\[(?P<id>\\w+)\\] (?P<title>.*)$'

[systems.texts.navigate.read]
tool = "get_sections"
arguments = {{ document = "{{document}}", options = {{ nodes = ["{{node}}"] }} }}
output = "text"
pattern = '(?s)\\A=== [^\\n]* ===\\n\\n(?P<text>.*)\\Z'

[systems.texts.navigate.subtree]
tool = "get_below"
arguments = {{ document = "{{document}}", node = "{{node}}" }}
output = "text"
pattern = '(?ms)^=== [^\\n]* ===\\n\\n(?P<text>.*?)(?=\\n\\n^===|\\Z)'
"""
CORPUS = {
    "keys.md": "# Keys\n\nKeys are for programs.\n\n## Rotation\n\nRotate a key after 90 days.\n\n"
    "### By hand\n\nRotate it on the page of keys.\n\n## Revocation\n\nEnd a leaked key.\n",
    "hooks.md": "# Hooks\n\nHooks call you.\n\n## Retries\n\nA failed hook is sent again.\n",
}
SUITE = """\
corpus: docs
gates: [ndcg@10 >= 0.9, scenarios = 100%]
cases:
  - {query: rotate a key, at: keys.md#Rotation}
  - {query: failed hook, at: hooks.md#Retries}
  - {query: blockchain, expect: empty}
scenarios:
  - name: hooks and keys, whose sections are counted alike
    steps:
      - {tree: hooks.md, has: [Retries]}
      - {read: keys.md#Keys/Rotation, contains: [90 days], excludes: [leaked]}
      - {read: hooks.md#Hooks/Retries, contains: [sent again]}
      - {subtree: keys.md#Keys/Rotation, contains: [90 days, page of keys], excludes: [leaked]}
"""


def table(**more: Any) -> dict[str, Any]:
    found: dict[str, Any] = tomllib.loads(SYSTEM)["systems"]["texts"]
    return {**found, **more}


@pytest.fixture(scope="module")
def texts() -> Iterator[Any]:
    system: Any = open_system("texts", table())
    yield system
    system.close()


def test_a_hit_has_the_score_and_the_text_of_the_lines_below_it(texts: Any) -> None:
    first = texts.search(Query("failed hook")).hits[0]
    assert first == Hit(path="hooks.md", score=2.5, text="A failed hook is sent again.")


def test_text_without_a_match_is_an_empty_answer_only_where_that_is_declared(texts: Any) -> None:
    assert texts.search(Query("blockchain")).hits == ()
    system: Any = open_system("texts", table(empty="^Nothing at all"))
    with pytest.raises(SystemFailedError, match="which the pattern does not match"):
        system.search(Query("blockchain"))
    system.close()


def test_a_tree_has_the_parents_that_its_indentation_shows(texts: Any) -> None:
    titles = {node.id: node.title for node in texts.tree("keys")}
    parents = [(node.title, titles.get(node.parent)) for node in texts.tree("keys")]
    assert parents == [("Keys", None), ("Rotation", "Keys"), ("By hand", "Rotation"), ("Revocation", "Keys")]


def test_a_node_is_read_by_its_document_and_itself_also_in_nested_arguments(texts: Any) -> None:
    second = {name: texts.tree(name)[1].id for name in ("keys", "hooks")}
    assert texts.read(second["keys"]) == "Rotate a key after 90 days."
    assert texts.read(second["hooks"]) == "A failed hook is sent again."
    assert texts.subtree(second["keys"]).split("\n") == [
        "Rotate a key after 90 days.",
        "Rotate it on the page of keys.",
    ]
    with pytest.raises(SystemFailedError, match="not found"):
        texts.read("n9")


def test_a_suite_with_scenarios_passes_by_the_configuration_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for name, text in CORPUS.items():
        (tmp_path / "docs" / name).write_text(text)
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "rankgate.toml").write_text(SYSTEM)
    done = rankgate("test", "search.yaml", "--system", "texts")
    assert done.code == 0, done.out


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("search_front_matter", {"output": "front_matter", "hits": "[]"}),
        (
            "search_fenced",
            {"output": "fenced_json", "hits": "hits", "fields": {"path": "file", "score": "score"}},
        ),
    ],
)
def test_front_matter_and_fenced_json_are_read(tool: str, more: dict[str, Any]) -> None:
    system: Any = open_system("texts", {**table(tool=tool, empty="^Nothing", **more), "pattern": None})
    first = system.search(Query("failed hook")).hits[0]
    assert (first.path, first.score) == ("hooks.md", 2.0)
    system.close()


def test_a_placeholder_that_nothing_fills_is_an_error_when_the_system_is_opened() -> None:
    with pytest.raises(InputError, match=r"\{qurey\}.*did you mean query"):
        open_system("texts", table(arguments={"query": "{qurey}", "more": "{query}"}))
    navigate = table()["navigate"]
    navigate["read"]["arguments"]["options"] = {"nodes": ["{nodes}"]}
    with pytest.raises(InputError, match=r"read.arguments.*\{nodes\}.*did you mean node"):
        open_system("texts", table(navigate=navigate))
