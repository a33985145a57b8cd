"""``rankgate suite update`` in a project: shown, accepted, read one by one, refused."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from rankgate.suites.native import read_native
from support.commands import rankgate
from support.review_projects import SUITE, at_home, latest_test, write_reviewed_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

_WHEN = re.compile(r"\d{4}-\d\d-\d\dT[\d:]+\+00:00")
XFAIL = "    xfail: {reason: no synonyms, until: 2099-01-01}  # soon\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    at_home(write_reviewed_project(tmp_path), monkeypatch)
    return tmp_path


@pytest.fixture
def tested_project(project: Path) -> Path:
    assert latest_test().code == 1
    return project


def suite_text(folder: Path) -> str:
    return (folder / "search.yaml").read_bytes().decode()


def test_everything_is_shown_and_nothing_is_written(
    tested_project: Path, golden: Callable[[str, str], None]
) -> None:
    shown = rankgate("suite", "update").printed()
    golden("suite_update", _WHEN.sub("…", shown))
    assert suite_text(tested_project) == SUITE


def test_check_exits_with_1_where_there_is_something_and_works_in_ci(
    tested_project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "yes")
    assert rankgate("suite", "update", "--check").code == 1
    assert rankgate("suite", "update", "--check", "--only", "revoke-a-leaked-key").code == 0
    rankgate("suite", "update").printed()


def test_one_category_is_accepted_and_every_other_byte_stays(tested_project: Path) -> None:
    said = rankgate("suite", "update", "--accept", "fix").printed()
    assert suite_text(tested_project) == SUITE.replace(XFAIL, "")
    assert "search.yaml written: 1 change" in said


def test_accepted_targets_of_the_engine_are_unreviewed_and_the_gates_do_not_count_them(
    tested_project: Path,
) -> None:
    rankgate("suite", "update", "--accept", "create").printed()
    case = next(
        case for case in read_native(tested_project / "search.yaml").cases if case.id == "rotate-keys"
    )
    assert {(target.source, target.reviewed) for target in case.targets} == {("proposed by app", True)}
    before = SUITE.splitlines()
    assert [line for line in suite_text(tested_project).splitlines() if line not in before] == [
        "    at: [keys.md:3-5, keys.md:6-7, webhooks.md:3-4]",
        "    source: proposed by app",
    ]


def test_several_categories_are_accepted_together(tested_project: Path) -> None:
    rankgate("suite", "update", "--accept", "fix", "--accept", "trim").printed()
    expected = SUITE.replace(XFAIL, "")
    expected = expected.replace(
        "  - name: again\n    query: revoke a leaked key\n    at: keys.md#Revocation\n", ""
    )
    expected = expected.replace('      -   {at: "keys.md:3-4", source: proposed by app}\n', "")
    assert suite_text(tested_project) == expected


def test_one_case_alone_is_accepted(tested_project: Path) -> None:
    assert (
        "nothing to trim" in rankgate("suite", "update", "--only", "blockchain", "--accept", "trim").printed()
    )
    assert suite_text(tested_project) == SUITE
    rankgate("suite", "update", "--accept", "trim", "--only", "how-often").printed()
    assert [case.id for case in read_native(tested_project / "search.yaml").cases].count("again") == 1
    assert suite_text(tested_project).count("keys.md:3-4") == 1


def test_after_a_change_of_judgments_the_answers_are_taken_again(tested_project: Path) -> None:
    rankgate("suite", "update", "--accept", "trim").printed()
    before = rankgate("suite", "update").printed()
    latest_test()
    after = rankgate("suite", "update").printed()
    assert before.split("\n")[1:] == after.split("\n")[1:]


def test_after_a_change_of_a_query_the_suite_must_be_tested_again(tested_project: Path) -> None:
    suite = tested_project / "search.yaml"
    suite.write_text(
        suite.read_text().replace("query: blockchain", "query: block chain\n    name: blockchain")
    )
    said = rankgate("suite", "update").refused()
    assert "the query 'blockchain' was 'blockchain' and is 'block chain'" in said
    assert "rankgate test search.yaml --system app" in said
    latest_test()
    rankgate("suite", "update").printed()


def test_a_saved_first_hit_gets_the_next_ones_beside_it(project: Path) -> None:
    rankgate("query", "app", "how to rotate", "--save-case", "--suite", "search.yaml").printed()
    saved = suite_text(project)
    latest_test()
    rankgate("suite", "update", "--accept", "create", "--only", "how-to-rotate").printed()
    was, now = "    at: keys.md#Rotation\n", "    at: [keys.md#Rotation, keys.md:6-7, webhooks.md:3-4]\n"
    assert saved.count(was) == 1
    assert suite_text(project) == saved.replace(was, now)
    case = read_native(project / "search.yaml").cases[-1]
    assert {(target.source, target.reviewed) for target in case.targets} == {("proposed", True)}


def test_a_run_in_a_folder_stands_in_for_the_latest_test(project: Path) -> None:
    rankgate("run", "search.yaml", "--system", "app", "--output", "answers")
    shown = rankgate("suite", "update", "--run", "answers").printed()
    assert "4 changes proposed (1 create, 1 fix, 2 trim)" in shown
    assert rankgate("suite", "update", "--run", "answers", "--accept", "fix").code == 0
    assert suite_text(project) == SUITE.replace(XFAIL, "")


def test_there_is_no_way_to_accept_everything_unread(tested_project: Path) -> None:
    done = rankgate("suite", "update", "--accept", "all")
    assert done.code == 2
    assert suite_text(tested_project) == SUITE


@pytest.mark.parametrize("way", [("--accept", "fix"), ("--interactive",)])
@pytest.mark.parametrize("name", ["CI", "GITHUB_ACTIONS"])
def test_ci_is_refused(
    tested_project: Path, monkeypatch: pytest.MonkeyPatch, name: str, way: tuple[str, ...]
) -> None:
    monkeypatch.setenv(name, "yes")
    assert f"in CI ({name} is set)" in rankgate("suite", "update", *way).refused()
    assert suite_text(tested_project) == SUITE


def test_two_ways_at_once_and_no_terminal_are_refused(tested_project: Path) -> None:
    assert "found several of them" in rankgate("suite", "update", "--check", "--accept", "fix").refused()
    assert "without a terminal" in rankgate("suite", "update", "--interactive").refused()
    assert "did you mean how-often" in rankgate("suite", "update", "--only", "how-oftn").refused()


def test_a_suite_that_was_not_tested_is_refused_with_the_command(project: Path) -> None:
    assert "rankgate test search.yaml --system app" in rankgate("suite", "update").refused()


def test_a_part_of_a_run_and_a_run_with_errors_are_refused(project: Path) -> None:
    rankgate("run", "search.yaml", "--system", "app", "--shard", "1/2", "--output", "part")
    said = rankgate("suite", "update", "--run", "part", "--accept", "create").refused()
    assert "part 1/2 of a run" in said
    latest_test("--system", "down")
    said = rankgate("suite", "update", "--system", "down", "--accept", "create").refused()
    assert "1 query that the system failed to answer" in said
    assert suite_text(project) == SUITE


def test_a_corpus_that_changed_since_the_test_is_refused(tested_project: Path) -> None:
    with (tested_project / "docs" / "webhooks.md").open("a") as file:
        file.write("more\n")
    assert "another state of the corpus" in rankgate("suite", "update").refused()


@pytest.mark.usefixtures("project")
def test_other_formats_are_refused_with_what_to_do() -> None:
    rankgate("suite", "convert", "search.yaml", "search.jsonl")
    assert "rankgate suite convert" in rankgate("suite", "update", "search.jsonl").refused()


def test_suite_update_repairs_missing_targets(project: Path) -> None:
    assert rankgate("suite", "fix", "search.yaml", "--yes").code == 0
    docs = project / "docs"
    (docs / "keys.md").rename(docs / "secrets.md")
    (docs / "old.md").unlink()
    tested = latest_test()
    assert tested.code == 2
    assert "rankgate suite fix" in " ".join(tested.out.split())
    rankgate("suite", "update", "--accept", "fix", "--accept", "trim").printed()
    text = suite_text(project)
    assert "at: secrets.md#Revocation    # read by Ann" in text
    assert "at: [webhooks.md:3-4   # the section\n         ]" in text
    assert latest_test().code == 1
    assert rankgate("suite", "lint", "search.yaml").code == 0


def test_crlf_and_a_byte_order_mark_stay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\ufeff" + SUITE.replace("\n", "\r\n")
    at_home(write_reviewed_project(tmp_path, text), monkeypatch)
    latest_test()
    rankgate("suite", "update", "--accept", "fix").printed()
    assert suite_text(tmp_path) == text.replace(XFAIL.replace("\n", "\r\n"), "")


class Terminal:
    """A command in a terminal of its own, and a person who reads and types."""

    def __init__(self, folder: Path, *args: str) -> None:
        self.seen = ""
        mine, theirs = pty.openpty()
        self._end = mine
        env = {name: value for name, value in os.environ.items() if name not in ("CI", "COLUMNS")}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "rankgate", *args],
            cwd=folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env=env,
        )
        os.close(theirs)

    def reads(self, words: str) -> str:
        """Wait until words are shown, and give what came up to them."""
        deadline = time.monotonic() + 60
        while words not in self.seen:
            ready, _, _ = select.select([self._end], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{words!r} did not come; shown was\n{self.seen}"
            self.seen += self._read()
        shown, _, self.seen = self.seen.partition(words)
        return shown.replace("\r\n", "\n")

    def types(self, words: str) -> None:
        os.write(self._end, f"{words}\n".encode())

    def ends(self) -> tuple[int, str]:
        """Wait until the command ends, and give its exit code and the rest of what it showed."""
        while part := self._read():
            self.seen += part
        code = self._process.wait(60)
        os.close(self._end)
        return code, self.seen.replace("\r\n", "\n")

    def _read(self) -> str:
        try:
            return os.read(self._end, 65536).decode()
        except OSError:  # the other end was closed
            return ""


ASKED = "[a]ccept, [s]kip, [q]uit: "


def test_a_person_reads_each_change_with_its_source_and_writes_what_they_accepted(
    tested_project: Path,
) -> None:
    person = Terminal(tested_project, "suite", "update", "--interactive")
    first = person.reads(ASKED)
    assert first.startswith("1 of 4, create: rotate-keys\n  query: rotate keys\n")
    assert (
        "  keys.md:3-5\n      1  # Keys\n      2\n    > 3  ## Rotation\n    > 4  Every 90 days.\n    > 5\n"
        in first
    )
    assert "+    at: [keys.md:3-5, keys.md:6-7, webhooks.md:3-4]\n" in first
    person.types("s")
    second = person.reads(ASKED)
    assert "2 of 4, fix: what-happens-to-failed-deliveries" in second
    assert "-    xfail: {reason: no synonyms" in second
    person.types("what?")  # no answer, so that it is asked again
    person.reads(ASKED)
    person.types("a")
    assert "3 of 4, trim: again" in person.reads(ASKED)
    assert suite_text(tested_project) == SUITE
    person.types("q")
    person.reads("write 1 of 4 changes? [y]es, [n]o: ")
    assert suite_text(tested_project) == SUITE
    person.types("y")
    code, rest = person.ends()
    assert (code, suite_text(tested_project)) == (0, SUITE.replace(XFAIL, ""))
    assert "search.yaml written: 1 change" in rest


def test_a_person_who_accepts_nothing_or_thinks_better_of_it_writes_nothing(tested_project: Path) -> None:
    person = Terminal(tested_project, "suite", "update", "-i")
    person.reads(ASKED)
    person.types("q")
    code, rest = person.ends()
    assert (code, "nothing accepted, nothing written" in rest) == (0, True)
    person = Terminal(tested_project, "suite", "update", "-i")
    person.reads(ASKED)
    person.types("a")
    person.reads(ASKED)
    person.types("q")
    person.reads("[y]es, [n]o: ")
    person.types("n")
    assert person.ends()[0] == 0
    assert suite_text(tested_project) == SUITE


def test_a_suite_that_changes_while_a_person_reads_is_left_alone(tested_project: Path) -> None:
    person = Terminal(tested_project, "suite", "update", "-i")
    person.reads(ASKED)
    person.types("a")
    person.reads(ASKED)
    (tested_project / "search.yaml").write_text(SUITE + "# somebody else was here\n")
    person.types("q")
    person.reads("[y]es, [n]o: ")
    person.types("y")
    code, rest = person.ends()
    assert code == 2
    assert "changed since it was read" in rest
    assert suite_text(tested_project) == SUITE + "# somebody else was here\n"
