"""`rankgate test --base`: edits that can hide a regression, in a real repository with a base and a change.

Each edit is made beside a change of the search that it would hide. With ``yardstick = "head"`` it is named.
With ``yardstick = "base"`` the test fails as if the edit had not been made.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from verdicts.observed import run_command

DOCS = {
    "keys.md": "# Keys\n\n## Rotation\n\nRotate keys every month.\n\n## Revocation\n\nRevoke leaked keys.\n",
    "webhooks.md": "# Webhooks\n\n## Retries\n\nA hook is sent again.\n\n## Signatures\n\nCheck them.\n",
    "billing.md": "# Billing\n\n## Invoices\n\nExport them.\n",
    "junk.md": "# Junk\n\nNothing.\n",
}
SUITE = """\
corpus: docs/
metrics: [ndcg@10]
gates:
  - drop(ndcg@10) <= 0.1
  - ndcg@10 >= 0.75
  - rr >= 1 where category = exact
cases:
  - {query: rotate a key, at: keys.md#Rotation}
  - {query: revoke a key, at: keys.md#Revocation, never: [{at: junk.md}]}
  - {query: retry a webhook, at: webhooks.md#Retries, category: exact}
  - {query: verify a signature, at: webhooks.md#Signatures, top: {within: 1}}
  - {query: export invoices, at: {billing.md#Invoices: {source: import}}, filters: {lang: en}}
  - {query: blockchain, expect: empty}
scenarios:
  - name: replace a key
    steps: [{search: replace it, finds: keys.md#Rotation}]
"""
CONFIGURATION = """\
suites = ["search.yaml"]
system = "app"
[systems.app]
function = "./app.py:search"
[systems.good]
function = "./app.py:good"
"""
APP = """\
import json
from pathlib import Path


def answers(name, query, k, filters):
    key = query + "".join(sorted((filters or {}).values()))
    found = json.loads(Path(__file__).with_name(name).read_text()).get(key, [])
    if isinstance(found, str):
        raise RuntimeError(found)
    hits = [hit.split(":") for hit in found]
    return [{"path": path, **lines(span)} for path, span in hits][:k]


def lines(span):
    start, end = span.split("-")
    return {"start": int(start), "end": int(end)}


def search(query, k, filters=None):
    return answers("answers.json", query, k, filters)


def good(query, k, filters=None):
    return answers("good.json", query, k, filters)
"""
ROTATION, REVOCATION, RETRIES = "keys.md:3-6", "keys.md:7-9", "webhooks.md:3-6"
SIGNATURES, INVOICES, JUNK = "webhooks.md:7-9", "billing.md:3-5", "junk.md:1-3"
ANSWERS = {
    "rotate a key": [ROTATION],
    "revoke a key": [REVOCATION],
    "retry a webhook": [RETRIES],
    "verify a signature": [SIGNATURES],
    "export invoicesen": [INVOICES],
    "replace it": [ROTATION],
}
LOST = {"rotate a key": [JUNK]}
NEIGHBOUR = {"rotate a key": [REVOCATION]}
LATER = {"retry a webhook": [JUNK, RETRIES]}
TWO_LATER = {"rotate a key": [JUNK, ROTATION], "revoke a key": [ROTATION, REVOCATION]}
LOWER = {"verify a signature": [JUNK, SIGNATURES]}


@dataclass
class Project:
    """A working copy of the repository, on the branch of the change."""

    folder: Path
    answers: dict[str, Any]

    def replace(self, name: str, old: str, new: str) -> Project:
        path = self.folder / name
        text = path.read_text()
        assert old in text, (name, old)
        path.write_text(text.replace(old, new))
        return self

    def suite(self, old: str, new: str) -> Project:
        return self.replace("search.yaml", old, new)

    def line(self, start: str, end: str) -> Project:
        """Add keys to the case of a query."""
        return self.suite(start, start + end)

    def git(self, *arguments: str) -> Project:
        git(self.folder, *arguments)
        return self

    def baselines(self) -> list[Path]:
        return sorted((self.folder / "baselines").iterdir())

    def test(self, *options: str) -> tuple[int, str]:
        for name in ("answers.json", "good.json"):
            found = self.answers if name == "answers.json" else ANSWERS
            (self.folder / name).write_text(json.dumps(found))
        return run_command(self.folder, "test", "--base", "main", *options)

    def renew(self) -> Project:
        (self.folder / "answers.json").write_text(json.dumps(self.answers))
        run_command(self.folder, "baseline", "set", "search.yaml", "--once", "--system", "app")
        return self


def git(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="session", params=["head", "base"])
def repository(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """Make a repository whose branch `main` has a suite with its baseline."""
    folder = tmp_path_factory.mktemp(f"yardstick-{request.param}")
    for name, text in DOCS.items():
        (folder / "docs").mkdir(exist_ok=True)
        (folder / "docs" / name).write_text(text)
    (folder / "search.yaml").write_text(SUITE)
    (folder / "rankgate.toml").write_text(f'yardstick = "{request.param}"\n{CONFIGURATION}')
    (folder / "app.py").write_text(APP)
    (folder / ".gitignore").write_text(".rankgate\n*.json\n__pycache__\n!*.anchors.json\n")
    Project(folder, ANSWERS).renew()
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-q", "-m", "base")
    git(folder, "checkout", "-q", "-b", "change")
    return request.param, folder


@pytest.fixture
def project(repository: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("RANKGATE_DETAILS", raising=False)
    folder = tmp_path / "project"
    shutil.copytree(repository[1], folder)
    return Project(folder, dict(ANSWERS))


@dataclass(frozen=True)
class Edit:
    """A change of the test, and the change of the search that it would hide."""

    title: str
    edit: Callable[[Project], object]
    answers: Mapping[str, Any]
    lines: tuple[str, ...]
    """What the first screen and the comment say."""
    head: int = 0
    """The exit code with ``yardstick = "head"``."""
    base: int = 1
    """The exit code with ``yardstick = "base"``."""
    more: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What they say with one yardstick only."""


EDITS: list[Edit] = []


def edit(
    title: str,
    change: Callable[[Project], object],
    answers: Mapping[str, Any],
    *lines: str,
    head: int = 0,
    base: int = 1,
    **more: tuple[str, ...],
) -> None:
    EDITS.append(Edit(title, change, answers, lines, head, base, more))


def _remove_lines(project: Project) -> None:
    path = next(one for one in project.baselines() if one.suffix == ".jsonl")
    kept = [
        line
        for line in path.read_text().splitlines(keepends=True)
        if not re.search("rotate a key|retry a", line)
    ]
    path.write_text("".join(kept))


def _remove_baseline(project: Project) -> None:
    for path in project.baselines():
        path.unlink()


def _move(project: Project, to: str) -> Project:
    (project.folder / to).parent.mkdir(exist_ok=True)
    project.git("mv", "search.yaml", to)
    return project.replace("rankgate.toml", "search.yaml", to)


def _move_into_folder(project: Project) -> None:
    _move(project, "suites/search.yaml")
    project.replace("suites/search.yaml", "corpus: docs/", "corpus: ../docs/")


def _another_corpus(project: Project) -> None:
    shutil.copytree(project.folder / "docs", project.folder / "other")
    (project.folder / "other/keys.md").write_text("# Keys\n\n## Rotation\n\n\n\n\n\n### Revocation\n")
    project.suite("corpus: docs/", "corpus: other/")


def _add_cases(project: Project, template: str, number: int) -> Project:
    cases = "".join(f"  - {template.format(at)}\n" for at in range(number))
    project.suite("scenarios:\n", f"{cases}scenarios:\n")
    for at in range(number):
        project.answers[f"signature {at}"] = [SIGNATURES]
    return project


EXPORT = "{query: export invoices, at: {billing.md#Invoices: {source: import}}, filters: {lang: en}}"
ROTATE = "{query: rotate a key, at: keys.md#Rotation"
edit(
    "the baseline is renewed",
    Project.renew,
    LOST,
    "baseline renewed",
    more_head=(
        "baseline renewed: 1 changed of 6 queries",
        "1 query regressed against main: rotate a key: rank 1 → not found",
    ),
)
edit("the baseline is deleted", _remove_baseline, LOST, "baseline removed")
edit(
    "two lines of the baseline are removed",
    _remove_lines,
    LOST,
    "baseline renewed",
    more_head=("2 removed of 6 queries",),
)
edit("a case is removed", lambda p: p.suite(f"  - {ROTATE}}}\n", ""), LOST, "1 case removed: rotate a key")
edit(
    "a case is reworded",
    lambda p: p.suite("rotate a key", "rotate it"),
    LOST | {"rotate it": [ROTATION]},
    "1 case removed: rotate a key",
    "1 case added",
)
edit(
    "a case is moved to another category",
    lambda p: [p.suite("category: exact", "category: other"), p.line(ROTATE, ", category: exact")],
    LATER,
    "2 cases changed",
    "retry a webhook: category",
)
edit(
    "the weight of cases is changed",
    lambda p: [p.line(ROTATE, ", weight: 0.01"), p.line("{query: revoke a key", ", weight: 0.01")],
    TWO_LATER,
    "2 cases changed",
    "rotate a key: weight",
    "revoke a key: weight",
)
edit(
    "a target becomes what comes first now",
    lambda p: p.suite("keys.md#Rotation}\n", "junk.md}\n"),
    LOST,
    "1 case changed: rotate a key: at",
    more_head=("1 query regressed against main: rotate a key: rank 1 → not found",),
)
edit(
    "a target is widened to its file",
    lambda p: p.suite(ROTATE, "{query: rotate a key, at: keys.md"),
    NEIGHBOUR,
    "1 case changed: rotate a key: at",
)
edit(
    "a never is removed",
    lambda p: p.suite(", never: [{at: junk.md}]", ""),
    {"revoke a key": [REVOCATION, JUNK]},
    "1 case changed: revoke a key: never",
)
edit(
    "a top is removed",
    lambda p: p.suite(", top: {within: 1}", ""),
    LOWER,
    "1 case changed: verify a signature: top",
)
edit(
    "a top is loosened",
    lambda p: p.suite("within: 1", "within: 5"),
    LOWER,
    "1 case changed: verify a signature: top",
)
edit(
    "a scenario is removed",
    lambda p: p.suite(SUITE[SUITE.index("scenarios:") :], ""),
    {"replace it": [JUNK]},
    "1 scenario removed: replace a key",
)
edit(
    "a scenario finds something else",
    lambda p: p.suite("finds: keys.md#Rotation", "finds: junk.md"),
    {"replace it": [JUNK]},
    "1 scenario changed: replace a key: steps",
)
edit(
    "a case is a known miss",
    lambda p: p.line(ROTATE, ", xfail: later"),
    LOST,
    "1 case changed: rotate a key: xfail",
)
edit(
    "a case expects something",
    lambda p: p.suite("expect: empty", "at: junk.md"),
    {"blockchain": [JUNK]},
    "1 case changed: blockchain: at, expect",
)
edit(
    "gates are loosened",
    lambda p: [p.suite("<= 0.1", "<= 0.5"), p.suite("ndcg@10 >= 0.75", "ndcg@10 >= 0.5")],
    TWO_LATER,
    "2 gates removed",
    "drop(ndcg@10) <= 0.1",
    "2 gates added",
    "drop(ndcg@10) <= 0.5",
)
edit(
    "gates are sliced",
    lambda p: [
        p.suite("<= 0.1", "<= 0.1 where category = exact"),
        p.suite(">= 0.75", ">= 0.75 where category = exact"),
    ],
    TWO_LATER,
    "2 gates added",
    "ndcg@10 >= 0.75 where category = exact",
)
edit(
    "a gate is removed",
    lambda p: p.suite("  - rr >= 1 where category = exact\n", ""),
    LATER,
    "1 gate removed: rr >= 1 where category = exact",
)
edit(
    "gating_sources is changed",
    lambda p: [
        p.suite("metrics:", "gating_sources: [import]\nmetrics:"),
        p.suite("  - rr >= 1 where category = exact\n", ""),
    ],
    LOST,
    "suite changed: gating_sources",
)
edit(
    "unlisted is changed",
    lambda p: p.suite("metrics:", "unlisted: unjudged\nmetrics:"),
    LOST,
    "suite changed: unlisted",
    head=1,
)
edit(
    "metrics are changed",
    lambda p: p.suite("metrics: [ndcg@10]", "metrics: [hit@10]"),
    LOST,
    "suite changed: metrics",
    head=1,
)
edit(
    "lines are ignored",
    lambda p: p.suite("metrics:", "match: path\nmetrics:"),
    NEIGHBOUR,
    "suite changed: match",
)
edit("the corpus is another one", _another_corpus, NEIGHBOUR, "suite changed: corpus")
edit(
    "filters are changed",
    lambda p: p.suite("lang: en", "lang: de"),
    {"export invoicesen": [JUNK], "export invoicesde": [INVOICES]},
    "1 case removed: export invoices",
    "1 case added",
)
edit("the suite is renamed", lambda p: _move(p, "find.yaml"), LOST, "removed", "search.yaml")
edit("the suite is moved", _move_into_folder, LOST, "removed", "search.yaml")
edit(
    "the suite is not listed any more",
    lambda p: [
        _move(p, "find.yaml"),
        p.git("mv", "find.yaml", "search.yml"),
        p.replace("rankgate.toml", '"find.yaml"', ""),
    ],
    LOST,
    "removed",
    "search.yaml",
)
edit(
    "duplicates of an easy case are added",
    lambda p: _add_cases(
        p, "{{query: export invoices, name: copy-{}, at: billing.md#Invoices, filters: {{lang: en}}}}", 10
    ),
    TWO_LATER,
    "10 cases added",
)
edit(
    "easy cases are added",
    lambda p: [
        _add_cases(p, "{{query: signature {}, at: webhooks.md#Signatures}}", 20),
        p.suite("  - drop(ndcg@10) <= 0.1\n", ""),
    ],
    TWO_LATER,
    "20 cases added",
)
edit(
    "errors are allowed",
    lambda p: p.replace("rankgate.toml", "suites", "max_errors = 3\nsuites"),
    {"blockchain": "time-out"},
    "configuration changed: max_errors 0 → 3",
    base=3,
)
edit(
    "the default system is another one",
    lambda p: p.replace("rankgate.toml", 'system = "app"', 'system = "good"'),
    LOST,
    "search.yaml",
    more_head=("configuration changed: system app → good", "the change removed search.yaml"),
)
edit(
    "the yardstick is another one",
    lambda p: [p.replace("rankgate.toml", "yardstick", "#"), p.renew()],
    LOST,
    "baseline renewed",
    more_base=("configuration changed: yardstick base → head",),
)
edit(
    "results are longer, and the baseline is renewed",
    Project.renew,
    {
        query: [f"{path}:1-{len(DOCS[path].splitlines())}"]
        for query, hits in ANSWERS.items()
        for path in [hits[0].partition(":")[0]]
    },
    "baseline renewed",
    "longer than in the baseline",
    base=0,
)


@pytest.mark.parametrize("one", EDITS, ids=lambda one: one.title)
def test_edit_is_named_and_decides_only_with_yardstick_head(
    one: Edit, project: Project, repository: tuple[str, Path]
) -> None:
    yardstick, _ = repository
    project.answers |= one.answers
    one.edit(project)
    code, output = project.test("-o", "github-comment=comment.md")
    comment = (project.folder / "comment.md").read_text()
    for line in (*one.lines, *one.more.get(f"more_{yardstick}", ())):
        assert line in output, output
        assert line in comment.replace("\\", ""), comment
    assert code == (one.head if yardstick == "head" else one.base), output


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(
            lambda p: [
                p.replace("docs/keys.md", "## Rotation", "## Rotate"),
                p.suite("#Rotation", "#Rotate"),
            ],
            id="renamed heading",
        ),
        pytest.param(lambda p: p.suite("keys.md#Rotation}\n", "keys.md}\n"), id="corrected judgment"),
        pytest.param(
            lambda p: _add_cases(p, "{{query: signature {}, at: webhooks.md#Signatures}}", 3), id="new cases"
        ),
        pytest.param(
            lambda p: [
                (p.folder / "docs/billing.md").unlink(),
                p.suite(f"  - {EXPORT}\n", ""),
            ],
            id="page and its case removed",
        ),
    ],
)
def test_honest_change_passes(change: Callable[[Project], object], project: Project) -> None:
    change(project)
    project.answers["export invoicesen"] = (
        [INVOICES] if (project.folder / "docs/billing.md").exists() else [JUNK]
    )
    code, output = project.test()
    assert code == 0, output
    assert "Changes to the test" in output


def test_reordered_and_reformatted_suite_is_no_change(project: Project) -> None:
    lines = SUITE.splitlines(keepends=True)
    first = SUITE.index("cases:\n") + len("cases:\n")
    cases = [line for line in lines if line.startswith("  - {")]
    text = SUITE[:first] + "".join(reversed(cases)) + SUITE[SUITE.index("scenarios:") :]
    text = text.replace(
        "  - drop(ndcg@10) <= 0.1\n  - ndcg@10 >= 0.75\n", "  - ndcg@10>=0.75\n  - drop(ndcg@10)  <= 0.1\n"
    )
    (project.folder / "search.yaml").write_text(f"# a comment\n{text}")
    code, output = project.test()
    assert (code, "Changes to the test" in output) == (0, False), output


def test_branch_behind_main_shows_no_changes(project: Project) -> None:
    project.git("checkout", "-q", "main")
    project.suite("ndcg@10 >= 0.75", "ndcg@10 >= 0.8")
    project.git("commit", "-q", "-a", "-m", "later")
    project.git("checkout", "-q", "change")
    code, output = project.test()
    assert (code, "Changes to the test" in output) == (0, False), output


def test_change_that_adds_rankgate_shows_one_line(project: Project) -> None:
    project.git("checkout", "-q", "main")
    project.git("rm", "-q", "-r", "search.yaml", "rankgate.toml", "baselines")
    project.git("commit", "-q", "-m", "without rankgate")
    project.git("checkout", "-q", "-b", "adds")
    project.git("checkout", "-q", "change", "--", "search.yaml", "rankgate.toml", "baselines")
    code, output = project.test()
    assert (code, "Changes to the test" in output) == (0, False), output
    assert output.count("main has no suite search.yaml: everything is new.") == 1


@pytest.mark.parametrize("ref", ["origin/main", "--upload-pack=x", "nobody"])
def test_unknown_base_is_exit_code_2_with_git_fetch(ref: str, project: Project) -> None:
    code, output = run_command(project.folder, "test", f"--base={ref}")
    assert code == 2
    assert "git fetch origin" in output


def test_shallow_clone_is_exit_code_2_with_git_fetch(project: Project, tmp_path: Path) -> None:
    project.git("commit", "-q", "--allow-empty", "-m", "change")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "1", "--branch", "change", f"file://{project.folder}", str(clone))
    code, output = run_command(clone, "test", "--base", "origin/main")
    assert code == 2
    assert "git fetch --unshallow origin main:refs/remotes/origin/main" in output


def test_invalid_base_leaves_the_change_to_decide(project: Project) -> None:
    project.git("checkout", "-q", "main")
    project.suite("ndcg@10 >= 0.75", "ndcg@10 >= 90")
    project.git("commit", "-q", "-a", "-m", "invalid")
    project.git("checkout", "-q", "-b", "corrects")
    project.suite("ndcg@10 >= 90", "ndcg@10 >= 0.75")
    code, output = project.test()
    assert code == 0, output
    assert "The test at main is invalid, so that of the change decides: main:search.yaml:5:5" in output


def test_invalid_suite_of_the_change_is_exit_code_2(project: Project) -> None:
    project.suite("keys.md#Rotation}\n", "keys.md#Nothing}\n")
    code, output = project.test()
    assert code == 2
    assert "search.yaml:8:5: the target 'keys.md#Nothing' is not in the documents" in output
    project.suite("ndcg@10 >= 0.75", "ndcg@10 >= 90")
    assert project.test()[0] == 2


LINKS = r"""corpus: docs/
map:
  - {from: 'https://v1[.]example[.]org/([^#]*)#(.+)', to: '\1.md#\2'}
  - {from: 'https://v1[.]example[.]org/([^#]*)', to: '\1.md'}
gates: [rr >= 1]
cases:
  - {query: rotate a key, at: keys.md#Rotation}
  - {query: count, at: numbers.md#Numbers/Many}
"""
NUMBERS = " ".join(f"The number {number} comes before {number + 1}." for number in range(200))
LINKING_APP = """\
from pathlib import Path

PAGES = {"rotate a key": "keys#Rotation", "count": "numbers"}


def search(query, k):
    with Path(__file__).with_name("queries.txt").open("a") as file:
        print(query, file=file)
    text = Path(__file__).with_name("text.txt").read_text() if query == "count" else None
    return [{"id": f"https://v1.example.org/{PAGES[query]}", "text": text}]
"""


def test_map_of_the_change_locates_the_same_results_if_that_of_the_base_locates_nothing(
    tmp_path: Path,
) -> None:
    for name, text in DOCS.items():
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / name).write_text(text)
    for name in ("numbers.md", "copy.md"):  # the text alone does not tell which one it is
        (tmp_path / "docs" / name).write_text(f"# Numbers\n\n## Few\n\nOne.\n\n## Many\n\n{NUMBERS}\n")
    (tmp_path / "text.txt").write_text(NUMBERS)
    (tmp_path / "search.yaml").write_text(LINKS)
    (tmp_path / "rankgate.toml").write_text(f'yardstick = "base"\n{CONFIGURATION}')
    (tmp_path / "app.py").write_text(LINKING_APP)
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "base")
    git(tmp_path, "checkout", "-q", "-b", "change")
    project = Project(tmp_path, {})
    for name in ("search.yaml", "app.py"):
        project.replace(name, "v1", "v2")
    code, output = project.test()
    assert (code, "map of the change used: main: locates nothing" in output) == (0, True), output
    queries = (tmp_path / "queries.txt").read_text().splitlines()
    assert sorted(queries) == ["count", "rotate a key"]
