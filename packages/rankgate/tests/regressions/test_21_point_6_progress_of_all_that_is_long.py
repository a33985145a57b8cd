"""Issue 21, point 6: whatever takes more than two seconds says how far it is, and how long it still takes."""

from __future__ import annotations

import io
import subprocess
from typing import TYPE_CHECKING

import pytest

from rankgate.cli.progress_line import ProgressLine
from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.corpora.folder import FolderCorpus
from rankgate.evaluation.flow import evaluate
from rankgate.evaluation.placing import placed_run
from rankgate.model import Case, CorpusSource, Hit, Location, Suite, Target
from rankgate.progress import counted_steps, listening, steps
from rankgate.runs.store.tables import MemoryRun, Shard
from rankgate.scoring.evaluate import score
from rankgate.truth.anchors import Anchors
from rankgate.truth.locations.placing import Placer
from rankgate.truth.locations.resolve import resolve
from rankgate.truth.mending.plan import Documents, find_changes
from support.commands import rankgate
from support.heard_progress import HeardProgress

if TYPE_CHECKING:
    from pathlib import Path


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, seconds_each: float, *, in_ci: bool, total: int = 200) -> list[str]:
    now = [0.0]
    with ProgressLine(stream, lambda: now[0], in_ci=in_ci):
        for _ in steps(range(total), "reading documents"):
            now[0] += seconds_each
    return stream.getvalue().splitlines()


def test_the_log_of_ci_has_a_line_for_every_tenth_with_the_time_left() -> None:
    lines = shown(io.StringIO(), 0.25, in_ci=True)
    assert lines[0] == "10 %: reading documents 20/200, 4.0/s, 0:45 left"
    # What is done is not told: the command says what comes of it.
    assert [line.partition(" ")[0] for line in lines] == [str(10 * tenth) for tenth in range(1, 10)]


def test_a_terminal_has_one_line_that_is_written_over_and_taken_away() -> None:
    stream = Terminal()
    shown(stream, 0.25, in_ci=True)
    assert "\n" not in stream.getvalue()
    said = [part.strip() for part in stream.getvalue().split("\r")]
    assert said[1] == "reading documents 8/200, 4.0/s, 0:48 left"
    assert said[-2:] == ["", ""]


@pytest.mark.parametrize(
    ("stream", "seconds", "in_ci"),
    [(io.StringIO(), 0.001, True), (Terminal(), 0.001, False), (io.StringIO(), 0.25, False)],
)
def test_nothing_of_what_is_quick_and_nothing_on_another_pipe(
    stream: io.StringIO, seconds: float, in_ci: bool
) -> None:
    assert shown(stream, seconds, in_ci=in_ci) == []


def test_work_that_breaks_off_takes_its_line_away() -> None:
    stream, now = Terminal(), [0.0]
    with ProgressLine(stream, lambda: now[0]):
        work = counted_steps(iter(range(100)), "locating hits", 100)
        for _ in range(50):
            next(work)
            now[0] += 1.0
        assert not stream.getvalue().endswith("\r")
        work.close()
    assert stream.getvalue().endswith("\r" + " " * 78 + "\r")


@pytest.fixture
def docs(tmp_path: Path) -> FolderCorpus:
    folder = tmp_path / "docs"
    folder.mkdir()
    for number in range(12):
        (folder / f"page{number}.md").write_text(f"# Page {number}\n\nThe text of page {number}.\n")
    return FolderCorpus.open(folder, root=tmp_path)


def test_reading_locating_scoring_and_mending_are_told(docs: FolderCorpus, tmp_path: Path) -> None:
    cases = [Case(f"q{n}", f"q{n}", (Target(Location.at(f"page{n}.md:3")),)) for n in range(12)]
    suite, heard = Suite("s", tuple(cases)), HeardProgress()
    with listening(heard):
        FolderCorpus.open(tmp_path / "docs", root=tmp_path)
        judgments = resolve(suite, docs).judgments
        texts = [f"The text of page {number}." for number in range(12)]
        run = MemoryRun(
            "app",
            [
                Shard.of_rankings(
                    {case.id: (Hit(text=text),) for case, text in zip(cases, texts, strict=True)}
                )
            ],
        )
        score(judgments, placed_run(run, Placer(docs)), ["rr"])
        find_changes(suite, Documents(docs), Anchors())
    twelve = {doing for doing, last in heard.last.items() if last == (12, 12)}
    assert twelve >= {"reading documents", "scoring app", "looking for targets"}
    assert heard.ended == set(heard.last)


def test_files_of_a_commit_and_questions_without_a_bar_are_told(tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"page{number}.md").write_text(f"# Page {number}\n")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "pages"]):
        subprocess.run([*git, *arguments], check=True)
    heard = HeardProgress()
    with listening(heard):
        context = OpenContext(tmp_path, tmp_path, tmp_path / "cache", unpinned=True)
        open_source(CorpusSource(".", "git", {"commit": "HEAD"}), context)
        evaluate(
            Suite("s", (Case("a", "a", (Target(Location.at("page1.md")),)),)), lambda query, k: [query] * k
        )
    assert heard.last["reading files of the commit"] == (5, 5)
    assert heard.last["asking"] == (1, 1)
    assert heard.ended == set(heard.last)


def test_a_command_listens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    for number in range(30):
        (tmp_path / "docs" / f"page{number}.md").write_text(f"# Page {number}\n")
    (tmp_path / "search.yaml").write_text("corpus: docs/\ncases:\n  - query: page\n    at: page1.md\n")
    monkeypatch.setattr("rankgate.cli.progress_line.PATIENCE", 0.0)
    monkeypatch.setenv("CI", "1")
    done = rankgate("suite", "lint", "search.yaml")
    assert "50 %: reading documents 15/30, " in done.err
    assert "reading documents" not in done.out
