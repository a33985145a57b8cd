"""What `rankgate init --ci` writes: its steps in a real shell with what GitHub or GitLab sets.

`rankgate` is the real command; `gh` and pip are recorded, and GitLab is a small server.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from ruamel.yaml import YAML

from rankgate.project.configuration import find_configuration
from rankgate.project.init.workflows import ci_needs
from support.commands import rankgate
from support.repository import FIXTURES, ROOT

KEYS = """# Keys

## Rotation

If you want to replace a leaked key, call it.

## Scopes

You can restrict a key to reading with a scope.

## Revocation

If you want to refuse a stolen key, revoke it.
"""
GH = """\
#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$CALLS"
case "$*" in
  *--paginate*) jq --raw-output "${@: -1}" "$COMMENTS" ;;
  *"/pulls --field"*) jq --raw-output "${@: -1}" "$PULLS" ;;
esac
"""
ACTIONLINT = FIXTURES / "actionlint" / "bin" / "actionlint"
needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="gh has jq built in, the recorder needs it")


def read(path: Path) -> Any:
    return YAML(typ="safe").load(path.read_text(encoding="utf-8"))


@dataclass
class Runner:
    """A runner of GitHub with a checked-out project."""

    folder: Path
    environment: dict[str, str]
    values: dict[str, str] = field(default_factory=dict)

    def steps(self, workflow: str, job: str) -> dict[str, Any]:
        steps = read(self.folder / ".github" / "workflows" / workflow)["jobs"][job]["steps"]
        return {step.get("name", step.get("uses")): step for step in steps}

    def run(self, step: dict[str, Any], folder: Path | None = None) -> subprocess.CompletedProcess[str]:
        """Run one step as a runner does: expressions are values of its environment, never of its script."""
        assert "${{" not in step["run"]
        given = {
            key: re.sub(r"\$\{\{ *([\w.]+) *\}\}", lambda found: self.values[found[1]], text)
            for key, text in step.get("env", {}).items()
        }
        return subprocess.run(
            ["bash", "-e", "-c", step["run"]],
            cwd=folder or self.folder,
            env={**self.environment, **given},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def calls(self) -> list[str]:
        calls = Path(self.environment["CALLS"])
        return calls.read_text().splitlines() if calls.exists() else []


@pytest.fixture
def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Runner:
    folder, tools = tmp_path / "repository", tmp_path / "bin"
    (folder / "docs").mkdir(parents=True)
    tools.mkdir()
    (folder / "docs" / "keys.md").write_text(KEYS)
    monkeypatch.chdir(folder)
    rankgate("init").printed()
    suite = folder / "search.yaml"
    case = '- query: "rotation"'
    suite.write_text(suite.read_text().replace('# - query: ""', case, 1).replace("  #   at", "    at", 1))
    rankgate("init", "--ci", "github").printed()
    scripts = {
        "gh": GH,
        "rankgate": f'#!/bin/sh\nexec "{sys.executable}" -m rankgate "$@"\n',
        "python": '#!/bin/sh\nprintf "%s\\n" "$*" >> "$CALLS"\n',
    }
    for name, text in scripts.items():
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "CALLS": str(tmp_path / "calls"),
        "COMMENTS": str(tmp_path / "comments.json"),
        "PULLS": str(tmp_path / "pulls.json"),
        "CI": "true",
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_WORKSPACE": str(folder),
        "GITHUB_REPOSITORY": "owner/name",
        "GITHUB_SERVER_URL": "https://github.com",
        "GITHUB_RUN_ID": "17",
        "GITHUB_REF": "refs/pull/7/merge",
        "GITHUB_EVENT_NAME": "pull_request",
        "RUNNER_TEMP": str(tmp_path),
    }
    return Runner(folder, environment)


def reviewed_and_broken(folder: Path) -> None:
    suite = folder / "search.yaml"
    text = suite.read_text().replace("    reviewed: false\n", "")
    cases = text[text.index("  - query") :]
    suite.write_text(text + cases.replace("how to ", "how do I "))
    starter = folder / "starter_search.py"
    starter.write_text(starter.read_text().replace("first + 1, max(last, first + 1)", "1, 1"))


def test_a_pull_request_is_tested_once_with_no_right_but_to_read(runner: Runner) -> None:
    workflow = read(runner.folder / ".github" / "workflows" / "rankgate.yml")
    assert set(workflow["on"]) == {"pull_request", "push", "workflow_dispatch"}
    assert workflow["on"]["push"] == {"branches": ["main", "master"]}
    assert workflow["permissions"] == {"contents": "read"}
    assert workflow["concurrency"]["cancel-in-progress"] is True
    steps = runner.steps("rankgate.yml", "rankgate")
    assert steps["actions/checkout@v4"]["with"] == {"fetch-depth": 1, "persist-credentials": False}
    assert "if" not in steps["Test"]


def test_the_steps_test_a_project_and_leave_what_is_uploaded(runner: Runner) -> None:
    steps = runner.steps("rankgate.yml", "rankgate")
    assert runner.run(steps["Install"]).returncode == 0
    assert re.fullmatch(r"-m pip install rankgate==[\d.]+\S*", runner.calls()[-1])
    done = runner.run(steps["Test"])
    assert done.returncode == 0, done.stderr
    assert Path(runner.environment["GITHUB_STEP_SUMMARY"]).read_text().startswith("### ✓ search · app")
    keep = steps["Keep the report"]
    assert keep["if"] == "always()"
    assert keep["with"]["include-hidden-files"] is True
    for pattern in keep["with"]["path"].split():
        glob = f"{pattern}*" if pattern.endswith("/") else pattern
        assert list(runner.folder.glob(glob)), pattern
    assert "<testsuites>" in (runner.folder / "rankgate-report" / "junit.xml").read_text()


def test_a_red_test_ends_the_step_and_annotates_the_lines_of_the_suite(runner: Runner) -> None:
    reviewed_and_broken(runner.folder)
    done = runner.run(runner.steps("rankgate.yml", "rankgate")["Test"])
    assert done.returncode == 1, done.stdout
    annotated = [
        int(line) for line in re.findall(r"^::error file=search\.yaml,line=(\d+)", done.stdout, re.MULTILINE)
    ]
    lines = (runner.folder / "search.yaml").read_text().splitlines()
    assert annotated
    assert all(re.match(r"gates:|  - query:", lines[line - 1]) for line in annotated)
    assert json.loads((runner.folder / "rankgate-report" / "report.json").read_text())["exit_code"] == 1


@needs_jq
def test_the_comment_comes_from_the_default_branch_once_and_is_then_replaced(
    runner: Runner, tmp_path: Path
) -> None:
    reviewed_and_broken(runner.folder)
    runner.run(runner.steps("rankgate.yml", "rankgate")["Test"])
    workflow = read(runner.folder / ".github" / "workflows" / "rankgate-comment.yml")
    assert workflow["permissions"] == {"actions": "read", "pull-requests": "write"}
    steps = runner.steps("rankgate-comment.yml", "comment")
    assert not any("checkout" in name for name in steps)
    fetched = tmp_path / "elsewhere"
    shutil.copytree(runner.folder / "rankgate-report", fetched / "report" / "rankgate-report")
    runner.values = {
        "github.token": "t",
        "github.event.workflow_run.head_repository.owner.login": "someone",
        "github.event.workflow_run.head_branch": "patch-1",
        "github.event.workflow_run.html_url": "https://github.com/owner/name/actions/runs/17",
    }
    Path(runner.environment["PULLS"]).write_text('[{"number": 7}]')
    Path(runner.environment["COMMENTS"]).write_text("[]")
    done = runner.run(steps["Comment"], fetched)
    assert done.returncode == 0, done.stderr
    first, _, last = runner.calls()[-3:]
    assert "repos/owner/name/pulls --field state=open --field head=someone:patch-1" in first
    assert last == "api --silent --method POST repos/owner/name/issues/7/comments --field body=@comment.md"
    body = (fetched / "comment.md").read_text()
    assert body.startswith("<!-- rankgate: search app -->\n")
    assert "actions/runs/17" in body
    mine = {"user": {"login": "github-actions[bot]"}, "id": 9, "body": body}
    others = {"user": {"login": "mallory"}, "id": 8, "body": body}
    Path(runner.environment["COMMENTS"]).write_text(json.dumps([others, mine]))
    assert runner.run(steps["Comment"], fetched).returncode == 0
    assert "--method PATCH repos/owner/name/issues/comments/9" in runner.calls()[-1]
    Path(runner.environment["PULLS"]).write_text("[]")
    closed = runner.run(steps["Comment"], fetched)
    assert closed.returncode == 0
    assert "::notice title=rankgate::no open pull request" in closed.stdout


@needs_jq
def test_a_hostile_report_of_a_fork_is_not_posted(runner: Runner, tmp_path: Path) -> None:
    steps = runner.steps("rankgate-comment.yml", "comment")
    fetched = tmp_path / "elsewhere"
    (fetched / "report" / "rankgate-report").mkdir(parents=True)
    (fetched / "report" / "rankgate-report" / "report.json").write_text('{"exit_code": "$(touch hacked)"}')
    runner.values = {
        "github.token": "t",
        "github.event.workflow_run.head_repository.owner.login": "someone",
        "github.event.workflow_run.head_branch": "$(touch hacked)",
        "github.event.workflow_run.html_url": "https://github.com/owner/name/actions/runs/17",
    }
    Path(runner.environment["PULLS"]).write_text('[{"number": 7}]')
    runner.run(steps["Comment"], fetched)
    assert not any("POST" in call or "PATCH" in call for call in runner.calls())
    assert not list(tmp_path.rglob("hacked"))


def configured(folder: Path, system: str) -> Path:
    (folder / "rankgate.toml").write_text(f'suites = ["search.yaml"]\n\n[systems.app]\n{system}\n')
    return folder


@pytest.mark.parametrize(
    ("system", "requirement"),
    [
        ('kind = "tantivy"', "rankgate[engines]"),
        ('kind = "http"\nurl = "https://a.example"', "rankgate[http]"),
        ('kind = "opensearch"', "rankgate[http]"),
        ('kind = "sqlite"', "rankgate"),
        ('kind = "ripgrep"', "rankgate[engines]"),
        ('function = "./starter_search.py:search"', "rankgate"),
    ],
)
def test_the_extra_of_the_system_is_installed_in_this_version(
    system: str, requirement: str, runner: Runner
) -> None:
    from importlib.metadata import version

    needs = ci_needs(configured(runner.folder, system))
    assert needs.requirement == f"{requirement}=={version('rankgate')}"


def test_rest_needs_its_extra_a_commit_its_history_and_own_code_its_requirements(runner: Runner) -> None:
    folder = configured(runner.folder, 'function = "app:search"')
    (folder / "requirements.txt").write_text("numpy\n")
    (folder / "search.yaml").write_text(
        "corpus: {git: ., commit: 565b2b2be722}\ncases: [{query: q, at: 'a.rst#A'}]\n"
    )
    needs = ci_needs(folder)
    assert needs.extras == ("rst",)
    assert needs.history
    assert needs.installing()[0] == "python -m pip install -r requirements.txt"


def test_init_ci_skips_what_needs_secrets_on_forks(runner: Runner) -> None:
    configured(runner.folder, 'kind = "http"\nurl = "https://a.example"\nheaders = { key = "${PAGES_KEY}" }')
    (runner.folder / ".github" / "workflows" / "rankgate.yml").unlink()
    printed = rankgate("init", "--ci", "github").printed()
    assert 'wrote  needs = ["${PAGES_KEY}"] into rankgate.toml' in printed
    assert find_configuration(runner.folder).entry(None).needs == ("${PAGES_KEY}",)
    test = runner.steps("rankgate.yml", "rankgate")["Test"]
    assert test["env"] == {"PAGES_KEY": "${{ secrets.PAGES_KEY }}"}
    assert test["run"].startswith(
        "rankgate test ${{ (github.event.pull_request.head.repo.fork || github.actor == 'dependabot[bot]')"
        " && '--skip-missing' || '' }} --report json="
    )
    rankgate("init", "--ci", "gitlab").printed()
    assert "|| echo --skip-missing) --report" in (runner.folder / ".gitlab/rankgate.yml").read_text()


@pytest.mark.parametrize(
    "system",
    [
        'function = "./starter_search.py:search"',
        'kind = "opensearch"\npassword = "${PAGES_PASSWORD}"\nusername = "a"',
        'kind = "ripgrep"',
    ],
)
def test_a_linter_of_workflows_finds_nothing(system: str, runner: Runner) -> None:
    if not ACTIONLINT.is_file():
        if os.environ.get("CI"):
            pytest.fail("actionlint is not there; `just actionlint` builds it")
        pytest.skip("actionlint is not there; `just actionlint` builds it")
    configured(runner.folder, system)
    workflows = runner.folder / ".github" / "workflows"
    shutil.rmtree(workflows)
    rankgate("init", "--ci", "github").printed()
    files = sorted(workflows.iterdir())
    assert [file.name for file in files] == ["rankgate-comment.yml", "rankgate.yml"]
    done = subprocess.run([ACTIONLINT, *files], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_a_baseline_is_renewed_as_the_guide_says(runner: Runner, tmp_path: Path) -> None:
    guide = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    (renew,) = re.findall(r"```bash\n(git switch.*?)```", guide, re.DOTALL)
    rankgate("test").printed()
    rankgate("baseline", "set").printed()
    author = {
        f"GIT_{who}_{what}": "a@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
    }
    environment = {
        key: value for key, value in runner.environment.items() if not key.startswith("GITHUB")
    } | author
    origin = tmp_path / "origin.git"
    first = [
        f"git init --quiet --bare {origin}",
        "git init --quiet",
        f"git remote add origin {origin}",
        "printf '.rankgate/\\n__pycache__/\\n' > .gitignore",
        "git add .",
        "git commit --quiet --message first",
        "echo 'SECTIONS.reverse()' >> starter_search.py",
        "sed -i 's/return sorted(scored, key=.*/return scored[:k]/' starter_search.py",
        "git commit --quiet --all --message 'another search'",
    ]
    assert _script(first, runner.folder, environment).returncode == 0
    done = _script([renew], runner.folder, environment)
    assert done.returncode == 0, done.stderr
    shown = ["git show --stat --format=%s origin/renew-baseline"]
    changed = _script(shown, runner.folder, environment).stdout
    assert changed.startswith("Renew the baseline of the search\n")
    assert "baselines/search.app.jsonl" in changed
    assert "1 file changed" in changed


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
        self.seen.append((self.command, self.path, self.headers["PRIVATE-TOKEN"]))
        data = json.dumps(found).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_gitlab_tests_and_keeps_one_note(runner: Runner) -> None:
    said = rankgate("init", "--ci", "gitlab").printed()
    assert "wrote  .gitlab/rankgate.yml" in said
    assert read(runner.folder / ".gitlab-ci.yml") == {"include": [{"local": ".gitlab/rankgate.yml"}]}
    jobs = read(runner.folder / ".gitlab" / "rankgate.yml")
    test, comment = jobs["rankgate"], jobs["rankgate-comment"]
    environment = {key: value for key, value in runner.environment.items() if not key.startswith("GITHUB")}
    done = _script(test["script"], runner.folder, environment)
    assert done.returncode == 0, done.stderr
    assert (runner.folder / test["artifacts"]["reports"]["junit"]).is_file()
    assert all((runner.folder / path).is_dir() for path in test["artifacts"]["paths"])
    (Path(runner.environment["PATH"].split(":")[0]) / "python").unlink()
    Notes.notes, Notes.seen = [], []
    server = ThreadingHTTPServer(("127.0.0.1", 0), Notes)
    Thread(target=server.serve_forever, daemon=True).start()
    environment |= {
        "CI_API_V4_URL": f"http://127.0.0.1:{server.server_port}/api/v4",
        "CI_PROJECT_ID": "3",
        "CI_MERGE_REQUEST_IID": "7",
        "RANKGATE_TOKEN": "secret",
    }
    try:
        for _ in range(2):
            done = _script(comment["script"], runner.folder, environment)
            assert done.returncode == 0, done.stderr
    finally:
        server.shutdown()
        server.server_close()
    address = "/api/v4/projects/3/merge_requests/7/notes"
    asked = [(method, path.partition("?")[0]) for method, path, _ in Notes.seen]
    assert asked == [("GET", address), ("POST", address), ("GET", address), ("PUT", f"{address}/5")]
    assert {token for _, _, token in Notes.seen} == {"secret"}
    assert Notes.notes[0]["body"].startswith("<!-- rankgate: search app -->")


def test_jobs_of_gitlab_that_are_there_are_left_alone_and_the_line_is_told(runner: Runner) -> None:
    (runner.folder / ".gitlab-ci.yml").write_text("mine: {script: [make]}\n")
    said = rankgate("init", "--ci", "gitlab").printed()
    assert (
        "kept   .gitlab-ci.yml (it was there)\n       add to it: include: [{local: .gitlab/rankgate.yml}]"
        in said
    )


def _script(lines: list[str], folder: Path, environment: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", "\n".join(lines)],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
