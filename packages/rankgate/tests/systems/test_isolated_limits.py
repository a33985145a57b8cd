"""What may not be isolated, and how long a process that does not open anew may hold up a query."""

from __future__ import annotations

import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError, SystemFailedError
from rankgate.evaluation.configuration import find_configuration
from rankgate.evaluation.project.opening import opened
from rankgate.model import Query
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.isolated import RESTART_TIMEOUT, IsolatedSystem

if TYPE_CHECKING:
    from pathlib import Path

ENGINE = """
import pathlib, time
lock = pathlib.Path(__file__).with_name("lock")
if lock.exists():
    time.sleep(60)
def search(query):
    if query == "hang":
        lock.touch()
        time.sleep(60)
    return [query]
"""


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ("command = ['grep', '{query}']", "command asks a program outside this process"),
        ("kind = 'command'\ncommand = ['grep', '{query}']", "command asks a program outside this process"),
        ("kind = 'http'\nurl = 'http://127.0.0.1:9/?{query}'", "http asks a server outside this process"),
        (
            "kind = 'mcp'\ncommand = ['no-such-server']\ntool = 't'\narguments = { q = '{query}' }",
            "mcp asks a server outside this process",
        ),
    ],
)
def test_what_does_not_run_in_this_process_is_not_isolated(tmp_path: Path, lines: str, said: str) -> None:
    (tmp_path / "rankgate.toml").write_text(f"[systems.api]\n{lines}\nisolate = 'process'\ntimeout = 40\n")
    entry = find_configuration(tmp_path).entry("api")
    with pytest.raises(InputError) as caught, opened(entry, tmp_path):
        pass
    assert str(caught.value) == (
        f"api.isolate: found 'process', expected none: {said} and has a timeout of its own; "
        "take isolate out and keep timeout"
    )


def test_a_system_that_hangs_where_it_opens_anew_holds_no_query_for_long(tmp_path: Path) -> None:
    (tmp_path / "engine.py").write_text(ENGINE)
    described = {"kind": "function", "target": "./engine.py:search", "root": str(tmp_path)}
    with closing(IsolatedSystem("app", described, 0.5)) as system:
        start = time.monotonic()
        with pytest.raises(TimedOutError, match=r"no answer after 0\.5 s.*ended, and could not be restarted"):
            system.search(Query("hang"))
        with pytest.raises(SystemFailedError, match=r"system app: found not open after \S+ s"):
            system.search(Query("a"))
        assert time.monotonic() - start < 4 * RESTART_TIMEOUT
        (tmp_path / "lock").unlink()
        assert [hit.id for hit in system.search(Query("a")).hits] == ["a"]
        assert system.restarts == 1
