"""Issue 21, found 4: the command that reports print for a query asks exactly what the test asked of it."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.written_pages import page_data

if TYPE_CHECKING:
    from pathlib import Path

KEYS = (
    "# Keys\n\n## Rotation\n\nEvery 90 days.\n\n## Revocation\n\nEnd a leaked key at once.\nTell the team.\n"
)
SUITE = """\
corpus: docs
metrics: [ndcg@20]
cases:
  - query: end a leaked key
    filters: {lang: [py, go], team: core}
    at: {keys.md#Revocation: 3, "lease.py::Manager": 1}
  - query: nothing like it
    name: none
    expect: empty
"""
LEASE_PY = '"""Leases."""\n\n\nclass Manager:\n    """Renews."""\n\n    def renew(self):\n        return 1\n'
APP = """\
import json
def search(query, k, filters):
    with open("asked.jsonl", "a") as log:
        log.write(json.dumps([query, k, filters]) + "\\n")
    if "nothing" in query:
        return []
    return ["keys.md:3-5", "keys.md:9-9", "keys.md:10-10", "lease.py:7-8", {"path": "sso.md"}]
"""
CONFIGURATION = 'suites = ["search.yaml"]\n[systems.app]\nfunction = "./app.py:search"\n'


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    files = {
        "docs/keys.md": KEYS,
        "docs/lease.py": LEASE_PY,
        "search.yaml": SUITE,
        "app.py": APP,
        "rankgate.toml": CONFIGURATION,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _asked(project: Path) -> list[object]:
    return [json.loads(line) for line in (project / "asked.jsonl").read_text().splitlines()]


def _command(project: Path, case: str) -> list[str]:
    page = (project / ".rankgate/search/app/report.html").read_text(encoding="utf-8")
    queries = page_data(page)["queries"]
    (command,) = [query["ask"] for query in queries if query["case"] == case]
    return shlex.split(command)


def test_the_printed_command_asks_query_filters_and_k_of_the_test(project: Path) -> None:
    rankgate("test", "--follow-ups", "0")
    first = _asked(project)[0]
    assert first == ["end a leaked key", 20, {"lang": ["py", "go"], "team": "core"}]
    (project / "asked.jsonl").unlink()
    command = _command(project, "end-a-leaked-key")
    assert command == ["rankgate", "ask", "app", "--case", "end-a-leaked-key"]
    rankgate(*command[1:]).printed()
    assert _asked(project) == [first]


def test_the_printed_command_has_the_k_that_the_test_was_given(project: Path) -> None:
    rankgate("test", "--follow-ups", "0", "--k", "30")
    first = _asked(project)[0]
    (project / "asked.jsonl").unlink()
    rankgate(*_command(project, "end-a-leaked-key")[1:]).printed()
    assert _asked(project) == [first]
    assert first[1] == 30  # type: ignore[index]


def test_what_is_expected_and_returned_match_by_eye_and_repeats_are_told(project: Path) -> None:
    assert rankgate("ask", "app", "--case", "end-a-leaked-key").printed().splitlines() == [
        "end a leaked key",
        "  end-a-leaked-key, search.yaml:4",
        "  asked app for 20 hits, with lang=py|go, team=core; first relevant: rank 2",
        "expected",
        "  ✅ keys.md:7-10 › Revocation (grade 3)  rank 2",
        "  ✅ lease.py:4-8 › Manager (grade 1)     rank 4",
        "returned, 5 hits",
        "    1 keys.md:3-5 › Rotation",
        "    2 keys.md:9 › Revocation        ✅ grade 3",
        "    3 keys.md:10 › Revocation       ✅ again",
        "    4 lease.py:7-8 › Manager.renew  ✅ grade 1",
        "    5 sso.md (not in the corpus)",
        "scores",
        "  ndcg@20 0.6399",
        "mapping",
        "  locations: 4 at exact locations, 1 in no file of the corpus; 4 by id",
        "the request and the raw answer: rankgate ask app --case end-a-leaked-key --raw",
    ]


def test_the_raw_answer_is_shown_on_request_and_whole(project: Path) -> None:
    plain = rankgate("ask", "app", "--case", "end-a-leaked-key").printed()
    raw = rankgate("ask", "app", "--case", "end-a-leaked-key", "--raw").printed()
    assert "answer, as it came" not in plain
    assert "answer, as it came" in raw
    assert "'sso.md'" in raw.partition("answer, as it came")[2].partition("expected")[0]


def test_a_case_that_expects_nothing_says_so(project: Path) -> None:
    said = rankgate("ask", "app", "--case", "none").printed()
    assert "expected\n  no result\nreturned, 0 hits\n" in said


def test_an_unknown_case_names_those_that_are_near(project: Path) -> None:
    assert "end-a-leaked-key" in rankgate("ask", "app", "--case", "end-a-leeked-key").refused()


def test_a_case_of_several_suites_wants_the_suite(project: Path) -> None:
    (project / "other.yaml").write_text(SUITE)
    (project / "rankgate.toml").write_text(CONFIGURATION.replace('"]', '", "other.yaml"]', 1))
    assert "search.yaml, other.yaml" in rankgate("ask", "app", "--case", "none").refused()
    said = rankgate("ask", "app", "--case", "none", "--suite", "other.yaml").printed()
    assert said.splitlines()[-1].endswith("rankgate ask app --suite other.yaml --case none --raw")


@pytest.mark.parametrize("words", [(), ("a query", "--case", "none"), ("--case", "none", "--save-case")])
def test_a_query_or_a_case_is_asked(project: Path, words: tuple[str, ...]) -> None:
    rankgate("ask", "app", *words).refused()


def test_an_error_of_the_system_is_exit_3(project: Path) -> None:
    (project / "app.py").write_text("def search(query, k, filters):\n    raise RuntimeError('down')\n")
    done = rankgate("ask", "app", "--case", "end-a-leaked-key")
    assert done.code == 3
    assert "RuntimeError: down" in done.out
