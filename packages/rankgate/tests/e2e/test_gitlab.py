"""The jobs of `rankgate init --ci gitlab`: their scripts in a shell, with the variables that GitLab sets."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from support.commands import rankgate
from support.github_runner import PULL, Repository, git
from support.repository import ROOT
from support.topics import topics_project

if TYPE_CHECKING:
    from pathlib import Path

PYTHON_SCRIPT = (
    f'#!/bin/sh\ncase "$*" in "-m pip install"*) echo "$*";; *) exec "{sys.executable}" "$@";; esac\n'
)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a project with a search function, which is the current folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    topics_project(folder, 3, "ndcg@10 >= 0.5")
    monkeypatch.chdir(folder)
    return folder


def script(lines: list[str], folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run the script of a job; pip is recorded."""
    tools = folder.parent / "bin"
    tools.mkdir(exist_ok=True)
    for name, text in (
        ("python", PYTHON_SCRIPT),
        ("rankgate", f'#!/bin/sh\nexec "{sys.executable}" -m rankgate "$@"\n'),
    ):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    who = {f"GIT_{role}_{what}": "a@b.org" for role in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(lines)],
        cwd=folder,
        env={**os.environ, **who, "PATH": f"{tools}:{os.environ['PATH']}", **variables},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def jobs(folder: Path) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the jobs `rankgate` and `rankgate-comment`."""
    loaded = yaml.load((folder / ".gitlab" / "rankgate.yml").read_text(), yaml.BaseLoader)
    return loaded["rankgate"], loaded["rankgate-comment"]


def test_job_of_merge_request_compares_with_its_base(project: Path) -> None:
    said = rankgate("init", "--ci", "gitlab").printed()
    assert "wrote  .gitlab/rankgate.yml\nwrote  .gitlab-ci.yml\n" in said
    repository = Repository(project)
    repository.push()

    def remove_a_case(folder: Path) -> None:
        suite = folder / "search.yaml"
        suite.write_text("".join(suite.read_text().splitlines(keepends=True)[:-1]))

    repository.open_pull_request(remove_a_case)
    # A runner fetches the merge request only, with the whole history because of GIT_DEPTH.
    clone = project.parent / "clone"
    clone.mkdir()
    git(clone, "init", "--quiet")
    git(clone, "fetch", "--quiet", "--no-tags", repository.origin.as_uri(), f"+refs/pull/7/merge:{PULL}")
    git(clone, "checkout", "--quiet", "--detach", f"{PULL}^2")
    test, _ = jobs(project)
    assert test["variables"]["GIT_DEPTH"] == "0"
    base = git(clone, "merge-base", f"{PULL}^1", "HEAD")
    same = {"CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "a/b", "CI_MERGE_REQUEST_PROJECT_PATH": "a/b"}
    done = script(test["script"], clone, CI="true", CI_MERGE_REQUEST_DIFF_BASE_SHA=base, **same)
    assert done.returncode == 0, done.stderr
    assert re.search(r"^-m pip install rankgate==[\d.]+$", done.stdout, re.MULTILINE)
    assert "Changes to the test" in (clone / "rankgate-report" / "comment.md").read_text()
    assert (clone / test["artifacts"]["reports"]["junit"]).is_file()
    assert all((clone / path).is_dir() for path in test["artifacts"]["paths"])


def test_job_of_fork_without_secrets_is_not_tested(project: Path) -> None:
    with (project / "rankgate.toml").open("a") as file:
        file.write('needs = ["${TOPICS_KEY}"]\n')
    rankgate("init", "--ci", "gitlab").printed()
    test, _ = jobs(project)
    paths = {"CI_MERGE_REQUEST_SOURCE_PROJECT_PATH": "mallory/b", "CI_MERGE_REQUEST_PROJECT_PATH": "a/b"}
    done = script(test["script"], project, CI="true", **paths)
    assert done.returncode == 0, done.stderr
    assert "not tested: needs TOPICS_KEY" in done.stdout
    # In the repository itself, a missing secret is noticed.
    assert script(test["script"], project, CI="true").returncode == 3


class Notes(BaseHTTPRequestHandler):
    """The notes of a merge request, as GitLab has them."""

    notes: list[dict[str, Any]]
    seen: list[tuple[str, str, str]]

    def do_GET(self) -> None:
        self._answer(self.notes)

    def do_POST(self) -> None:
        self.notes.append({"id": 5, **self._body()})
        self._answer(self.notes[-1])

    def do_PUT(self) -> None:
        self.notes[0].update(self._body())
        self._answer(self.notes[0])

    def _body(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        return found

    def _answer(self, found: object) -> None:
        self.seen.append((self.command, self.path.partition("?")[0], self.headers["PRIVATE-TOKEN"]))
        data = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Print nothing."""


def test_comment_job_posts_one_note_and_replaces_it(project: Path) -> None:
    rankgate("init", "--ci", "gitlab").printed()
    _, comment = jobs(project)
    assert comment["allow_failure"] == "true"
    rankgate("test", "--report", "github-comment=rankgate-report/comment.md").printed()
    Notes.notes, Notes.seen = [], []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Notes)
    Thread(target=server.serve_forever, daemon=True).start()
    variables = {
        "CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
        "RANKGATE_TOKEN": "secret",
    }
    try:
        for _ in range(2):
            done = script(comment["script"], project, **variables)
            assert done.returncode == 0, done.stderr
    finally:
        server.shutdown()
        server.server_close()
    address = "/api/v4/projects/3/merge_requests/7/notes"
    calls = [("GET", address), ("POST", address), ("GET", address), ("PUT", f"{address}/5")]
    assert Notes.seen == [(*call, "secret") for call in calls]
    assert Notes.notes[0]["body"].startswith("<!-- rankgate: search app -->")


def test_init_leaves_jobs_that_exist_and_prints_the_line_to_add(project: Path) -> None:
    (project / ".gitlab-ci.yml").write_text("mine: {script: [make]}\n")
    said = rankgate("init", "--ci", "gitlab").printed()
    line = "add to it: include: [{local: .gitlab/rankgate.yml}]"
    assert f"kept   .gitlab-ci.yml (it was there)\n       {line}" in said


def test_documentation_shows_the_jobs_that_init_writes(project: Path) -> None:
    from rankgate.project.init.workflows import PYTHON

    rankgate("init", "--ci", "gitlab").printed()
    written = (
        (project / ".gitlab" / "rankgate.yml").read_text().replace(f"python:{PYTHON}\n", "python:3.12\n")
    )
    assert f"```yaml\n{written}```\n" in (ROOT / "docs" / "ci.md").read_text()


def test_baseline_is_renewed_as_the_documentation_shows(project: Path) -> None:
    (renew,) = re.findall(r"```bash\n(git switch.*?)```", (ROOT / "docs" / "ci.md").read_text(), re.DOTALL)
    rankgate("test").printed()
    rankgate("baseline", "set").printed()
    repository = Repository(project)
    repository.push()
    app = project / "app.py"
    app.write_text(app.read_text().replace("*rest]", "*reversed(rest)]"))
    repository.commit()
    done = script([renew], project)
    assert done.returncode == 0, done.stderr
    changed = git(project, "show", "--stat", "--format=%s", "origin/renew-baseline")
    assert changed.startswith("Renew the baseline of the search\n")
    assert "baselines/search.app.jsonl" in changed
    assert "1 file changed" in changed
