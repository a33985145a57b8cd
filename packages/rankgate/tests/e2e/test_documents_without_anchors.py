"""Documents were edited and nothing was anchored: git says what was judged, and nothing rests on a name."""

from __future__ import annotations

import json
import subprocess
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

KEYS = """# Access keys

Every client signs in with a key.

## Creating

`parcel key create NAME` prints the key once. Store it in your secret manager.

## Rotation

Replace keys every 90 days. Two keys of one client may be valid at the same time.
"""
REVOCATION = "`parcel key revoke` ends a leaked key at once, on all machines.\n"
DEPLOY = """# Deploying

A deployment is a release on a set of machines.

## Rolling updates

Machines are replaced one batch at a time. A batch waits until the one before is healthy.

## Rolling back

`parcel rollback` puts the previous release back. Databases are not touched.
"""
SUITE = """corpus: docs/
gates: [hit@5 >= 0.5]
cases:
  - {query: leaked key, at: keys.md#Revocation}
  - {query: previous release, at: deploy.md#Rolling back}
  - {query: replace keys, at: keys.md#Rotation}
"""
APP = """
from pathlib import Path

DOCS = Path(__file__).parent / "docs"


def search(query, k):
    hits = []
    for page in sorted(DOCS.glob("*.md")):
        lines = page.read_text().splitlines()
        heads = [at for at, line in enumerate(lines) if line.startswith("#")]
        for head, behind in zip(heads, [*heads[1:], len(lines)]):
            text = " ".join(lines[head:behind]).lower()
            score = sum(word in text for word in query.lower().split())
            hits.append((score, {"path": page.name, "start": head + 1, "end": behind}))
    return [hit for score, hit in sorted(hits, key=lambda one: -one[0])[:k] if score]
"""
MOVES = (
    ("keys.md#Revocation", "security.md#Leaked keys"),
    ("deploy.md#Rolling back", "deploy.md#Undo a release"),
)


def _git(folder: Path, *words: str) -> str:
    who = ("-c", "user.name=Dana", "-c", "user.email=dana@example.com")
    done = subprocess.run(["git", *who, *words], cwd=folder, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _commit(folder: Path, message: str) -> str:
    _git(folder, "add", "-A")
    _git(folder, "commit", "-qm", message)
    return _git(folder, "rev-parse", "HEAD")[:12]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "keys.md").write_text(f"{KEYS}\n## Revocation\n\n{REVOCATION}")
    (tmp_path / "docs" / "deploy.md").write_text(DEPLOY)
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "app.py").write_text(APP)
    toml = 'suites = ["search.yaml"]\nsystem = "app"\n[systems.app]\nfunction = "./app.py:search"\n'
    (tmp_path / "rankgate.toml").write_text(toml)
    (tmp_path / ".gitignore").write_text(".rankgate/\n__pycache__/\n")
    return tmp_path


def _edit(project: Path, heading: str = "Leaked keys") -> None:
    docs = project / "docs"
    (docs / "keys.md").write_text(KEYS)
    (docs / "security.md").write_text(f"# Security\n\nWhen something leaks.\n\n## {heading}\n\n{REVOCATION}")
    text = DEPLOY.replace("## Rolling back", "## Undo a release")
    (docs / "deploy.md").write_text(text.replace("# Deploying\n", "# Deploying\n\nNew in 3.0.\n", 1))


def _flat(text: str) -> str:
    return " ".join(text.split())


def _judged(project: Path, how: str) -> str:
    """Commit the project as it was judged, and return the commit that says so."""
    _git(project, "init", "-q", "-b", "main")
    if how == "suite":
        return _commit(project, "all")
    rankgate("baseline", "set").printed()
    return _commit(project, "all")


WHY = {
    "suite": "the last that changed search.yaml",
    "baseline": "the last that changed search.app.jsonl",
}


@pytest.mark.parametrize("how", list(WHY))
def test_suite_fix_finds_the_documents_that_were_judged(project: Path, how: str) -> None:
    judged = _judged(project, how)
    _edit(project)
    if how != "suite":
        # The suite changed since, and says nothing of what was judged.
        (project / "search.yaml").write_text(SUITE.replace("0.5", "0.4"))
    _commit(project, "edited")
    done = rankgate("test")
    assert done.code == 2
    assert "2 missing targets (exit code 2)" in done.out
    assert "next: rankgate suite fix search.yaml" in done.out
    command = f"rankgate suite fix search.yaml --from {judged}"
    by_itself, named = rankgate("suite", "fix", "search.yaml"), rankgate(*command.split()[1:])
    assert f"Documents before: commit {judged}, {WHY[how]}" in by_itself.out
    for old, new in MOVES:
        assert f"  {old}\n    → {new}\n" in by_itself.out
    assert by_itself.out.splitlines()[2:] == named.out.splitlines()[2:]
    assert f"{command} --yes" in by_itself.out
    rankgate("suite", "fix", "search.yaml", "--yes").printed()
    assert rankgate("test").code == 0
    assert "security.md#Leaked keys" in (project / "search.yaml").read_text()


