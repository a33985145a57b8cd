"""Run GitHub workflows: `run:` steps as they are written, and actions of others by the table `ACTIONS`.

`Repository` is a repository on GitHub with pull request 7. `Runner.run` runs the steps of a job for an event.
git, pip, npm and rankgate are the real programs, but pip finds only what the environment of the tests has.
`gh` is a script that records its calls, and `docker` a script that records them and does nothing.
"""

from __future__ import annotations

import ensurepip
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from support.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ACTION: dict[str, Any] = yaml.load((ROOT / "action.yml").read_text(encoding="utf-8"), yaml.BaseLoader)
PULL = "refs/remotes/pull/7/merge"
_GH = """\
#!/usr/bin/env bash
printf '%s\\n' "$*" >> "$CALLS"
case "$*" in
  *--paginate*) jq --raw-output "${@: -1}" "$COMMENTS" ;;
  *) [ "$GH_TOKEN" = "may write" ] || { echo "gh: Resource not accessible by integration" >&2; exit 1; } ;;
esac
"""
_RECORD = '#!/bin/sh\nprintf "%s\\n" "$(basename "$0") $*" >> "$CALLS"\n'
_TOKEN = re.compile(r"'[^']*'|[A-Za-z_][\w.-]*|&&|\|\||[!=]=|[!()]")
_OPERATORS = {"&&": " and ", "||": " or ", "!": " not ", "==": " == ", "!=": " != "}


