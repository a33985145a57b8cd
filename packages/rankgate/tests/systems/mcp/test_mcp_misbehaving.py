"""MCP servers by hand that do what none should: each query ends in time, as an answer or an error."""

from __future__ import annotations

import os
import sys
import time
import tracemalloc
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import RetriableError, SystemFailedError
from rankgate.model import Query
from rankgate.systems.adapter.failures import TimedOutError
from rankgate.systems.mcp.opener import open_mcp
from support.processes import ended

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.systems.mcp.system import McpSystem

SERVER = r"""
import json, os, subprocess, sys, time

def say(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()

def opened(message):
    if message.get("method") == "initialize":
        version = message["params"]["protocolVersion"]
        server = {"name": "raw", "version": "0"}
        info = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": server}
        say({"id": message["id"], "result": info})
    elif message.get("method") == "tools/list":
        cursor = (message.get("params") or {}).get("cursor")
        tools = [{"name": "other" if cursor else "search", "inputSchema": {"type": "object"}}]
        say({"id": message["id"], "result": {"tools": tools, **({} if cursor else {"nextCursor": "more"})}})
    elif message.get("method") == "tools/call":
        return True

def hits(*names):
    return {"content": [], "structuredContent": {"hits": list(names)}}

def serve(call):
    for line in sys.stdin:
        message = json.loads(line)
        if opened(message):
            call(message)
"""
GOOD = SERVER + 'serve(lambda m: say({"id": m["id"], "result": hits(m["params"]["arguments"]["q"])}))'
RETURNED = 'returned = lambda result: say({"id": m["id"], "result": result})'
TIMEOUT = 1.0


@pytest.fixture(scope="module", autouse=True)
def _sdk() -> None:
    """Import the SDK, which takes seconds that are not the server's."""
    import mcp  # noqa: F401


def program(code: str, **more: Any) -> McpSystem:
    given = {
        "tool": "search",
        "arguments": {"q": "{query}"},
        "hits": "hits",
        "timeout": TIMEOUT,
        "start_timeout": 5,
    }
    return open_mcp("raw", {"command": [sys.executable, "-S", "-c", code], **given, **more})


def failed(system: McpSystem) -> SystemFailedError:
    start = time.monotonic()
    with pytest.raises(SystemFailedError) as caught:
        system.search(Query("x"))
    assert time.monotonic() - start < TIMEOUT + 3
    assert "\n" not in str(caught.value)
    return caught.value


def test_a_server_by_hand_is_asked() -> None:
    system = program(GOOD)
    assert [hit.id for hit in system.search(Query("größe 鍵")).hits] == ["größe 鍵"]
    assert sorted(system.tools) == ["other", "search"]
    system.close()


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit('no licence')", "a server that is gone (exit code 1; no licence"),
        ("import os; os.kill(os.getpid(), 9)", "a server that is gone (signal 9"),
        ("print('hello')", "a server that is gone (exit code 0; 1 lines that are no messages"),
    ],
)
def test_a_program_that_ends_at_once_is_told_when_it_is_opened(code: str, said: str) -> None:
    with pytest.raises(RetriableError) as caught:
        program(code)
    assert said in str(caught.value)


def test_a_program_that_is_not_there_is_told_when_it_is_opened() -> None:
    with pytest.raises(SystemFailedError, match=r"command 'no-such-program'.*expected to start"):
        program("", command=["no-such-program"])


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import time; time.sleep(60)", "no answer after 1 s"),
        ("import sys\nwhile True: sys.stdout.write('noise ' * 100 + chr(10))", "lines that are no messages"),
        ("import sys\nfor line in sys.stdin: print('{', flush=True)", "1 lines that are no messages"),
        (SERVER + "for line in sys.stdin: say({'id': 99, 'result': {}})", "no answer"),
    ],
)
def test_a_program_that_does_not_open_a_session_is_a_time_out(code: str, said: str) -> None:
    start = time.monotonic()
    with pytest.raises(TimedOutError) as caught:
        program(code, start_timeout=1)
    assert said in str(caught.value)
    assert time.monotonic() - start < 4


def test_a_line_without_an_end_is_cut() -> None:
    code = "import sys\nwhile True: sys.stdout.write('x' * 100000)"
    tracemalloc.start()
    try:
        with pytest.raises(SystemFailedError, match="a line of more than 1,000,000 bytes"):
            program(code, max_output=1_000_000)
        assert tracemalloc.get_traced_memory()[1] < 40_000_000
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        ("pass", TimedOutError, "no answer after 1 s"),
        ("time.sleep(60)", TimedOutError, "no answer after 1 s"),
        ("print('garbage', flush=True)", TimedOutError, "lines that are no messages"),
        (
            "sys.stderr.write('boom\\n'); sys.exit(3)",
            RetriableError,
            "is gone (exit code 3; boom",
        ),
        ("os._exit(0)", RetriableError, "exit code 0"),
        ("os.close(1) or time.sleep(60)", RetriableError, "a server that is gone"),
        ("say({'id': m['id'], 'error': {'code': -32602, 'message': 'bad'}})", SystemFailedError, ": bad"),
        ("returned({'content': 7})", SystemFailedError, "Validation"),
        ("returned({'content': []})", SystemFailedError, "no structured content"),
        ("returned({'content': [], 'structuredContent': {}})", SystemFailedError, "hits 'hits'"),
        (
            "returned({'content': [{'type': 'text', 'text': 'no\\x1b[31m'}], 'isError': True})",
            SystemFailedError,
            r"an error of the tool (no\x1b[31m)",
        ),
    ],
)
def test_a_call_that_goes_wrong_is_told_in_time(call: str, kind: type[SystemFailedError], said: str) -> None:
    system = program(f"{SERVER}\ndef call(m):\n    {RETURNED}\n    {call}\nserve(call)")
    for _ in range(2):
        error = failed(system)
        assert isinstance(error, kind)
        assert said in str(error)
    start = time.monotonic()
    system.close()
    assert time.monotonic() - start < 5


def test_a_server_that_dies_for_good_is_started_once_for_each_query(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    code = f"open({str(starts)!r}, 'a').write('x')\n{SERVER}\n"
    code += (
        f"if len(open({str(starts)!r}).read()) > 1: sys.exit('broken for good')\nserve(lambda m: os._exit(9))"
    )
    system = program(code)
    assert "exit code 9" in str(failed(system))
    for count in (2, 3, 4):
        assert "broken for good" in str(failed(system))
        assert starts.read_text() == "x" * count
    system.close()


def test_closing_ends_a_server_that_does_not_want_to_and_its_children(tmp_path: Path) -> None:
    numbers = tmp_path / "numbers"
    code = (
        "import signal, subprocess, sys, os\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "child = subprocess.Popen([sys.executable, '-S', '-c', 'import time; time.sleep(120)'])\n"
        f"open({str(numbers)!r}, 'w').write(f'{{os.getpid()}} {{child.pid}}')\n"
        f"{GOOD}\nimport time; time.sleep(120)"
    )
    system = program(code)
    assert system.search(Query("a")).hits[0].id == "a"
    start = time.monotonic()
    system.close()
    assert time.monotonic() - start < 5
    for number in map(int, numbers.read_text().split()):
        assert ended(number), number


def test_what_the_environment_holds_is_not_in_errors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAW_TOKEN", "t0k3n-0123456789")
    code = "import os, sys; sys.exit('refused ' + os.environ['RAW_TOKEN'])"
    with pytest.raises(RetriableError) as caught:
        program(code, env=["RAW_TOKEN"])
    assert "refused ***" in str(caught.value)
    assert "RAW_TOKEN" in os.environ