GATED = SUITE.replace("0.5]", "0.5, drop(hit@5) <= 0, lost@10 = 0]")
BODY = APP.replace('"start": head + 1,', '"start": min(head + 3, behind),')
"""Shows what is below a heading, without it."""
SAME = "ndcg@10 1.000 (baseline 1.000) · 0 improved, 0 regressed"


def _mended(project: Path, app: str, heading: str = "Leaked keys") -> str:
    """Test the suite with a baseline, edit the documents, mend, and return what the test says then."""
    (project / "search.yaml").write_text(GATED)
    (project / "app.py").write_text(app)
    _judged(project, "baseline")
    _edit(project, heading)
    _commit(project, "edited")
    assert rankgate("suite", "fix", "search.yaml", "--yes").code == 0
    done = rankgate("test")
    assert done.code == 0, done.out
    return done.out


@pytest.mark.parametrize("app", [APP, BODY], ids=["whole sections", "without their headings"])
def test_baseline_follows_suite_fix_without_anchors(project: Path, app: str) -> None:
    assert SAME in _mended(project, app)
    (project / "app.py").write_text(app.replace('glob("*.md")', 'glob("[!s]*.md")'))
    worse = rankgate("test")
    assert worse.code == 1
    assert "lost@10 = 1 (required: 0)" in worse.out
    assert "leaked key   rank 1 → not found" in worse.out


def test_baseline_follows_a_line_to_another_page(project: Path) -> None:
    assert SAME in _mended(project, BODY, "Revocation")


def test_baseline_hit_at_a_removed_copy_follows_the_decision(project: Path) -> None:
    copy = "# Old\n\n## Rolling back\n\n" + DEPLOY.rsplit("\n\n", 1)[1]
    (project / "search.yaml").write_text(GATED)
    (project / "docs" / "old.md").write_text(copy)
    _judged(project, "baseline")
    _edit(project)
    (project / "docs" / "old.md").unlink()
    _commit(project, "edited")
    mended = rankgate(
        *("suite", "fix", "search.yaml", "--yes", "--take", "previous-release=deploy.md#Undo a release")
    )
    assert mended.code == 0
    done = rankgate("test")
    assert (done.code, SAME in done.out) == (0, True)


def test_doctor_proposes_the_same_and_no_edit_by_name(project: Path) -> None:
    judged = _judged(project, "suite")
    _edit(project)
    said = json.loads(rankgate("doctor", "--json").out)
    assert f"rankgate suite fix search.yaml --from {judged}" in json.dumps(said)
    assert "keys.md#Rotation" not in json.dumps(said["checks"])


def test_without_git_a_name_that_is_alike_is_listed_and_never_pasted(project: Path) -> None:
    _edit(project)
    done = rankgate("suite", "fix", "search.yaml")
    assert done.code == 1
    assert "1) keys.md#Rotation  (a name like it)" in done.out
    assert "--take leaked-key=LOCATION" in done.out
    assert "--take 'leaked-key=" not in done.out
    assert "--from COMMIT or FOLDER names the documents as they were" in done.out


def test_a_history_that_never_had_the_target_says_nothing(project: Path) -> None:
    _edit(project)
    _judged(project, "suite")
    done = rankgate("suite", "fix", "search.yaml")
    assert "Documents before" not in done.out
    assert "--from" not in _flat(rankgate("test").out)


def test_a_suite_whose_targets_are_all_there_is_anchored_as_it_stands(project: Path) -> None:
    _judged(project, "suite")
    text = (project / "docs" / "keys.md").read_text()
    (project / "docs" / "keys.md").write_text(text.replace("every 90 days", "every 30 days"))
    done = rankgate("suite", "fix", "search.yaml", "--yes")
    assert done.code == 0
    assert "3 targets: 3 unchanged" in done.out
    assert "Documents before" not in done.out
