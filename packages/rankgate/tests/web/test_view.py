"""``rankgate view``: real requests to a real server over the results of real tests."""

from __future__ import annotations

import gzip
import html
import http.client
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.evaluation.history import records as history
from rankgate.reports.page.document import Assets
from support.commands import rankgate
from support.local_sites import asked, entered
from support.projects import twice_tested, viewed
from support.written_pages import page_data

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.web.server import Server

ASSETS = Assets(
    '<meta content="{{policy}}"><title>{{title}}</title><style>{{style}}</style>'
    '{{verdict}}<noscript>{{plain}}</noscript><script type="x" id="data">{{data}}</script>'
    '<script type="x" id="parts">{{parts}}</script><script>{{script}}</script>',
    "body {}",
    "1;",
)


@pytest.fixture(scope="module")
def tested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = twice_tested(tmp_path_factory.mktemp("tested") / "project")
    with chdir(folder):
        assert rankgate("test", "--system", "good").code == 0
    return folder


@pytest.fixture
def project(tested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project that was tested: `app` twice, the second time better, and `good` once."""
    folder = shutil.copytree(tested, tmp_path / "project")
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def server(project: Path) -> Iterator[Server]:
    with viewed(project, ASSETS) as found:
        yield found


def _ask(
    server: Server, path: str, *, method: str = "GET", host: str | None = None
) -> tuple[int, str, dict[str, str]]:
    headers = {"Cookie": entered(server), "Host": host}
    if method == "POST":
        headers |= {"Origin": server.access.address.rstrip("/"), "Content-Type": "application/json"}
    return asked(server, path, method=method, headers=headers, body="{}" if method == "POST" else None)


def _records(server: Server) -> dict[str, list[dict[str, Any]]]:
    index = page_data(_ask(server, "/")[1])
    assert index["kind"] == "index"
    return {pair["system"]: pair["records"] for pair in index["suites"]}


def test_the_list_has_every_evaluation_the_latest_first(server: Server) -> None:
    status, text, headers = _ask(server, "/")
    assert status == 200
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert "<title>rankgate: project</title>" in text
    records = _records(server)
    assert [(one["number"], one["mark"]) for one in records["app"]] == [(2, "✅"), (1, "❌")]
    assert [one["number"] for one in records["good"]] == [1]
    (pair,) = [pair for pair in page_data(text)["suites"] if pair["system"] == "app"]
    assert [metric["name"] for metric in pair["metrics"]] == ["ndcg@10", "rr@10"]
    assert [one["shown"][1] for one in records["app"]] == ["1.0000", "0.4167"]


def test_an_evaluation_is_shown_as_it_was(server: Server) -> None:
    latest, first = _records(server)["app"]
    status, text, headers = _ask(server, f"/page/{first['key']}")
    assert status == 200
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    policy = headers["content-security-policy"].split("; ")
    assert {"default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"} <= {*policy}
    assert html.unescape(text.split('content="')[1].split('"')[0]).split("; ") == policy[:-1]
    page = page_data(text)
    assert page["report"]["exit_code"] == 1
    assert [query["query"] for query in page["queries"]][2] == "blockchain"
    assert any("Every 90 days." in one["text"] for one in page["texts"])
    assert page_data(_ask(server, f"/page/{latest['key']}?x=1")[1])["report"]["exit_code"] == 0


def test_any_two_are_compared_query_by_query(server: Server) -> None:
    latest, first = _records(server)["app"]
    status, text, _ = _ask(server, f"/compare/{first['key']}/{latest['key']}")
    assert status == 200
    page = page_data(text)
    assert page["kind"] == "comparison"
    (comparison,) = page["reports"]
    assert comparison["before"].startswith("app #1")
    assert comparison["after"].startswith("app #2")
    assert comparison["compared"] == "3 queries compared"
    by_name = {row["metric"]: row for row in comparison["rows"]}
    assert (by_name["rr@10"]["before"], by_name["rr@10"]["after"]) == ("0.4167", "1.0000")
    assert (by_name["rr@10"]["worse"], by_name["rr@10"]["better"], by_name["rr@10"]["same"]) == (0, 2, 0)
    moved = {one["first"]: one for one in comparison["moved"]}["first relevant: 2 → 1"]
    (revoke,) = [query for query in page["asked"] if query["case"] == moved["case"]]
    before, after = revoke["answers"]
    assert (before["first"], after["first"]) == (2, 1)
    assert before["hits"][0]["location"] == "keys.md:3-5"
    assert moved["difference"] == "+0.3691"
    turned = page_data(_ask(server, f"/compare/{latest['key']}/{first['key']}")[1])
    assert turned["reports"][0]["moved"][0]["mark"] == "❌"


def test_two_systems_of_one_suite_are_compared(server: Server) -> None:
    records = _records(server)
    status, text, _ = _ask(server, f"/compare/{records['app'][1]['key']}/{records['good'][0]['key']}")
    assert status == 200
    page = page_data(text)
    assert [(one["name"], one["address"]) for one in page["systems"]] == [
        ("app", f"/page/{records['app'][1]['key']}"),
        ("good", f"/page/{records['good'][0]['key']}"),
    ]


def test_a_query_that_was_changed_meanwhile_is_left_out(project: Path, server: Server) -> None:
    suite = (project / "search.yaml").read_text()
    (project / "search.yaml").write_text(suite.replace("keys.md#Revocation", "keys.md#Rotation"))
    rankgate("test")
    latest, _, first = _records(server)["app"]
    page = page_data(_ask(server, f"/compare/{first['key']}/{latest['key']}")[1])
    (comparison,) = page["reports"]
    assert "1 left out" in comparison["compared"]
    assert len(page["asked"]) == 2
    assert any("another suite" in note for note in comparison["notes"])


@pytest.mark.parametrize(
    "path",
    [
        "/../../../../etc/passwd",
        "/..%2f..%2f..%2fetc%2fpasswd",
        "//etc/passwd",
        "/page/../../search.yaml",
        "/page/",
        "/page/0000000000000000",
        "/page/" + "a" * 60_000,
        "/page/%00",
        "/compare/0000000000000000/0000000000000000",
        "/search/app/report.html",
        "/history.jsonl",
        "http://evil.test/",
        "*",
        "/<script>alert(1)</script>",
        "/page/0000000000000000/",
    ],
)
def test_no_path_of_a_request_is_opened(path: str, server: Server) -> None:
    status, body, headers = _ask(server, path)
    assert status == 404
    assert headers["content-type"] == "text/plain; charset=utf-8"
    assert body == "nothing is here: the list of evaluations is at /\n"


@pytest.mark.parametrize(
    "host",
    [
        "evil.test",
        "evil.test:{port}",
        "127.0.0.1",
        "localhost:1",
        "",
        "127.0.0.1:{port}.evil.test",
        "[::1]:{port}",
    ],
)
def test_another_name_for_this_machine_is_refused(host: str, server: Server) -> None:
    status, body, _ = _ask(server, "/", host=host.format(port=server.server_port))
    assert status == 421
    assert "kind" not in body
    assert _ask(server, "/", host=f"localhost:{server.server_port}")[0] == 200


@pytest.mark.parametrize(
    "method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "CONNECT", "X<script>"]
)
def test_nothing_but_get_is_answered(method: str, server: Server) -> None:
    status, body, headers = _ask(server, "/", method=method)
    assert status == 405
    assert headers["allow"] == "GET"
    assert body == "only GET is answered\n"


def test_head_is_refused_without_a_body(server: Server) -> None:
    assert _ask(server, "/", method="HEAD")[:2] == (405, "")


@pytest.mark.parametrize(
    "sent",
    [
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nHost: evil.test\r\n\r\n",
        b"\x00\xff\xfe\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: 127.0.0.1:PORT\r\n\r\n",
        b"GET /" + b"a" * 70_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 300 + b"\r\n",
    ],
)
def test_what_is_no_proper_request_is_refused_and_the_server_goes_on(sent: bytes, server: Server) -> None:
    with socket.create_connection(("127.0.0.1", server.server_port), timeout=30) as connection:
        connection.sendall(sent.replace(b"PORT", str(server.server_port).encode()))
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while part := connection.recv(65536):
                answer += part
        except ConnectionResetError:
            pass
    assert b"200 OK" not in answer
    assert b"evil.test" not in answer
    assert _ask(server, "/")[0] == 200


def test_many_requests_at_once_all_get_their_page(server: Server) -> None:
    latest, first = _records(server)["app"]
    paths = ["/", f"/page/{first['key']}", f"/compare/{first['key']}/{latest['key']}", "/nothing"] * 15
    with ThreadPoolExecutor(20) as pool:
        answers = list(pool.map(lambda path: _ask(server, path), paths))
    assert [status for status, _, _ in answers] == [200, 200, 200, 404] * 15
    assert len({body for status, body, _ in answers if status == 200}) == 3


def test_it_listens_on_this_machine_alone(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.url.startswith(f"http://127.0.0.1:{server.server_port}/?token=")


def test_a_damaged_page_is_refused_in_words(project: Path, server: Server) -> None:
    latest, first = _records(server)["app"]
    (project / ".rankgate/search/app/pages/000001.json.gz").write_bytes(gzip.compress(b'{"schema": 1}'))
    status, body, _ = _ask(server, f"/compare/{first['key']}/{latest['key']}")
    assert status == 500
    assert body.startswith("this page cannot be shown: ")
    (project / ".rankgate/search/app/pages/000001.json.gz").write_bytes(b"\x1f\x8bgarbage")
    assert _ask(server, f"/page/{first['key']}")[0] == 500
    assert _ask(server, f"/page/{latest['key']}")[0] == 200


def test_pages_are_bounded_and_what_was_removed_is_counted(
    project: Path, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "KEPT", 3)
    monkeypatch.setattr(history, "RECORDS", 4)
    for _ in range(3):
        rankgate("test")
    folder = project / ".rankgate/search/app"
    assert sorted(path.name for path in (folder / "pages").iterdir()) == [
        "000003.json.gz", "000004.json.gz", "000005.json.gz",
    ]  # fmt: skip
    records = _records(server)["app"]
    assert [(one["number"], one["kept"]) for one in records] == [(5, True), (4, True), (3, True), (2, False)]
    (pair,) = [pair for pair in page_data(_ask(server, "/")[1])["suites"] if pair["system"] == "app"]
    assert pair["notes"] == [
        "1 evaluation of long ago forgotten, to make room",
        "the pages of 1 evaluation removed, to make room",
    ]
    assert _ask(server, f"/page/{records[3]['key']}")[:2] == (
        410, "the page of this evaluation was removed to make room\n",
    )  # fmt: skip


def test_lines_of_the_history_that_cannot_be_read_are_counted_and_kept(project: Path, server: Server) -> None:
    path = project / ".rankgate/search/app/history.jsonl"
    path.write_bytes(b'nonsense\n\xff\xfe\n[]\n{"number": -1}\n' + b"[" * 100_000 + b"\n" + path.read_bytes())
    rankgate("test")
    assert [one["number"] for one in _records(server)["app"]] == [3, 2, 1]
    (pair,) = [pair for pair in page_data(_ask(server, "/")[1])["suites"] if pair["system"] == "app"]
    assert pair["notes"] == ["5 lines of history.jsonl could not be read"]


def test_records_carry_the_commit_and_whether_files_were_changed(project: Path, server: Server) -> None:
    quiet = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull}

    def git(*words: str) -> str:
        done = subprocess.run(
            ["git", "-c", "user.name=a", "-c", "user.email=a@example.org", *words],
            cwd=project, env=quiet, capture_output=True, text=True, check=True,
        )  # fmt: skip
        return done.stdout.strip()

    assert [one["commit"] for one in _records(server)["app"]] == ["", ""]
    git("init", "--quiet")
    git("add", "--all")
    git("commit", "--quiet", "--message", "first")
    rankgate("test")
    (project / "app.py").write_text((project / "app.py").read_text() + "\n# changed\n")
    rankgate("test")
    name = git("rev-parse", "HEAD")[:10]
    assert [one["commit"] for one in _records(server)["app"]] == [f"{name}+", name, "", ""]


def test_a_folder_without_evaluations_is_refused(tmp_path: Path) -> None:
    assert "run `rankgate test`" in rankgate("view", tmp_path, "--no-browser").refused()


def test_a_port_that_is_taken_is_refused(project: Path, server: Server) -> None:
    told = rankgate("view", project, "--no-browser", "--port", str(server.server_port)).refused()
    assert "--port" in told


@pytest.mark.skipif(os.name != "posix", reason="sends an interrupt as a terminal does")
def test_the_command_serves_until_it_is_interrupted(project: Path) -> None:
    command = [sys.executable, "-m", "rankgate", "view", "--no-browser"]
    with subprocess.Popen(command, cwd=project, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        line = process.stdout.readline()
        found = re.match(r"http://127\.0\.0\.1:(\d+)(/\?token=\S+) shows .*; Ctrl\+C ends it", line)
        assert found, line
        for path, status in (("/", 403), (found[2], 200)):
            connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
            connection.request("GET", path)
            assert connection.getresponse().status == status
        process.send_signal(signal.SIGINT)
        assert process.wait(30) == 0
