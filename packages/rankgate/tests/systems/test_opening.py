"""Systems by name: functions, kinds, and plugins that are really installed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError, PluginError
from rankgate.model import Query
from rankgate.plugins import listed
from rankgate.systems.command import CommandSystem
from rankgate.systems.function.system import FunctionSystem
from rankgate.systems.registry import open_system

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ENTRY_POINTS = """
[rankgate.systems]
function = rankgate.systems.function.system:open_function
command = rankgate.systems.command:open_command
echo_for_tests = echo_for_tests:open_echo
broken_for_tests = echo_for_tests:broken
"""
PLUGIN = """
from rankgate.model import Hit, Ranking

class Echo:
    def search(self, query):
        return Ranking((Hit(id=query.text),))

def open_echo(name, options):
    return Echo()

def broken(name, options):
    return 3

def search(query):
    return [query]
"""


@pytest.fixture(autouse=True)
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    metadata = tmp_path / "echo_for_tests-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: echo-for-tests\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text(ENTRY_POINTS)
    (tmp_path / "echo_for_tests.py").write_text(PLUGIN)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    listed.cache_clear()
    yield
    listed.cache_clear()
    sys.modules.pop("echo_for_tests", None)


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("echo_for_tests:search", {}),
        ("./echo_for_tests.py:search", {"thread_safe": True}),
        ("app", {"kind": "function", "target": "echo_for_tests:search"}),
        ("app", {"kind": "echo_for_tests"}),
        ("echo_for_tests", {}),
        ("app", {"kind": "command", "command": ["echo", "{query}"], "output": "lines"}),
    ],
)
def test_a_system_is_opened_by_what_it_is_called(name: str, options: dict[str, object]) -> None:
    system = open_system(name, options)
    assert system.search(Query("a")).hits[0].id == "a"
    if isinstance(system, (FunctionSystem, CommandSystem)):
        assert system.name == name
        system.close()


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("echo_for_test", {}, "did you mean echo_for_tests"),
        ("app", {"kind": "comand"}, "did you mean command"),
        ("app", {"kind": 3}, "app.kind: found int 3"),
        ("app", {"kind": "runfile", "path": "x.trec"}, "a stored run.*rankgate score"),
        ("app", {"kind": "function"}, "needs the key `target`"),
        ("app", {"kind": "function", "targt": "a:b"}, "Did you mean `target`"),
        ("echo_for_tests:search", {"thread_save": True}, "Did you mean `thread_safe`"),
    ],
)
def test_what_is_unknown_is_refused_with_what_was_meant(
    name: str, options: dict[str, object], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        open_system(name, options)


def test_a_plugin_that_gives_no_system_is_refused() -> None:
    with pytest.raises(PluginError, match="found int 3, expected an object with search"):
        open_system("app", {"kind": "broken_for_tests"})
