"""What OpenSearch may answer and does not answer here: a server that says what a test wants it to say."""

from __future__ import annotations

import json
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.errors import InputError, RetriableError, SystemFailedError
from rankgate.model import Query
from rankgate.plugins import exchange_with
from rankgate.systems.adapter.failures import StatusError, TimedOutError
from rankgate.systems.engines.elastic.answers import check_whole
from rankgate.systems.engines.elastic.system import SearchSystem
from rankgate.systems.registry import open_system

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Answer = Callable[[str, str, str], tuple[int, Any]]

SHARDS = {"total": 2, "successful": 2, "skipped": 0, "failed": 0}
NO_HITS = {"timed_out": False, "_shards": SHARDS, "hits": {"hits": []}}
BODY = {"size": "{k}", "query": {"match": {"name": "{query}"}}, "stats": ["${TENANT_TOKEN}"]}
GOODS = {"index": "goods", "body": {"size": "{k}", "query": {"match": {"name": "{query}"}}}}
TOKEN = "tenant-word"


@contextmanager
def serving(answer: Answer) -> Iterator[str]:
    """Answer method, path and body by a function; what opens a system is answered well."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def reply(self) -> None:
            sent = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
            about = {"version": {"number": "2.19.1"}}
            status, content = (200, about) if self.path == "/" else answer(self.command, self.path, sent)
            body = json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json; charset=UTF-8")
            self.send_header("Content-Length", str(len(body)))
            self.send_header("X-Elastic-Product", "Elasticsearch")
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_PUT = do_DELETE = reply  # noqa: N815 - so the library calls them

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}"
        server.shutdown()


def opened(url: str, **options: object) -> SearchSystem:
    system = open_system("app", {"kind": "opensearch", "hosts": [url], **options})
    assert isinstance(system, SearchSystem)
    return system


def echoes(sent: str) -> dict[str, tuple[type[SystemFailedError], int, Any]]:
    """Give answers that hold the whole request, far into a long text, and what each is to be."""
    said = f"{'x' * 350} cannot parse {sent}{'y' * 500}"
    failed = {"total": 2, "successful": 1, "failed": 1, "failures": [{"reason": {"reason": said}}]}
    return {
        "shard": (RetriableError, 200, {**NO_HITS, "_shards": failed}),
        "refused": (StatusError, 400, {"error": {"type": "parsing_exception", "reason": said}}),
        "busy": (RetriableError, 503, {"error": {"type": "x", "reason": said}}),
        "no hits": (SystemFailedError, 200, {"said": said}),
        "a list": (SystemFailedError, 200, [said]),
        "a bad hit": (SystemFailedError, 200, {**NO_HITS, "hits": {"hits": [{"_id": {"a": sent}}]}}),
    }


@pytest.mark.parametrize("which", list(echoes("")))
def test_a_server_that_sends_the_request_back_tells_no_secret(
    which: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TENANT_TOKEN", TOKEN)
    well = [True]

    def answer(_: str, __: str, sent: str) -> tuple[int, Any]:
        return (200, NO_HITS) if well else echoes(sent)[which][1:]

    kind = echoes("")[which][0]
    with serving(answer) as url:
        system = opened(url, index="goods", body=BODY)
        well.clear()
        with pytest.raises(kind) as raised:
            system.search(Query("shoes"))
        shown = exchange_with(system, Query("shoes"))
        with pytest.raises((SystemFailedError, InputError)) as at_once:
            opened(url, index="goods", body=BODY).search(Query("shoes"))
    assert type(raised.value) is kind
    told = (
        str(raised.value),
        *map(str, raised.value.problems),
        str(shown.error),
        shown.raw,
        str(at_once.value),
    )
    assert all("tenant-w" not in one for one in told)
    assert shown.error
    assert len(raised.value.problems[0].found) <= 440
    assert getattr(raised.value, "status", None) == {"refused": 400, "busy": 503}.get(which)


def test_a_token_that_stands_in_a_hit_is_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TENANT_TOKEN", "a-tenant-of-many-words")
    hit = {"_id": "1", "_source": {"text": "for a-tenant-of-many-words alone"}}
    with serving(lambda *_: (200, {**NO_HITS, "hits": {"hits": [hit]}})) as url:
        system = opened(url, index="goods", body=BODY, fields={"id": "_id", "text": "_source.text"})
        assert exchange_with(system, Query("shoes")).ranking.hits[0].text == "for *** alone"


@pytest.mark.parametrize(
    ("lacking", "kind", "said"),
    [
        ({"timed_out": True}, TimedOutError, "timed_out"),
        ({"timed_out": None}, SystemFailedError, "without timed_out"),
        ({"_shards": None}, SystemFailedError, "without _shards"),
        ({"_shards": {"total": 2}}, SystemFailedError, "without _shards"),
        ({"_shards": {**SHARDS, "successful": 1}}, RetriableError, "1 of 2 shards"),
        ({"_shards": {**SHARDS, "failed": 1}}, RetriableError, "1 of 2 shards"),
        ({"_clusters": {"total": 2, "successful": 1, "skipped": 1}}, RetriableError, "1 skipped"),
        ({"_clusters": {"total": 2, "successful": 1, "skipped": 0, "failed": 1}}, RetriableError, "1 failed"),
        ({"_clusters": {"total": 2, "successful": 1, "partial": 1}}, RetriableError, "1 partial"),
        ({"_clusters": {"total": 2, "successful": 2, "running": 1}}, RetriableError, "1 running"),
        ({"_clusters": {"total": 2, "successful": 1}}, RetriableError, "1 without an answer"),
        ({"_clusters": "?"}, RetriableError, "clusters"),
    ],
)
def test_an_answer_that_is_not_whole_or_does_not_say_so_is_refused(
    lacking: dict[str, object], kind: type[SystemFailedError], said: str
) -> None:
    whole = {**NO_HITS, "_clusters": {"total": 1, "successful": 1, "skipped": 0}}
    check_whole(whole, "app")
    with pytest.raises(kind, match=said) as raised:
        check_whole({**whole, **lacking}, "app")
    assert type(raised.value) is kind
    with serving(lambda *_: (200, {**whole, **lacking})) as url:
        body = {key: value for key, value in BODY.items() if key != "stats"}
        assert opened(url, index="goods", body=body, partial=True).search(Query("a")).hits == ()
        with pytest.raises(kind, match="partial = true"):
            opened(url, index="goods", body=body).search(Query("a"))


@pytest.mark.parametrize("kind", ["opensearch", "elasticsearch"])
def test_an_answer_that_is_too_large_is_not_asked_for_again(kind: str) -> None:
    """What is found out below a library comes up inside errors of its own."""
    more: list[str] = []
    with serving(lambda *_: (200, {**NO_HITS, "more": more})) as url:
        system = open_system("app", {"kind": kind, "hosts": [url], **GOODS, "max_body": 1000})
        system.search(Query("shoes"))
        more.append("x" * 2000)
        with pytest.raises(SystemFailedError, match=r"^app: found more than 1,000 bytes") as told:
            system.search(Query("shoes"))
    assert type(told.value) is SystemFailedError


@pytest.mark.parametrize("kind", ["opensearch", "elasticsearch"])
def test_no_log_shows_a_secret_of_the_query_string(
    kind: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("ROUTE_KEY", "s3cr3t-s3cr3t-77")
    caplog.set_level("DEBUG")
    with serving(lambda *_: (503, {})) as url:
        options = {"hosts": [url], **GOODS, "params": {"api_key": "${ROUTE_KEY}"}}
        with pytest.raises(RetriableError):
            open_system("app", {"kind": kind, **options}).search(Query("shoes"))
    assert "s3cr3t" not in caplog.text