def git(folder: Path, *words: str) -> str:
    """Call git, and return what it prints."""
    who = {
        f"GIT_{role}_{what}": "a@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    environment = {**os.environ, **who, "GIT_CONFIG_GLOBAL": os.devnull}
    done = subprocess.run(
        ["git", *words], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@dataclass
class Repository:
    """A working copy of a project, and the repository that it is pushed to."""

    folder: Path

    @property
    def origin(self) -> Path:
        return self.folder.parent / "origin.git"

    def push(self) -> None:
        """Commit everything, as the first commit, and push it as the default branch."""
        git(self.folder.parent, "init", "--quiet", "--bare", "--initial-branch", "main", str(self.origin))
        git(self.folder, "init", "--quiet", "--initial-branch", "main")
        git(self.folder, "remote", "add", "origin", str(self.origin))
        self.commit()
        git(self.folder, "push", "--quiet", "origin", "main")

    def open_pull_request(self, change: Callable[[Path], object]) -> None:
        """Commit a change on a branch, and push the commit that merges it into the default branch."""
        git(self.folder, "switch", "--quiet", "--create", "change")
        change(self.folder)
        self.commit()
        # The default branch went on in between.
        git(self.folder, "switch", "--quiet", "main")
        (self.folder / "NOTES.md").write_text("Later.\n")
        self.commit()
        git(self.folder, "switch", "--quiet", "--detach", "main")
        git(self.folder, "merge", "--quiet", "--no-edit", "--no-ff", "change")
        git(self.folder, "push", "--quiet", "origin", "main", "HEAD:refs/pull/7/merge")

    def commit(self) -> None:
        (self.folder / ".gitignore").write_text(".rankgate/\n__pycache__/\n*.egg-info/\n")
        git(self.folder, "add", "--all")
        git(self.folder, "commit", "--quiet", "--message", "A change")


@dataclass(frozen=True)
class Event:
    """What starts a workflow: a push to the default branch, a pull request, or one from a fork."""

    name: str = "push"
    fork: bool = False
    secrets: Mapping[str, str] = field(default_factory=dict)

    def context(self) -> dict[str, Any]:
        """Return `github` and `secrets`, as GitHub fills them for a job with the permission to comment."""
        pull = {"number": 7, "head": {"repo": {"full_name": "mallory/name" if self.fork else "owner/name"}}}
        is_pull = self.name == "pull_request"
        return {
            "github": {
                "event": {"pull_request": pull} if is_pull else {},
                "base_ref": "main" if is_pull else "",
                "repository": "owner/name",
                "actor": "mallory" if self.fork else "someone",
                "token": "may read" if self.fork else "may write",
            },
            "secrets": {} if self.fork else self.secrets,
        }


@dataclass(frozen=True)
class Step:
    """A step that was run."""

    name: str
    code: int
    out: str


@dataclass
class Job:
    """A job that was run, and what it left."""

    runner: Runner
    steps: list[Step] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    """The outputs of the action."""

    @property
    def failed(self) -> list[str]:
        return [step.name for step in self.steps if step.code]

    @property
    def out(self) -> str:
        return "\n".join(f"== {step.name}: {step.code}\n{step.out}" for step in self.steps)

    @property
    def summary(self) -> str:
        path = self.runner.home / "summary.md"
        return path.read_text() if path.exists() else ""

    @property
    def calls(self) -> list[str]:
        """The calls of `gh` and `docker`."""
        path = self.runner.home / "calls"
        return path.read_text().splitlines() if path.exists() else []

    @property
    def artifact(self) -> Path:
        return self.runner.home / "artifact"


@dataclass
class Runner:
    """A machine that runs one job after the other, each in a new checkout."""

    home: Path
    origin: Path

    def run(self, steps: Sequence[Mapping[str, Any]], event: Event, folder: str = ".") -> Job:
        """Run the steps of a job with this `working-directory`."""
        self.workspace = self.home / "workspace"
        for path in (self.workspace, self.home / "artifact", self.home / "summary.md", self.home / "calls"):
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
        self._make_tools()
        self.event = event
        job = Job(self)
        self._run(job, steps, {**event.context(), "steps": {}}, folder)
        return job

    def variables(self) -> dict[str, str]:
        """Return the variables that GitHub sets."""
        is_pull = self.event.name == "pull_request"
        venv = {name: text for name, text in os.environ.items() if name.startswith(("LANG", "LC_", "JAVA"))}
        return venv | {
            "PATH": os.pathsep.join([str(self.home / "bin"), *_MACHINE]),
            "HOME": str(self.home),
            "CALLS": str(self.home / "calls"),
            "COMMENTS": str(self.home / "comments.json"),
            "RUNNER_TEMP": str(self.home),
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_BASE_REF": "main" if is_pull else "",
            "GITHUB_OUTPUT": str(self.home / "output"),
            "GITHUB_REPOSITORY": "owner/name",
            "GITHUB_RUN_ID": "17",
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_STEP_SUMMARY": str(self.home / "summary.md"),
            "GITHUB_WORKSPACE": str(self.workspace),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "PIP_NO_BUILD_ISOLATION": "false",  # pip reads it as a value of `build_isolation`
            "PIP_NO_INDEX": "1",
            "npm_config_offline": "true",
        }

    def _make_tools(self) -> None:
        tools = self.home / "bin"
        tools.mkdir(exist_ok=True)
        for name, text in (("gh", _GH), ("docker", _RECORD)):
            (tools / name).write_text(text)
            (tools / name).chmod(0o755)
        comments = self.home / "comments.json"
        comments.write_text(comments.read_text() if comments.exists() else "[]")

    def _run(
        self, job: Job, steps: Sequence[Mapping[str, Any]], context: dict[str, Any], folder: str = "."
    ) -> None:
        """Run steps, of a job or of an action, in its context."""
        for step in steps:
            condition = re.sub(r"^\$\{\{(.*)\}\}$", r"\1", str(step.get("if", "")))
            runs = evaluate(condition, context) if condition else True
            if not runs or (job.failed and "cancelled()" not in condition):
                continue
            name = step.get("name", step.get("uses", ""))
            given = {key: filled(text, context) for key, text in step.get("with", {}).items()}
            if "uses" in step:
                ACTIONS[step["uses"].partition("@")[0]](self, job, given)
                continue
            output = self.home / "output"
            output.write_text("")
            shell = (
                ["bash", "--noprofile", "--norc", "-eo", "pipefail"] if "shell" in step else ["bash", "-e"]
            )
            assert "${{" not in step["run"]
            done = subprocess.run(
                [*shell, "-c", step["run"]],
                cwd=self.workspace / folder / filled(step.get("working-directory", "."), context),
                env=self.variables()
                | {key: filled(text, context) for key, text in step.get("env", {}).items()},
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=300,
                check=False,
            )
            outputs = dict(line.split("=", 1) for line in output.read_text().splitlines())
            context["steps"][step.get("id", name)] = {"outputs": outputs}
            job.steps.append(Step(name, done.returncode, done.stdout))

    def checkout(self, _: Job, given: Mapping[str, str]) -> None:
        """Clone the repository as `actions/checkout` does: one commit, or all branches."""
        url, is_pull = self.origin.as_uri(), self.event.name == "pull_request"
        ref = "refs/pull/7/merge:" + PULL if is_pull else "refs/heads/main:refs/remotes/origin/main"
        self.workspace.mkdir()
        git(self.workspace, "init", "--quiet")
        git(self.workspace, "remote", "add", "origin", url)
        depth = given.get("fetch-depth", "1")
        refs = [f"+{ref}"] + (["+refs/heads/*:refs/remotes/origin/*"] if depth == "0" else [])
        shallow = [] if depth == "0" else [f"--depth={depth}"]
        git(self.workspace, "fetch", "--quiet", "--no-tags", *shallow, "origin", *dict.fromkeys(refs))
        git(self.workspace, "checkout", "--quiet", "--detach", ref.partition(":")[2])

    def set_up_python(self, _: Job, given: Mapping[str, str]) -> None:
        """Make an environment of its own, with pip and all that the environment of the tests has."""
        if path := given.get("cache-dependency-path"):
            assert (self.workspace / path).is_file()
        folder = self.home / "python"
        shutil.rmtree(folder, ignore_errors=True)
        made = [sys.executable, "-m", "venv", "--without-pip", str(folder)]
        subprocess.run(made, check=True, capture_output=True)
        (library,) = folder.glob("lib/python3*/site-packages")
        # pip also runs from its wheel, which saves the time to install it.
        (pip,) = Path(ensurepip.__file__).parent.glob("_bundled/pip-*.whl")
        beside = f"import site; site.addsitedir({sysconfig.get_path('purelib')!r})"
        (library / "tests.pth").write_text(f"{pip}\n{beside}\n")
        for name, module in (("python", ""), ("rankgate", "-m rankgate ")):
            tool = self.home / "bin" / name
            tool.write_text(f'#!/bin/sh\nexec "{folder}/bin/python" {module}"$@"\n')
            tool.chmod(0o755)

    def set_up_node(self, _: Job, given: Mapping[str, str]) -> None:
        assert given["node-version"]
        assert shutil.which("npm", path=os.pathsep.join(_MACHINE))

    def upload(self, job: Job, given: Mapping[str, str]) -> None:
        """Copy the files of an artifact; that there are none is only a warning."""
        patterns = [pattern.removesuffix("/") for pattern in given["path"].split()]
        for path in [path for pattern in patterns for path in self.workspace.glob(pattern)]:
            place = job.artifact / path.relative_to(self.workspace)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(path, place) if path.is_dir() else shutil.copy(path, place)

    def rankgate_action(self, job: Job, given: Mapping[str, str]) -> None:
        """Run the steps of `action.yml`."""
        context = {**self.event.context(), "steps": {}}
        assert set(given) <= set(ACTION["inputs"])
        defaults = {name: filled(one.get("default", ""), context) for name, one in ACTION["inputs"].items()}
        context["inputs"] = {**defaults, **given}
        self._run(job, ACTION["runs"]["steps"], context)
        job.outputs = {name: filled(one["value"], context) for name, one in ACTION["outputs"].items()}


ACTIONS: dict[str, Callable[[Runner, Job, Mapping[str, str]], None]] = {
    "actions/checkout": Runner.checkout,
    "actions/setup-python": Runner.set_up_python,
    "actions/setup-node": Runner.set_up_node,
    "actions/upload-artifact": Runner.upload,
    "OWNER/rankgate": Runner.rankgate_action,
}
_PROGRAMS = filter(None, map(shutil.which, ("git", "curl", "npm", "java", "jq")))
_MACHINE = list(dict.fromkeys([*(str(Path(found).parent) for found in _PROGRAMS), "/usr/bin", "/bin"]))


def evaluate(expression: str, context: Mapping[str, Any]) -> Any:
    """Return the value of an expression of GitHub with names, texts, `&&`, `||`, `!`, `==` and `!=`."""

    def look(name: str) -> Any:
        found: Any = context
        for part in name.split("."):
            found = found.get(part, "") if isinstance(found, Mapping) else ""
        return found

    tokens = _TOKEN.findall(expression)
    assert "".join(tokens) == expression.replace(" ", "") or "'" in expression
    names = {"cancelled": "cancelled", **_OPERATORS}
    words = (token if token[0] in "'()" else names.get(token, f"look({token!r})") for token in tokens)
    return eval("".join(words).strip(), {"look": look, "cancelled": lambda: False})


def filled(text: object, context: Mapping[str, Any]) -> str:
    """Replace the expressions of a text by their values."""
    return re.sub(r"\$\{\{(.*?)\}\}", lambda found: str(evaluate(found[1], context)), str(text))
