"""Issue 21, point 3: which documents changed, since when, and how to review what nobody has reviewed."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.topics import git_commit, topics_project

if TYPE_CHECKING:
    from pathlib import Path

PAGES = 12


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write a project of a few pages, each with a query."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RANKGATE_DETAILS", raising=False)
    topics_project(tmp_path, PAGES)
    return tmp_path


def edit(project: Path, *names: str) -> None:
    for name in names:
        (project / "docs" / name).write_text(f"# {name}\n\nWritten in quite other words now.\n")


def baseline(project: Path) -> None:
    assert rankgate("test").code == 0
    rankgate("baseline", "set").printed()


def test_documents_that_changed_are_named_before_the_queries(project: Path) -> None:
    baseline(project)
    edit(project, "topic003.md", "topic007.md")
    (project / "lost.txt").write_text("topic003.md")
    lines = rankgate("test", "-o", "github-comment=comment.md").out.splitlines()
    (said,) = [at for at, line in enumerate(lines) if line.startswith("Changed since the baseline:")]
    assert lines[said] == "Changed since the baseline: topic003.md, topic007.md."
    assert said < 8
    assert "Changed since the baseline: topic003.md, topic007.md." in (project / "comment.md").read_text()


def test_nothing_is_said_where_nothing_changed(project: Path) -> None:
    baseline(project)
    assert "Changed since the baseline" not in rankgate("test").out


def test_the_commit_and_the_day_of_the_baseline_are_kept_and_told(project: Path) -> None:
    commit = git_commit(project)
    baseline(project)
    head = json.loads(next((project / "baselines").iterdir()).read_text().splitlines()[0])
    assert head["commit"] == commit
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", head["date"])
    told = f"Compared with the baseline (app, {commit[:10]}, {head['date']})"
    assert told in " ".join(rankgate("test", "-o", "github-comment=c.md", "-o", "html=p.html").out.split())
    assert told in " ".join(rankgate("test", "--details").out.split())
    assert told.replace("Compared", "Comparison") in (project / "c.md").read_text().replace("<!-- -->", "")
    assert commit[:10] in (project / "p.html").read_text()


def test_a_baseline_of_before_says_nothing_of_them(project: Path) -> None:
    baseline(project)
    (file,) = (project / "baselines").iterdir()
    head, *rest = file.read_text().splitlines(keepends=True)
    kept = {key: value for key, value in json.loads(head).items() if key not in ("commit", "date")}
    file.write_text("".join([json.dumps(kept) + "\n", *rest]))
    assert "Compared with the baseline (app): " in rankgate("test").out


def test_what_nobody_reviewed_leads_to_the_command_that_reviews_it(project: Path) -> None:
    suite = project / "search.yaml"
    suite.write_text(
        suite.read_text()
        .replace("drop(ndcg@10) < 0.1", "ndcg@10 >= 0.5")
        .replace("md}", "md, reviewed: false}")
    )
    done = rankgate("test")
    lines = done.out.splitlines()
    assert done.code == 0
    assert lines[1] == f"Not enforced: 0 of {PAGES} reviewed"
    assert "read the cases of search.yaml" in lines[2]
    (step,) = [line for line in lines if line.startswith("review the first")]
    command = step.partition("rankgate ")[2]
    assert command == "ask app --case about-topic000 --suite search.yaml"
    assert "topic000.md" in rankgate(*command.split()).printed()
    assert "to enforce the gates" not in "\n".join(lines[4:])
