"""The workflow of `rankgate init --ci github` and the action, run as GitHub runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import replace
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from rankgate.project.find import find_configuration
from rankgate.project.init.workflows import PYTHON, ci_values
from support.commands import rankgate
from support.github_runner import ACTION, Event, Repository, Runner
from support.http_servers import free_port
from support.opensearch_server import Cluster
from support.projects import write_project
from support.repository import FIXTURES, ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from support.github_runner import Job

ACTIONLINT = FIXTURES / "actionlint" / "bin" / "actionlint"
WORKFLOW = ".github/workflows/rankgate.yml"
PUSH, PULL, FORK = Event(), Event("pull_request"), Event("pull_request", fork=True)
PAGES = {
    "keys.md": "# Keys\n\nRotate a key each quarter.\n",
    "webhooks.md": "# Webhooks\n\nA failed delivery is retried.\n",
    "deploys.md": "# Deploys\n\nRoll back a deploy.\n",
}
SUITE = """\
corpus: docs/
gates: [hit@1 = 100%]
cases:
  - {query: rotating keys, at: keys.md}
  - {query: retried deliveries, at: webhooks.md}
  - {query: rolled back, at: deploys.md}
"""
WORDS = """\
def words(text):
    return {word.lower()[:4] for word in text.split() if word.isalpha()}
"""
FUNCTION = """\
from pathlib import Path
from stems import words

PAGES = {path.name: words(path.read_text()) for path in Path(__file__).parent.glob("docs/*.md")}

def search(query, k):
    ranked = sorted(PAGES, key=lambda name: (-len(PAGES[name] & words(query)), name))
    return ranked[:k]
"""
LIBRARY = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"
[project]
name = "stems"
version = "1.0"
"""
SERVER = """\
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
const pages = JSON.parse(readFileSync("index.json"));
const stems = (text) => text.toLowerCase().match(/[a-z]+/g).map((word) => word.slice(0, 4));
createServer((request, response) => {
  if (request.url === "/health") return response.end("ok");
  if (request.headers["x-key"] !== "s3cr3t-key") return response.writeHead(401).end("{}");
  const query = stems(new URL(request.url, "http://a").searchParams.get("q"));
  const score = (text) => query.filter((word) => stems(text).includes(word)).length;
  const found = Object.keys(pages).sort((a, b) => score(pages[b]) - score(pages[a]));
  response.end(JSON.stringify({ hits: found.map((path) => ({ path })) }));
}).listen(Number(process.argv[2]), "127.0.0.1");
"""
BUILD = """\
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
const pages = readdirSync("docs").map((name) => [name, readFileSync(`docs/${name}`, "utf8")]);
writeFileSync("index.json", JSON.stringify(Object.fromEntries(pages)));
"""
LOAD = """\
import json, pathlib, urllib.request
lines = []
for path in sorted(pathlib.Path("docs").iterdir()):
    page = {"path": path.name, "text": path.read_text()}
    lines += [json.dumps({"index": {"_id": path.name}}), json.dumps(page)]
url = "URL/pages/_bulk?refresh=true"
body = ("\\n".join(lines) + "\\n").encode()
request = urllib.request.Request(url, body, {"Content-Type": "application/x-ndjson"}, method="POST")
assert not json.load(urllib.request.urlopen(request))["errors"]
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a project with documents and a suite, which is the current folder."""
    folder = tmp_path / "project"
    write(folder, {"search.yaml": SUITE} | {f"docs/{name}": text for name, text in PAGES.items()})
    monkeypatch.chdir(folder)
    return folder


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


def function_project(folder: Path) -> None:
    system = '[systems.app]\nfunction = "./app.py:search"\n'
    write(
        folder,
        {
            "app.py": FUNCTION,
            "rankgate.toml": f'suites = ["search.yaml"]\n\n{system}',
            "requirements.txt": "./stems\n",
            "stems/pyproject.toml": LIBRARY,
            "stems/stems.py": WORDS,
        },
    )


