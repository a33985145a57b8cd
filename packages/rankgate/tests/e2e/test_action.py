"""The composite action: its steps in a real shell with the real command; only `gh` and `pip` are recorded."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from ruamel.yaml import YAML

from support.projects import write_project
from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

ACTION = YAML(typ="safe").load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
GH = """\
#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$CALLS"
case "$*" in
  *--paginate*) jq --raw-output "${@: -1}" "$COMMENTS" ;;
  *) [ -z "$DENIED" ] ;;
esac
"""


@dataclass
class Runner:
    """What GitHub gives a step."""

    folder: Path
    bin: Path
    environment: dict[str, str]

    def step(self, name: str, values: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
        """Run one step as a runner does, with the values of the expressions in its environment."""
        step = STEPS[name]
        given = {key: _filled(text, values) for key, text in step.get("env", {}).items()}
        place = _filled(step.get("working-directory", "."), values)
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
            cwd=self.folder / place,
            env={**self.environment, **given},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def outputs(self) -> dict[str, str]:
        lines = Path(self.environment["GITHUB_OUTPUT"]).read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)

    def calls(self) -> list[str]:
        calls = Path(self.environment["CALLS"])
        return calls.read_text().splitlines() if calls.exists() else []


def _filled(text: str, values: Mapping[str, str]) -> str:
    return re.sub(
        r"\$\{\{ *([\w.-]+) *\}\}", lambda found: values.get(found[1], _default(found[1])), str(text)
    )


def _default(name: str) -> str:
    kind, _, rest = name.partition(".")
    return str(ACTION["inputs"][rest].get("default", "")) if kind == "inputs" else ""


@pytest.fixture
def runner(tmp_path: Path) -> Runner:
    folder, tools, temp = tmp_path / "repository", tmp_path / "bin", tmp_path / "temp dir"
    write_project(folder / "search")
    tools.mkdir()
    temp.mkdir()
    _script(tools / "gh", GH)
    _script(tools / "rankgate", f'#!/bin/sh\nexec "{sys.executable}" -m rankgate "$@"\n')
    _script(tools / "python", '#!/bin/sh\nprintf "%s\\n" "$*" >> "$CALLS"\n')
    environment = {
        "PATH": f"{tools}:{os.environ['PATH']}",
        "HOME": str(tmp_path),
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
        "CALLS": str(tmp_path / "calls"),
        "COMMENTS": str(tmp_path / "comments.json"),
        "DENIED": "",
        "RUNNER_TEMP": str(temp),
        "GITHUB_ACTIONS": "true",
        "GITHUB_OUTPUT": str(tmp_path / "output"),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "GITHUB_WORKSPACE": str(folder),
        "GITHUB_REPOSITORY": "owner/name",
    }
    return Runner(folder, tools, environment)


def _script(path: Path, text: str) -> None:
    path.write_text(text)
    path.chmod(0o755)


HERE = {"inputs.working-directory": "search"}


def after_test(runner: Runner, **inputs: str) -> dict[str, str]:
    """Run the test step, and give what the steps after it know."""
    done = runner.step("Test", {**HERE, **{f"inputs.{name}": value for name, value in inputs.items()}})
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    known = {f"steps.test.outputs.{name}": value for name, value in runner.outputs().items()}
    return {**known, "github.event.pull_request.number": "7", "stdout": done.stdout}


@pytest.mark.parametrize(("system", "code"), [("", 1), ("good", 0), ("app:nothing_of_that_name", 2)])
def test_the_exit_code_of_the_test_is_that_of_the_action(system: str, code: int, runner: Runner) -> None:
    known = after_test(runner, system=system)
    assert known["steps.test.outputs.exit-code"] == str(code)
    assert runner.step("Verdict", known).returncode == code


def test_action_writes_reports_annotations_and_a_summary(runner: Runner) -> None:
    known = after_test(runner, suites="search.yaml", args="--metric 'ndcg@5'")
    assert "file=search/search.yaml,line=2" in known["stdout"]
    assert (
        Path(runner.environment["GITHUB_STEP_SUMMARY"]).read_text().startswith("### ✗ search · app · failed")
    )
    report = json.loads(Path(known["steps.test.outputs.json"]).read_text())
    assert report["exit_code"] == 1
    assert "ndcg@5" in [row["metric"] for row in report["metrics"]]
    assert "<testsuites>" in Path(known["steps.test.outputs.junit"]).read_text()


def test_no_input_is_run_as_a_script(runner: Runner) -> None:
    after_test(runner, suites="$(touch hacked) `touch hacked` ;touch hacked", args="&& touch hacked")
    assert not list(runner.folder.rglob("hacked"))


def test_arguments_with_an_open_quote_stop_the_action(runner: Runner) -> None:
    done = runner.step("Test", {**HERE, "inputs.args": "--metric 'ndcg@5"})
    assert done.returncode != 0


def comments(runner: Runner, *found: tuple[str, int, str]) -> None:
    rows = [{"user": {"login": login}, "id": number, "body": body} for login, number, body in found]
    Path(runner.environment["COMMENTS"]).write_text(json.dumps(rows))


@pytest.mark.skipif(shutil.which("jq") is None, reason="gh has jq built in, the recorder needs it")
def test_a_comment_is_posted_once_and_then_replaced(runner: Runner) -> None:
    known = after_test(runner)
    marker = "<!-- rankgate: search app -->"
    comments(
        runner,
        ("someone", 1, f"{marker}\nmine"),
        ("github-actions[bot]", 2, "<!-- rankgate: search good -->"),
    )
    assert runner.step("Comment", known).returncode == 0
    body = f"--field body=@{known['steps.test.outputs.comment']}"
    assert runner.calls()[-1] == f"api --silent --method POST repos/owner/name/issues/7/comments {body}"
    comments(runner, ("someone", 1, f"{marker}\nmine"), ("github-actions[bot]", 9, f"{marker}\nold"))
    assert runner.step("Comment", known).returncode == 0
    assert runner.calls()[-1] == f"api --silent --method PATCH repos/owner/name/issues/comments/9 {body}"


@pytest.mark.skipif(shutil.which("jq") is None, reason="gh has jq built in, the recorder needs it")
def test_a_token_that_may_not_write_changes_no_verdict(runner: Runner) -> None:
    known = after_test(runner, system="good")
    comments(runner)
    runner.environment["DENIED"] = "yes"
    done = runner.step("Comment", known)
    assert done.returncode == 0
    assert "::notice title=rankgate::the comment could not be posted" in done.stdout
    assert runner.step("Verdict", known).returncode == 0


@pytest.mark.skipif(shutil.which("jq") is None, reason="gh has jq built in, the recorder needs it")
def test_action_with_an_invalid_suite_replaces_its_comment(runner: Runner) -> None:
    (runner.folder / "search" / "search.yaml").write_text("gates: [ndcg@10 >= high]\ncases: []\n")
    known = after_test(runner)
    text = Path(known["steps.test.outputs.comment"]).read_text()
    marker = "<!-- rankgate: search app -->"
    assert text.startswith(f"{marker}\n\n### ✗ search · app · the suite or the call is wrong")
    comments(runner, ("github-actions[bot]", 9, f"{marker}\nall passed"))
    assert runner.step("Comment", known).returncode == 0
    assert "--method PATCH repos/owner/name/issues/comments/9" in runner.calls()[-1]


def test_without_a_report_nothing_is_posted(runner: Runner) -> None:
    known = after_test(runner)
    Path(known["steps.test.outputs.comment"]).unlink()
    assert "no comment" in runner.step("Comment", known).stdout
    assert runner.calls() == []


@pytest.mark.parametrize(
    ("version", "extras", "call"),
    [
        ("", "", "-m pip install rankgate"),
        ("0.1.0", "", "-m pip install rankgate==0.1.0"),
        ("0.1.0", "http,mcp", "-m pip install rankgate[http,mcp]==0.1.0"),
    ],
)
def test_the_version_and_extras_that_were_asked_for_are_installed(
    version: str, extras: str, call: str, runner: Runner
) -> None:
    runner.step("Install rankgate", {"inputs.version": version, "inputs.extras": extras})
    assert runner.calls() == [call]


def test_every_input_is_used_and_explained() -> None:
    text = json.dumps(ACTION["runs"])
    for name, about in ACTION["inputs"].items():
        assert f"inputs.{name}" in text
        assert about["description"]
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/none@v0"))


@pytest.mark.skipif(shutil.which("shellcheck") is None, reason="shellcheck is not here")
def test_the_steps_pass_shellcheck(tmp_path: Path) -> None:
    for name, step in STEPS.items():
        if "run" in step:
            script = tmp_path / f"{name}.sh"
            script.write_text(f"#!/usr/bin/env bash\n{step['run']}")
            done = subprocess.run(["shellcheck", script], capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stdout


def test_the_documentation_names_every_input_and_output() -> None:
    guide = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    names: list[Any] = [*ACTION["inputs"], *ACTION["outputs"]]
    assert [name for name in names if f"`{name}`" not in guide] == []
