"""Git reads objects of the project alone, and starts nothing that the configuration of a repository names."""

from __future__ import annotations

import os
import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora import git as git_corpora
from rankgate.corpora.corpus import OpenContext, open_source
from rankgate.errors import InputError
from rankgate.model import CorpusSource
from rankgate.project.history import checked_out

if TYPE_CHECKING:
    from pathlib import Path

SECRET = "a secret of another repository\n"


def git(folder: Path, *words: str) -> str:
    quiet = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    command = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words]
    done = subprocess.run(
        command, cwd=folder, env={**quiet, "GIT_CONFIG_GLOBAL": os.devnull}, capture_output=True, check=True
    )
    return done.stdout.decode().strip()


def repository(folder: Path, text: str) -> tuple[Path, str]:
    folder.mkdir(parents=True)
    git(folder, "init", "--quiet", "--initial-branch=main")
    (folder / "a.md").write_text(text)
    git(folder, "add", "a.md")
    git(folder, "commit", "--quiet", "--message", "one")
    return folder, git(folder, "rev-parse", "HEAD")


@pytest.fixture
def outside(tmp_path: Path) -> tuple[Path, str]:
    return repository(tmp_path / "outside", SECRET)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder, _ = repository(tmp_path / "project" / "docs", "public\n")
    return folder.parent


def opened(project: Path, commit: str, root: Path | None = None) -> str:
    context = OpenContext(project, root or project, cache=project.parent / "cache")
    return open_source(CorpusSource("docs", "git", {"commit": commit}), context).text("a.md")


def refused(project: Path, commit: str) -> str:
    with pytest.raises(InputError) as caught:
        opened(project, commit)
    return str(caught.value)


def by_alternates(project: Path, outside: Path) -> None:
    (project / "docs/.git/objects/info/alternates").write_text(f"{outside}/.git/objects\n")


def by_a_chain_of_relative_alternates(project: Path, outside: Path) -> None:
    between, _ = repository(project / "between", "between\n")
    by_name = "../../../between/.git/objects\n"
    (project / "docs/.git/objects/info/alternates").write_text(by_name)
    (between / ".git/objects/info/alternates").write_text(f"{outside}/.git/objects\n")


def by_alternates_in_quotes(project: Path, outside: Path) -> None:
    place = f'"{outside}/.git/obj\\145cts"\n'
    (project / "docs/.git/objects/info/alternates").write_text(place)


def by_a_linked_store(project: Path, outside: Path) -> None:
    shutil.rmtree(project / "docs/.git/objects")
    (project / "docs/.git/objects").symlink_to(outside / ".git/objects")


def by_linked_folders(project: Path, outside: Path) -> None:
    for folder in (outside / ".git/objects").glob("??"):
        if not (project / "docs/.git/objects" / folder.name).exists():
            (project / "docs/.git/objects" / folder.name).symlink_to(folder)


def by_a_linked_pack(project: Path, outside: Path) -> None:
    git(outside, "repack", "-a", "-d", "--quiet")
    for file in (outside / ".git/objects/pack").iterdir():
        (project / "docs/.git/objects/pack" / file.name).symlink_to(file)


WAYS = (
    by_alternates,
    by_a_chain_of_relative_alternates,
    by_alternates_in_quotes,
    by_a_linked_store,
    by_linked_folders,
    by_a_linked_pack,
)


@pytest.mark.parametrize("way", WAYS)
def test_git_objects_outside_the_project_are_rejected(
    project: Path, outside: tuple[Path, str], way: object, tmp_path: Path
) -> None:
    place, commit = outside
    assert callable(way)
    way(project, place)
    said = refused(project, commit)
    assert f"the repository has objects outside the project, in {place}/.git/objects" in said
    assert "corpora_outside = true" in said
    assert opened(project, commit, tmp_path) == SECRET


def test_alternates_inside_the_project_are_read(project: Path) -> None:
    sibling, commit = repository(project / "sibling", "a sibling\n")
    by_alternates(project, sibling)
    assert opened(project, commit) == "a sibling\n"


def test_status_of_a_checkout_runs_no_configured_program(tmp_path: Path) -> None:
    folder, commit = repository(tmp_path / "checkout", "one\n")
    program = tmp_path / "program"
    program.write_text(f"#!/bin/sh\ntouch {tmp_path}/was-run-$1\ncat\n")
    program.chmod(0o755)
    drivers = ("odd", "with=sign", "with.point")
    keys = ["core.fsmonitor", "core.sshCommand", "diff.external", "core.pager", "core.editor"]
    keys += [f"filter.{name}.{key}" for name in drivers for key in ("clean", "smudge", "process")]
    keys += [f"diff.{name}.{key}" for name in drivers for key in ("textconv", "command")]
    for number, key in enumerate(keys):
        git(folder, "config", key, f"{program} {number}")
    git(folder, "config", "filter.odd.required", "true")
    hooks = folder / ".git" / "hooks"
    hooks.mkdir(exist_ok=True)
    for hook in ("post-index-change", "fsmonitor-watchman"):
        shutil.copy(program, hooks / hook)
    (folder / ".git/info/attributes").write_text("*.md filter=odd diff=odd\n*.txt filter=with=sign\n")
    (folder / "a.md").write_text("two\n")
    os.utime(folder / "a.md", (0, 0))
    found = checked_out(folder)
    assert [path.name for path in tmp_path.glob("was-run-*")] == []
    assert (found.name, found.dirty) == (commit, True)


def test_status_of_a_checkout_ignores_its_worktree_setting(tmp_path: Path) -> None:
    folder, _ = repository(tmp_path / "checkout", "one\n")
    git(folder, "config", "core.worktree", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    assert not checked_out(folder).dirty


def test_git_that_does_not_end_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "git").write_text("#!/bin/sh\nexec sleep 60\n")
    (tmp_path / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(git_corpora, "SECONDS", 0.2)
    with pytest.raises(InputError, match="git that did not answer"):
        git_corpora.Git(tmp_path, "corpus").word("rev-parse", "HEAD")