def server_project(folder: Path) -> None:
    port = free_port()
    system = f"""\
kind = "http"
url = "http://127.0.0.1:{port}/search"
params = {{ q = "{{query}}" }}
headers = {{ X-Key = "${{SEARCH_KEY}}" }}
hits = "hits"
fields = {{ path = "path" }}
start = "node server.mjs {port}"
ready = "http://127.0.0.1:{port}/health"
"""
    lock = {"name": "shop", "version": "1.0.0", "lockfileVersion": 3, "packages": {"": {"name": "shop"}}}
    package = {"name": "shop", "version": "1.0.0", "scripts": {"build": "node build.mjs"}}
    write(
        folder,
        {
            "build.mjs": BUILD,
            "package.json": json.dumps(package),
            "package-lock.json": json.dumps(lock),
            "rankgate.toml": f'suites = ["search.yaml"]\n\n[systems.shop]\n{system}',
            "server.mjs": SERVER,
        },
    )


def opensearch_project(folder: Path, url: str) -> None:
    body = '{ size = "{k}", query = { match = { text = { query = "{query}", fuzziness = 2 } } } }'
    system = f'kind = "opensearch"\nhosts = ["{url}"]\nindex = "pages"\nbody = {body}\n'
    system += 'fields = { path = "_source.path" }\nprepare = "python load.py"\n'
    write(
        folder,
        {
            "compose.yml": "services: {search: {image: 'opensearchproject/opensearch:2'}}\n",
            "load.py": LOAD.replace("URL", url),
            "rankgate.toml": f'suites = ["search.yaml"]\n\n[systems.pages]\n{system}',
        },
    )


def initialized(folder: Path) -> Repository:
    """Write the workflow, and push the project."""
    rankgate("init", "--ci", "github").printed()
    repository = Repository(folder)
    repository.push()
    return repository


