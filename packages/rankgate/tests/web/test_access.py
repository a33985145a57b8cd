"""Who may ask a server of this machine: no page without the token, nothing for other names and origins."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.web.server import LARGEST, Server, SiteAnswer
from support.local_sites import asked, entered

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SECRET = "what only the owner may see"


class _Notes:
    """A site that shows a text and keeps what is posted."""

    def __init__(self) -> None:
        self.taken: list[Mapping[str, Any]] = []

    def answer(self, path: str, query: str) -> SiteAnswer:
        return SiteAnswer(f"{SECRET} {path} {query}".encode())

    def take(self, path: str, body: Mapping[str, Any]) -> SiteAnswer:
        self.taken.append({**body, "path": path})
        return SiteAnswer.of_json({"taken": len(self.taken)})


@pytest.fixture(scope="module")
def shown() -> Iterator[tuple[Server, _Notes]]:
    site = _Notes()
    with Server(site) as found:
        thread = threading.Thread(target=found.serve_forever, args=(0.01,))
        thread.start()
        yield found, site
        found.shutdown()
        thread.join()


@pytest.fixture
def server(shown: tuple[Server, _Notes]) -> Server:
    return shown[0]


@pytest.fixture
def notes(shown: tuple[Server, _Notes]) -> _Notes:
    shown[1].taken.clear()
    return shown[1]


def _own(server: Server) -> dict[str, str | None]:
    """Return the headers of a request that a page of the server sends."""
    return {
        "Cookie": entered(server),
        "Origin": f"http://127.0.0.1:{server.server_port}",
        "Sec-Fetch-Site": "same-origin",
        "Content-Type": "application/json",
    }


def _token(server: Server) -> str:
    return server.url.partition("?token=")[2]


def test_nothing_is_shown_and_nothing_taken_without_the_token(server: Server, notes: _Notes) -> None:
    status, text, _ = asked(server, "/")
    assert status == 403
    assert text == "open the address that rankgate printed: it has the token without which nothing is shown\n"
    refused = asked(server, "/x", method="POST", headers=_own(server) | {"Cookie": None}, body="{}")
    assert (refused[0], notes.taken) == (403, [])


@pytest.mark.parametrize("wrong", ["", "x", "{token}x", "{token}&token={token}", "%C3%A9", "%00", "{TOKEN}"])
def test_a_wrong_token_is_refused(wrong: str, server: Server) -> None:
    token = _token(server)
    made = wrong.replace("{token}", token).replace("{TOKEN}", token.swapcase())
    status, text, headers = asked(server, f"/?token={made}")
    assert (status, "set-cookie" in headers, SECRET in text) == (403, False, False)


@pytest.mark.parametrize(
    "cookie",
    ["rankgate-{port}=x", "rankgate-{port}={token}", "rankgate-1={key}", "x={key}", "rankgate-{port}="],
)
def test_a_wrong_cookie_is_refused(cookie: str, server: Server) -> None:
    key = entered(server).partition("=")[2]
    made = cookie.format(port=server.server_port, token=_token(server), key=key)
    assert asked(server, "/", headers={"Cookie": made})[0] == 403


def test_the_token_is_exchanged_for_a_cookie_that_no_script_and_no_other_site_gets(server: Server) -> None:
    status, text, headers = asked(server, f"/page?token={_token(server)}")
    assert (status, SECRET in text, _token(server) in text) == (200, False, False)
    assert '<meta http-equiv="refresh" content="0;url=/page">' in text
    cookie, *attributes = headers["set-cookie"].split("; ")
    assert attributes == ["Path=/", "HttpOnly", "SameSite=Strict"]
    assert _token(server) not in cookie
    assert asked(server, "/page", headers={"Cookie": f"odd cookie; {cookie}; a=b"})[:2] == (
        200,
        f"{SECRET} /page ",
    )


def test_the_page_after_the_token_leads_nowhere_else(server: Server) -> None:
    for path in ("//evil.test/", "/\\evil.test", "///evil.test"):
        _, text, _ = asked(server, f"{path}?token={_token(server)}")
        assert "url=/evil.test" in text
    assert "<script>" not in asked(server, f"/<script>?token={_token(server)}")[1]


def test_an_address_for_a_browser_works_once(server: Server) -> None:
    # What a program is started with can be seen by every user of the machine.
    path = "/" + server.access.ticket().split("/", 3)[3]
    assert [asked(server, path)[0] for _ in range(2)] == [200, 403]
    assert _token(server) not in path


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.test"},
        {"Host": "evil.test:{port}"},
        {"Origin": "http://evil.test"},
        {"Origin": "null"},
        {"Origin": "http://127.0.0.1:1"},
        {"Origin": "https://127.0.0.1:{port}"},
        {"Origin": "http://127.0.0.1:{port}.evil.test"},
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
    ],
)
def test_other_names_and_origins_are_refused_with_the_cookie(
    headers: dict[str, str], server: Server, notes: _Notes
) -> None:
    foreign = _own(server) | {name: text.format(port=server.server_port) for name, text in headers.items()}
    for method in ("GET", "POST"):
        body = "{}" if method == "POST" else None
        status, text, _ = asked(server, "/", method=method, headers=foreign, body=body)
        assert status in (403, 421)
        assert SECRET not in text
    assert notes.taken == []


def test_what_writes_tells_its_origin(server: Server, notes: _Notes) -> None:
    own = _own(server)
    assert asked(server, "/x", method="POST", headers=own | {"Origin": None}, body="{}")[0] == 403
    own["Host"] = f"localhost:{server.server_port}"
    own["Origin"] = f"http://localhost:{server.server_port}"
    assert asked(server, "/x", method="POST", headers=own, body='{"a": 1}')[1] == '{"taken":1}'
    assert notes.taken == [{"a": 1, "path": "/x"}]


def test_a_link_from_elsewhere_leads_here_and_still_needs_the_cookie(server: Server) -> None:
    link: dict[str, str | None] = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert asked(server, "/", headers=link)[0] == 403
    assert asked(server, "/", headers=link | {"Cookie": entered(server)})[0] == 200
    posted = _own(server) | link
    assert asked(server, "/", method="POST", headers=posted, body="{}")[0] == 403


@pytest.mark.parametrize(
    ("change", "body", "status"),
    [
        ({"Content-Type": "text/plain"}, "{}", 415),
        ({"Content-Type": None}, "{}", 415),
        ({"Content-Type": "application/x-www-form-urlencoded"}, "a=b", 415),
        ({"Content-Length": str(LARGEST + 1)}, "{}", 413),
        ({"Content-Length": "-1"}, "{}", 411),
        ({"Content-Length": "9" * 400}, "{}", 413),
        ({"Transfer-Encoding": "chunked"}, "{}", 411),
        ({}, "[]", 400),
        ({}, "", 400),
        ({}, '{"a": NaN}', 400),
        ({}, "{'a': 1}", 400),
        ({}, b"\xff\xfe", 400),
        ({}, "[" * 60_000, 400),
    ],
)
def test_only_one_small_object_of_json_is_taken(
    change: dict[str, str | None], body: str | bytes, status: int, server: Server, notes: _Notes
) -> None:
    found = asked(server, "/x", method="POST", headers=_own(server) | change, body=body)
    assert (found[0], notes.taken) == (status, [])
    assert asked(server, "/x", method="POST", headers=_own(server), body=json.dumps({"b": 2}))[0] == 200


def test_every_answer_has_a_policy_and_is_kept_nowhere(server: Server) -> None:
    found = [asked(server, "/"), asked(server, "/", headers=_own(server)), asked(server, "/", method="PUT")]
    for _, _, headers in found:
        policy = headers["content-security-policy"]
        for part in ("default-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"):
            assert part in policy
        assert headers["cache-control"] == "no-store"
        assert headers["referrer-policy"] == "no-referrer"
        assert headers["cross-origin-resource-policy"] == "same-origin"
