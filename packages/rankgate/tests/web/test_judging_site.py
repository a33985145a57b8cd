"""The site on which passages are judged: real requests to a real server, and what the log has afterwards."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from rankgate.judging.session.documents import NoDocuments
from rankgate.judging.units import JudgingUnit
from rankgate.truth.judgments.labels import Label, read_labels
from rankgate.web.judging import judging_assets
from support.judging_pages import HANDBOOK, handbook_units, served, session_in
from support.local_sites import asked, entered

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.web.server import Server

UNITS = handbook_units(12)
_PASSAGE = {
    "number", "query", "location", "lines", "outline", "contents", "markdown", "start", "end", "first",
    "last", "shown", "label", "alternatives",
}  # fmt: skip


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    with served(session_in(tmp_path, UNITS)) as found:
        yield found


def get(server: Server, path: str) -> Any:
    status, text, _ = asked(server, path, headers={"Cookie": entered(server)})
    assert status == 200, text
    return json.loads(text)


def post(server: Server, body: object, path: str = "/judgments") -> tuple[int, str]:
    headers = {
        "Cookie": entered(server),
        "Origin": f"http://127.0.0.1:{server.server_port}",
        "Content-Type": "application/json",
    }
    return asked(server, path, method="POST", headers=headers, body=json.dumps(body))[:2]


def written(folder: Path) -> tuple[Label, ...]:
    return read_labels(folder / "handbook.yaml").each


def test_the_page_runs_its_own_script_and_speaks_to_this_server_alone(server: Server) -> None:
    status, text, headers = asked(server, "/", headers={"Cookie": entered(server)})
    assert status == 200
    assert "<title>Judge handbook</title>" in text
    policy = dict(part.split(" ", 1) for part in headers["content-security-policy"].split("; "))
    assert policy["default-src"] == policy["base-uri"] == policy["form-action"] == "'none'"
    assert policy["frame-ancestors"] == "'none'"
    assert policy["connect-src"] == "'self'"
    for name in ("script-src", "style-src"):
        assert policy[name].startswith("'sha256-")
        assert "unsafe" not in policy[name]
    assert " on" + "click=" not in text
    assert "http" not in judging_assets().script.replace("http://www.w3.org/2000/svg", "")


def test_the_first_passages_come_with_the_scale_and_nothing_of_who_found_them(server: Server) -> None:
    state = get(server, "/state")
    assert set(state) == {"title", "judge", "grades", "guidelines", "progress", "current", "next"}
    assert state["grades"][0] == {"grade": 0, "name": "not relevant"}
    assert (state["current"]["number"], state["next"]["number"]) == (0, 1)
    assert set(state["current"]) == _PASSAGE
    assert state["current"]["query"] == UNITS[0].query
    assert state["progress"]["words"] == "12 passages remain"


def test_a_passage_stands_in_its_context_up_to_the_whole_file(server: Server) -> None:
    passage = get(server, "/state")["current"]
    unit = UNITS[0]
    lines = (HANDBOOK / str(unit.path)).read_text().splitlines()
    assert (passage["start"], passage["end"], passage["last"]) == (unit.start, unit.end, len(lines))
    shown = {line["n"]: line["t"] for line in passage["shown"]}
    assert {*range(passage["start"], passage["end"] + 1)} < {*shown}
    found: dict[int, str] = {}
    while len(found) < len(lines):
        part = get(server, f"/lines?passage=0&from={len(found) + 1}&to={len(lines)}")["lines"]
        assert 0 < len(part) <= 200
        found |= {line["n"]: line["t"] for line in part}
    assert list(found.values()) == lines
    assert get(server, "/lines?passage=0&from=99999&to=100000")["lines"] == []


def test_a_judgment_is_on_the_disk_when_it_is_answered_and_the_one_after_comes_with_it(
    server: Server, tmp_path: Path
) -> None:
    body = {"passage": 0, "said": "grade", "grade": 2, "comment": "because", "showing": 1}
    status, text = post(server, body)
    assert status == 200
    (label,) = written(tmp_path)
    assert (label.unit, label.grade, label.comment) == (UNITS[0].key, 2.0, "because")
    answer = json.loads(text)
    assert answer["next"]["number"] == 2
    assert answer["progress"]["judged"] == 1
    assert get(server, "/state")["current"]["number"] == 1
    back = get(server, "/before")["passage"]
    assert (back["number"], back["label"]["grade"]) == (0, 2.0)
    assert get(server, "/before?passage=0")["passage"] is None


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"passage": 0},
        {"passage": 0, "said": "grade"},
        {"passage": 0, "said": "grade", "grade": 4},
        {"passage": 0, "said": "grade", "grade": 1.5},
        {"passage": 0, "said": "grade", "grade": True},
        {"passage": 0, "said": "grade", "grade": "1"},
        {"passage": 12, "said": "grade", "grade": 1},
        {"passage": -1, "said": "grade", "grade": 1},
        {"passage": "0", "said": "grade", "grade": 1},
        {"passage": 0, "said": "love", "grade": 1},
        {"passage": 0, "said": "grade", "grade": 1, "judge": "bob"},
        {"passage": 0, "said": "grade", "grade": 1, "at": "../../etc/passwd"},
        {"passage": 0, "said": "grade", "grade": 1, "better": [1]},
        {"passage": 0, "said": "grade", "grade": 1, "better": [0, 3]},
        {"passage": 0, "said": "grade", "grade": 1, "better": [1, 100000]},
        {"passage": 0, "said": "grade", "grade": 1, "alternative": "elsewhere.md:1-2"},
        {"passage": 0, "said": "grade", "grade": 1, "comment": "x" * 10_001},
        {"passage": 0, "said": "grade", "grade": 1, "showing": 99},
    ],
)
def test_what_is_no_judgment_is_refused_in_words_and_not_written(
    body: dict[str, object], server: Server, tmp_path: Path
) -> None:
    status, text = post(server, body)
    assert status == 400
    assert text.strip()
    assert written(tmp_path) == ()


def test_no_get_changes_anything(server: Server, tmp_path: Path) -> None:
    cookie = {"Cookie": entered(server)}
    for path in ("/judgments", "/judgments?passage=0&said=grade&grade=1", "/again"):
        assert asked(server, path, headers=cookie)[0] == 404
    for path in ("/", "/state", "/before", "/lines?passage=0"):
        assert asked(server, path, headers=cookie)[0] == 200
    assert written(tmp_path) == ()
    assert not (tmp_path / "judgments").exists()


@pytest.mark.parametrize(
    "path",
    ["/lines", "/lines?passage=x", "/lines?passage=-1", "/lines?passage=99", "/before?passage=99", "/lines?a",
     "/lines?passage=0&from=" + "9" * 5000, "/lines?" + "a=1&" * 20],
)  # fmt: skip
def test_an_odd_question_is_refused(path: str, server: Server) -> None:
    status, text, _ = asked(server, path, headers={"Cookie": entered(server)})
    assert status == 400 or json.loads(text)["lines"] is not None
    assert asked(server, "/state", headers={"Cookie": entered(server)})[0] == 200


def test_nothing_is_judged_without_the_token_or_from_elsewhere(server: Server, tmp_path: Path) -> None:
    body = json.dumps({"passage": 0, "said": "grade", "grade": 1})
    good = {
        "Cookie": entered(server),
        "Origin": f"http://127.0.0.1:{server.server_port}",
        "Content-Type": "application/json",
    }
    for bad in (
        {"Cookie": None}, {"Cookie": "rankgate=1"}, {"Origin": "http://evil.test"}, {"Origin": None},
        {"Host": f"evil.test:{server.server_port}"}, {"Content-Type": "text/plain"},
    ):  # fmt: skip
        status, _, _ = asked(server, "/judgments", method="POST", headers={**good, **bad}, body=body)
        assert status in (403, 415, 421)
    assert written(tmp_path) == ()
    assert asked(server, "/judgments", method="POST", headers=good, body=body)[0] == 200


def test_what_cannot_be_written_is_told_and_can_be_sent_again(server: Server, tmp_path: Path) -> None:
    (tmp_path / "judgments").write_text("a file where the folder should be")
    status, text = post(server, {"passage": 0, "said": "grade", "grade": 1})
    assert status == 500
    assert text.startswith("the log cannot be written: ")
    (tmp_path / "judgments").unlink()
    assert post(server, {"passage": 0, "said": "grade", "grade": 1})[0] == 200
    assert len(written(tmp_path)) == 1


def test_skipped_passages_come_again_when_they_are_asked_for(server: Server) -> None:
    for number in range(12):
        said = {"said": "skip"} if number == 3 else {"said": "grade", "grade": 0}
        status, text = post(server, {"passage": number, **said})
        assert status == 200
    assert json.loads(text)["next"] is None
    assert json.loads(post(server, {}, "/again")[1])["current"]["number"] == 3
    assert post(server, {"x": 1}, "/again")[0] == 404


HOSTILE = "<script>alert(1)</script>\x1b[31m\u202egnp.exe\x00 <img src=x onerror=alert(1)>"


def test_hostile_texts_are_shown_as_what_they_are(tmp_path: Path) -> None:
    text = f"{HOSTILE}\n{'x' * 300_000}\r\n</script>\u2028\u2066\n"
    unit = JudgingUnit("c\x1b", HOSTILE, "a\u202eb.html:1-3", "a\u202eb.html", 1, 3, text, (HOSTILE,))
    with served(session_in(tmp_path, [unit], documents=NoDocuments())) as server:
        raw = asked(server, "/state", headers={"Cookie": entered(server)})[1]
        state = json.loads(raw)
        passage = state["current"]
        strings = [passage["query"], passage["location"], *passage["outline"]]
        strings += [line["t"] for line in passage["shown"]]
        assert all(one.isprintable() for one in strings)
        assert passage["query"].startswith("<script>alert(1)</script>\\x1b[31m\\u202e")
        assert len(raw) < 20_000
        assert passage["shown"][1] == {"n": 2, "t": "x" * 2000, "more": 298_000}
        assert passage["shown"][2]["t"] == "</script>\\u2028\\u2066"
        assert post(server, {"passage": 0, "said": "grade", "grade": 1})[0] == 200
    (label,) = written(tmp_path)
    assert label.query == HOSTILE
    assert label.at == "a\u202eb.html:1-3"