def workflow(folder: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load((folder / WORKFLOW).read_text(), yaml.BaseLoader)
    return loaded


def run(repository: Repository, event: Event) -> Job:
    """Run the workflow as the repository has it."""
    (job,) = workflow(repository.folder)["jobs"].values()
    folder = job.get("defaults", {}).get("run", {}).get("working-directory", ".")
    return Runner(repository.folder.parent, repository.origin).run(job["steps"], event, folder)


def test_workflow_of_function_project_works_first_time(project: Path) -> None:
    function_project(project)
    repository = initialized(project)
    job = run(repository, PUSH)
    assert not job.failed, job.out
    assert [step.name for step in job.steps] == ["Install", "Test"]
    assert "Successfully installed stems-1.0" in job.steps[0].out
    assert job.summary.startswith("### ✓ search · app · 3 queries passed")
    assert "<testsuites>" in (job.artifact / "rankgate-report" / "junit.xml").read_text()
    assert (job.artifact / ".rankgate/search/app/report.html").is_file()
    assert job.calls == []


def test_workflow_of_pull_request_compares_with_its_base(project: Path) -> None:
    function_project(project)
    repository = initialized(project)

    def remove_a_case(folder: Path) -> None:
        suite = folder / "search.yaml"
        suite.write_text(suite.read_text().replace("  - {query: rolled back, at: deploys.md}\n", ""))

    repository.open_pull_request(remove_a_case)
    job = run(repository, PULL)
    assert not job.failed, job.out
    for text in (job.summary, (job.artifact / "rankgate-report" / "comment.md").read_text()):
        assert "Changes to the test" in text
        assert "rolled back" in text
    (post,) = job.calls[1:]
    address = "repos/owner/name/issues/7/comments"
    assert post == f"api --silent --method POST {address} --field body=@rankgate-report/comment.md"


def test_workflow_of_failed_test_annotates_and_comments(project: Path) -> None:
    function_project(project)
    repository = initialized(project)
    repository.open_pull_request(
        lambda folder: (folder / "app.py").write_text(FUNCTION.replace("-len", "len"))
    )
    job = run(repository, PULL)
    assert job.failed == ["Test"]
    assert "::error file=search.yaml,line=2," in job.steps[1].out  # the line of the gate
    assert (job.artifact / "rankgate-report" / "junit.xml").is_file()
    assert "--method POST" in job.calls[-1]


def test_workflow_starts_the_server_of_the_project(project: Path) -> None:
    server_project(project)
    repository = initialized(project)
    assert find_configuration(project).entry(None).needs == ("${SEARCH_KEY}",)
    job = run(repository, replace(PUSH, secrets={"SEARCH_KEY": "s3cr3t-key"}))
    assert not job.failed, job.out
    assert job.summary.startswith("### ✓ search · shop · 3 queries passed")
    # On the default branch, a missing secret is noticed.
    assert run(repository, PUSH).failed == ["Test"]


def test_workflow_of_fork_without_secrets_is_not_tested(project: Path) -> None:
    server_project(project)
    repository = initialized(project)
    repository.open_pull_request(lambda folder: (folder / "docs" / "more.md").write_text("# More\n"))
    secrets = {"SEARCH_KEY": "s3cr3t-key"}
    job = run(repository, replace(FORK, secrets=secrets))
    assert not job.failed, job.out
    assert job.summary.startswith("### – search · shop · not tested: needs SEARCH\\_KEY\n")
    assert "::warning title=rankgate::The comment was not posted." in job.steps[-1].out
    # The same pull request from a branch of the repository is tested.
    assert "3 queries passed" in run(repository, replace(PULL, secrets=secrets)).summary


def test_workflow_starts_opensearch_of_the_compose_file(project: Path) -> None:
    with Cluster() as cluster:
        opensearch_project(project, cluster.urls[0])
        job = run(initialized(project), PUSH)
    assert not job.failed, job.out
    assert job.calls == ["docker compose up --detach --wait"]
    assert [step.name for step in job.steps] == ["Install", "Start the services", "Test"]
    assert job.summary.startswith("### ✓ search · pages · 3 queries passed")


def test_workflow_of_project_in_subfolder_runs_there(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    function_project(project / "services" / "search")
    for name in ("docs", "search.yaml"):
        shutil.move(project / name, project / "services" / "search" / name)
    repository = Repository(project)
    repository.push()
    monkeypatch.chdir(project / "services" / "search")
    assert f"wrote  ../../{WORKFLOW}" in rankgate("init", "--ci", "github").printed()
    repository.commit()
    job = run(repository, PUSH)
    assert not job.failed, job.out
    assert (job.artifact / "services/search/rankgate-report/junit.xml").is_file()


def test_workflow_may_only_read_and_comment(project: Path) -> None:
    function_project(project)
    rankgate("init", "--ci", "github").printed()
    written = workflow(project)
    assert set(written["on"]) == {"pull_request", "push", "workflow_dispatch"}
    assert written["permissions"] == {"contents": "read", "pull-requests": "write"}
    uses = [step["uses"] for step in written["jobs"]["rankgate"]["steps"] if "uses" in step]
    assert all(re.fullmatch(r"actions/[\w-]+@v\d+", name) for name in uses)
    assert written["jobs"]["rankgate"]["steps"][0]["with"] == {
        "fetch-depth": "0",
        "persist-credentials": "false",
    }
    for step in written["jobs"]["rankgate"]["steps"]:
        assert "${{" not in step.get("run", "")


@pytest.mark.parametrize("kind", ["function", "server", "opensearch", "ripgrep"])
def test_workflow_passes_actionlint(kind: str, project: Path) -> None:
    if not ACTIONLINT.is_file():
        (pytest.fail if os.environ.get("CI") else pytest.skip)("`just actionlint` was not run")
    if kind == "ripgrep":
        write(project, {"rankgate.toml": 'suites = ["search.yaml"]\n[systems.app]\nkind = "ripgrep"\n'})
    elif kind == "opensearch":
        opensearch_project(project, "http://localhost:9200")
    else:
        (function_project if kind == "function" else server_project)(project)
    rankgate("init", "--ci", "github").printed()
    done = subprocess.run([ACTIONLINT, project / WORKFLOW], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize(
    ("system", "files", "install"),
    [
        ('kind = "tantivy"', {}, 'python -m pip install "rankgate[engines]=={}"'),
        (
            'kind = "sqlite"\ndatabase = "pages.db"\nsql = "SELECT 1"',
            {"requirements.txt": "x"},
            'python -m pip install "rankgate=={}"',
        ),
        (
            'function = "./starter_search.py:search"',
            {"requirements.txt": "x"},
            'python -m pip install "rankgate=={}"',
        ),
        (
            'kind = "ripgrep"',
            {},
            """sudo apt-get update
sudo apt-get install --yes ripgrep
python -m pip install "rankgate[engines]=={}\"""",
        ),
        (
            'function = "app:search"',
            {"pyproject.toml": '[build-system]\nrequires = ["hatchling"]\n'},
            'python -m pip install --editable . "rankgate=={}"',
        ),
        (
            'command = ["node", "search.mjs", "{query}"]',
            {"package.json": "{}", "yarn.lock": ""},
            'corepack enable\nyarn install --frozen-lockfile\npython -m pip install "rankgate=={}"',
        ),
    ],
)
def test_workflow_installs_what_the_system_needs(
    system: str, files: Mapping[str, str], install: str, project: Path
) -> None:
    write(project, {**files, "rankgate.toml": f'suites = ["search.yaml"]\n[systems.app]\n{system}\n'})
    lines = [line.strip() for line in ci_values(project, "github")["install"].splitlines()]
    assert "\n".join(lines) == install.format(version("rankgate"))


def test_workflow_installs_extras_of_all_tested_systems_and_targets(project: Path) -> None:
    entries = '{file = "search.yaml", system = "a"}, {file = "search.yaml", system = "b"}'
    systems = '[systems.a]\nkind = "http"\nurl = "https://a.example"\n[systems.b]\nkind = "lancedb"\n'
    other = '[systems.c]\nkind = "postgres"\nsql = "SELECT id FROM pages"\n'
    write(project, {"rankgate.toml": f"suites = [{entries}]\n{systems}{other}"})
    write(project, {"search.yaml": "corpus: docs\ncases: [{query: q, at: [a.rst#A, b.ts::C]}]\n"})
    assert '"rankgate[code,engines,http,rst]==' in ci_values(project, "github")["install"]


def test_init_says_what_nothing_starts_in_ci(project: Path) -> None:
    system = '[systems.app]\nkind = "http"\nurl = "http://localhost:8080/search"\n'
    write(project, {"rankgate.toml": f'suites = ["search.yaml"]\n{system}'})
    said = rankgate("init", "--ci", "github").printed()
    assert (
        "Nothing starts http://localhost:8080 in CI. Set `start` and `ready` of its system in rankgate.toml."
        in said
    )


def test_documentation_shows_the_workflow_that_init_writes(project: Path) -> None:
    write(project, {"starter_search.py": "def search(query, k):\n    return []\n"})
    write(project, {"rankgate.toml": '[systems.app]\nfunction = "./starter_search.py:search"\n'})
    rankgate("init", "--ci", "github").printed()
    written = (project / WORKFLOW).read_text().replace(f'"{PYTHON}"', '"3.12"')
    assert f"```yaml\n{written}```\n" in (ROOT / "docs" / "ci.md").read_text()


# The action


def used(**inputs: str) -> list[dict[str, Any]]:
    """Return the steps of a job with the action; the checkout has one commit."""
    return [
        {"uses": "actions/checkout@v4"},
        {"uses": "actions/setup-python@v5", "with": {"python-version": PYTHON}},
        {"uses": "OWNER/rankgate@v0", "with": {"version": "installed", **inputs}},
    ]


@pytest.fixture
def action(tmp_path: Path) -> Runner:
    """Return a runner for a repository with a project in `search/`, and its pull request."""
    repository = Repository(tmp_path / "project")
    write_project(repository.folder / "search")
    repository.push()
    repository.open_pull_request(lambda folder: (folder / "more.md").write_text("# More\n"))
    return Runner(tmp_path, repository.origin)


def test_documented_action_compares_with_base(project: Path) -> None:
    function_project(project)
    repository = Repository(project)
    repository.push()
    repository.open_pull_request(lambda folder: (folder / "app.py").write_text(FUNCTION + "\n# faster\n"))
    page = (ROOT / "docs" / "ci.md").read_text()
    (block,) = re.findall(r"```yaml\n(permissions:.*?OWNER/rankgate.*?)```", page, re.DOTALL)
    steps = yaml.load(block, yaml.BaseLoader)["steps"]
    job = Runner(project.parent, repository.origin).run(steps, PULL)
    assert not job.failed, job.out
    assert git_has_base(job)
    assert job.outputs["exit-code"] == "0"
    assert "--method POST" in job.calls[-1]


def git_has_base(job: Job) -> bool:
    words = ["git", "merge-base", "origin/main", "HEAD"]
    return subprocess.run(words, cwd=job.runner.workspace, capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(("system", "code"), [("", 1), ("good", 0), ("app:nothing_of_that_name", 2)])
def test_action_ends_with_the_exit_code_of_the_test(system: str, code: int, action: Runner) -> None:
    job = action.run(used(system=system, **{"working-directory": "search"}), PUSH)
    assert job.outputs["exit-code"] == str(code)
    assert job.failed == (["Verdict"] if code else [])
    assert "Traceback" not in job.out


def test_action_writes_reports_annotations_and_a_summary(action: Runner) -> None:
    inputs = {"suites": "search.yaml", "args": "--metric 'ndcg@5'", "working-directory": "search"}
    job = action.run(used(**inputs), PUSH)
    assert "file=search/search.yaml,line=2" in job.out
    assert job.summary.startswith("### ✗ search · app · failed")
    report = json.loads((job.runner.home / job.outputs["json"]).read_text())
    assert report["exit_code"] == 1
    assert "ndcg@5" in [row["metric"] for row in report["metrics"]]


def test_action_runs_no_input_as_a_script(action: Runner, tmp_path: Path) -> None:
    action.run(used(suites="$(touch hacked) `touch hacked` ;touch hacked", args="&& touch hacked"), PUSH)
    assert not list(tmp_path.rglob("hacked"))


def test_action_posts_one_comment_and_replaces_it(action: Runner) -> None:
    marker = "<!-- rankgate: search app -->"
    inputs = {"working-directory": "search"}

    def comments(*found: tuple[str, int, str]) -> None:
        rows = [{"user": {"login": login}, "id": number, "body": body} for login, number, body in found]
        (action.home / "comments.json").write_text(json.dumps(rows))

    comments(("mallory", 1, f"{marker}\nmine"), ("github-actions[bot]", 2, "<!-- rankgate: search good -->"))
    assert "--method POST repos/owner/name/issues/7/comments" in action.run(used(**inputs), PULL).calls[-1]
    comments(("mallory", 1, f"{marker}\nmine"), ("github-actions[bot]", 9, f"{marker}\nold"))
    job = action.run(used(**inputs), PULL)
    assert "--method PATCH repos/owner/name/issues/comments/9 --field body=@" in job.calls[-1]
    assert action.run(used(comment="false", **inputs), PULL).calls == []


def test_action_warns_if_a_comment_cannot_be_posted(action: Runner) -> None:
    job = action.run(used(system="good", **{"working-directory": "search"}), FORK)
    assert not job.failed, job.out
    assert "::warning title=rankgate::The comment was not posted." in job.out


def test_action_installs_its_own_version_with_extras(action: Runner) -> None:
    assert ACTION["inputs"]["version"]["default"] == version("rankgate")
    steps = used(system="good", extras="http,mcp", **{"working-directory": "search"})
    steps[-1]["with"].pop("version")
    job = action.run(steps, PUSH)
    assert not job.failed, job.out
    assert f"Requirement already satisfied: rankgate[http,mcp]=={version('rankgate')}" in job.steps[0].out


def test_action_and_workflow_have_one_script_for_the_comment(project: Path) -> None:
    function_project(project)
    rankgate("init", "--ci", "github").printed()
    written = workflow(project)["jobs"]["rankgate"]["steps"] + ACTION["runs"]["steps"]
    one, other = [step["run"] for step in written if step.get("name") == "Comment"]
    assert one == other


def test_action_uses_and_documents_every_input() -> None:
    text, page = json.dumps(ACTION["runs"]), (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
    for name, about in ACTION["inputs"].items():
        assert f"inputs.{name}" in text
        assert about["description"]
    assert [name for name in [*ACTION["inputs"], *ACTION["outputs"]] if f"`{name}`" not in page] == []
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert re.fullmatch(r"actions/[\w-]+@v\d+", step.get("uses", "actions/none@v0"))
