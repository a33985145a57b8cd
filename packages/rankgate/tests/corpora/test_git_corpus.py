"""Commits of a local repository: pinned by a hash, read from objects, with nothing run on the way."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.corpus import Corpus, OpenContext, open_source
from rankgate.corpora.folder import FolderCorpus
from rankgate.errors import InputError, RankgateError
from rankgate.model import CorpusSource
from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

DAY = "2026-01-01T00:00:00Z"
LFS = "version https://git-lfs.github.com/spec/v1\noid sha256:" + "0" * 64 + "\nsize 12\n"


def git(folder: Path, *words: str) -> str:
    done = subprocess.run(
        ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", *words],
        cwd=folder,
        env={
            **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_DATE": DAY,
            "GIT_COMMITTER_DATE": DAY,
        },
        capture_output=True,
        check=True,
    )
    return done.stdout.decode().strip()


def write(folder: Path, files: dict[str, str | bytes]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def commit(folder: Path, files: dict[str, str | bytes], message: str = "all") -> str:
    write(folder, files)
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message", message)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder, {"README.md": "first\n", "docs/a.md": "# A\n", "docs/b/c.md": "c\r\n"})
    git(folder, "tag", "--annotate", "--message", "one", "v1")
    commit(folder, {"docs/a.md": "# A, again\n"}, "second")
    return folder


def opened(
    repository: Path, *, room: OpenContext | None = None, said: list[str] | None = None, **options: str
) -> Corpus:
    here = repository.parent
    told = None if said is None else said.append
    room = room or OpenContext(here, here, cache=here / "cache", progress=told)
    return open_source(CorpusSource(repository.name, "git", options), room)


def refusal(repository: Path, room: OpenContext | None = None, **options: str) -> str:
    with pytest.raises(InputError) as caught:
        opened(repository, room=room, said=None, **options)
    return str(caught.value)


def test_a_commit_is_read_whatever_the_working_copy_holds(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    write(repository, {"docs/a.md": "changed", "new.md": "new"})
    corpus = opened(repository, commit=head)
    assert corpus.paths() == ("README.md", "docs/a.md", "docs/b/c.md")
    assert corpus.text("docs/a.md") == "# A, again\n"
    first = opened(repository, commit=git(repository, "rev-parse", "HEAD~"), under="docs")
    assert first.paths() == ("a.md", "b/c.md")
    assert first.text("a.md") == "# A\n"
    assert first.text("b/c.md") == "c\n"


def test_an_abbreviated_hash_will_do(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    whole = opened(repository, commit=head)
    assert opened(repository, commit=head[:7].upper()).fingerprint == whole.fingerprint


def test_a_name_is_refused_with_the_hash_to_write(repository: Path) -> None:
    head, first = git(repository, "rev-parse", "HEAD"), git(repository, "rev-parse", "v1^{commit}")
    for name, found in (("main", head), ("HEAD", head), ("v1", first), ("HEAD~1", first)):
        assert refusal(repository, commit=name) == (
            f"corpus git repository: found {name!r}, which is a name and may move, "
            f"expected the hash of a commit; write commit: {found}"
        )
    assert refusal(repository) == (
        f"corpus git repository: found no commit, expected the hash of a commit; write commit: {head}"
    )
    tag = git(repository, "rev-parse", "v1")
    assert refusal(repository, commit=tag).endswith(f"write commit: {first}")


def test_a_branch_that_looks_like_a_hash_is_no_hash(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    git(repository, "branch", "deadbeef")
    assert refusal(repository, commit="deadbeef").endswith(f"write commit: {head}")


def test_a_name_will_do_where_nothing_is_pinned(repository: Path) -> None:
    here = repository.parent
    room = OpenContext(here, here, cache=here / "cache", unpinned=True)
    head = git(repository, "rev-parse", "HEAD")
    assert opened(repository, room=room, commit="main").notes == (f"main is commit {head}",)
    assert opened(repository, room=room).notes == (f"HEAD is commit {head}",)


def test_what_is_no_commit_is_told(repository: Path) -> None:
    assert refusal(repository, commit="0123456789") == (
        "corpus git repository: found no commit '0123456789', expected a commit of the repository; "
        "git fetch --all, or correct it"
    )
    assert "write the hash of a commit" in refusal(repository, commit="--upload-pack=touch x")
    blob = git(repository, "rev-parse", "HEAD:README.md")
    assert "no commit" in refusal(repository, commit=blob)
    head = git(repository, "rev-parse", "HEAD")
    assert refusal(repository, commit=head, under="dcos").endswith("expected a folder; there are docs")
    assert "no folder 'README.md'" in refusal(repository, commit=head, under="README.md")
    assert "did you mean commit?" in refusal(repository, comit=head)
    with pytest.raises(RankgateError):
        opened(repository, commit="a\0b")


def test_a_shallow_clone_says_so(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{repository}", "shallow")
    first = git(repository, "rev-parse", "HEAD~")
    told = refusal(tmp_path / "shallow", commit=first)
    assert "git fetch --unshallow, or fetch-depth: 0 in CI" in told


def test_links_and_submodules_are_left_out_and_counted(repository: Path) -> None:
    (repository / "docs" / "link.md").symlink_to("/etc/passwd")
    git(repository, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},docs/module")
    git(repository, "add", "docs/link.md")
    git(repository, "commit", "--quiet", "--message", "links")
    corpus = opened(repository, commit=git(repository, "rev-parse", "HEAD"), under="docs")
    assert corpus.skipped == {"link.md": "a symbolic link", "module": "a submodule"}
    assert corpus.notes == ("1 symbolic links skipped", "1 submodules skipped")


def test_git_lfs_pointers_are_counted(repository: Path) -> None:
    files: dict[str, str | bytes] = {"big.txt": LFS, ".gitattributes": "*.md filter=shout\n"}
    head = commit(repository, files)
    assert opened(repository, commit=head).notes == (
        "1 hidden files and folders skipped",
        "1 Git LFS pointers: what they point to is not in the repository",
    )


def test_nothing_that_is_configured_is_run(repository: Path, tmp_path: Path) -> None:
    """Every way a configuration can start a program, each leaving a trace if it does."""
    trace = tmp_path / "trace"
    script = tmp_path / "run.sh"
    script.write_text(f"#!/bin/sh\necho $0 >> {trace}\nexit 1\n")
    script.chmod(0o755)
    head = commit(repository, {".gitattributes": "* filter=shout diff=shout\n"})
    for name in ("post-checkout", "pre-auto-gc", "post-index-change", "reference-transaction"):
        hook = repository / ".git" / "hooks" / name
        hook.write_text(script.read_text())
        hook.chmod(0o755)
    settings = {
        "core.fsmonitor": str(script),
        "core.pager": str(script),
        "pager.ls-tree": "true",
        "core.sshCommand": str(script),
        "core.alternateRefsCommand": str(script),
        "filter.shout.smudge": str(script),
        "filter.shout.process": str(script),
        "filter.shout.required": "true",
        "diff.shout.textconv": str(script),
        "alias.ls-tree": f"!{script}",
        "alias.cat-file": f"!{script}",
        "extensions.partialClone": "evil",
        "remote.evil.url": f"ext::{script} %S",
        "remote.evil.promisor": "true",
        "protocol.ext.allow": "always",
    }
    for key, value in settings.items():
        git(repository, "config", key, value)
    assert len(opened(repository, commit=head)) == 3
    blob = git(repository, "rev-parse", "HEAD:README.md")
    (repository / ".git" / "objects" / blob[:2] / blob[2:]).unlink()
    write(repository.parent, {"elsewhere/x": "x"})
    here = repository.parent
    told = refusal(repository, OpenContext(here, here, cache=here / "other"), commit=head)
    assert f"found no content of object {blob}, expected a whole repository" in told
    refusal(repository, commit="0" * 40)
    assert not trace.exists()


def test_the_environment_of_a_hook_does_not_matter(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = git(repository, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "none"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "none"))
    assert len(opened(repository, commit=head)) == 3


def test_replaced_objects_are_not_believed(repository: Path) -> None:
    head, first = git(repository, "rev-parse", "HEAD"), git(repository, "rev-parse", "HEAD~")
    git(repository, "replace", head, first)
    assert opened(repository, commit=head).text("docs/a.md") == "# A, again\n"


def test_the_repository_is_the_folder_that_is_named_and_none_above(repository: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    told = refusal(repository / "docs", OpenContext(repository, repository.parent), commit=head)
    assert told == (
        "corpus git docs: found no repository of its own, expected the top folder of a repository; "
        f"its top folder is {repository}"
    )


def test_a_repository_outside_the_project_is_refused(repository: Path, tmp_path: Path) -> None:
    head = git(repository, "rev-parse", "HEAD")
    project = tmp_path / "project"
    project.mkdir()
    source = CorpusSource("../repository", "git", {"commit": head})
    with pytest.raises(InputError, match="outside the project"):
        open_source(source, OpenContext(project, project))
    git(repository, "worktree", "add", "--quiet", "--detach", str(project / "copy"))
    told = refusal(project / "copy", OpenContext(project, project, cache=tmp_path / "cache"), commit=head)
    assert "a working copy of a repository outside the project" in told
    assert (
        len(opened(project / "copy", room=OpenContext(project, tmp_path, cache=tmp_path / "c"), commit=head))
        == 3
    )


def test_a_bare_repository_will_do(repository: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(repository), "bare.git")
    head = git(repository, "rev-parse", "HEAD")
    assert (
        opened(tmp_path / "bare.git", commit=head).fingerprint == opened(repository, commit=head).fingerprint
    )


def test_a_tree_is_kept_by_its_own_hash_and_not_by_the_commit(repository: Path) -> None:
    said: list[str] = []
    head = git(repository, "rev-parse", "HEAD")
    opened(repository, said=said, commit=head, under="docs")
    later = commit(repository, {"README.md": "changed\n"})
    opened(repository, said=said, commit=later, under="docs")
    assert said == [f"reading commit {head[:12]} of repository"]


def test_hostile_trees_are_refused(repository: Path) -> None:
    blob = git(repository, "rev-parse", "HEAD:README.md")
    for name in ("..", ".git", "a\\..\\..\\b"):
        entry = f"100644 {name}\0".encode() + bytes.fromhex(blob)
        made = (
            subprocess.run(
                ["git", "hash-object", "-t", "tree", "-w", "--stdin", "--literally"],
                cwd=repository,
                input=entry,
                capture_output=True,
                check=True,
            )
            .stdout.decode()
            .strip()
        )
        hostile = git(repository, "commit-tree", made, "-m", "hostile")
        told = refusal(repository, commit=hostile)
        assert "expected a path inside" in told or "no text files" in told


def test_without_git_it_says_so(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert refusal(repository, commit="1234567") == (
        "corpus git repository: found no git on this machine, expected the git command; "
        "install git, or name the folder instead"
    )


@pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="needs to give a folder away")
def test_a_repository_of_someone_else_says_how_to_trust_it(
    repository: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    head = git(repository, "rev-parse", "HEAD")
    monkeypatch.setenv("HOME", str(tmp_path))
    for place in (repository, repository / ".git"):
        os.chown(place, 12345, 12345)
    told = refusal(repository, commit=head)
    assert f"git config --global --add safe.directory {repository}" in told


def test_this_project_is_read(tmp_path: Path) -> None:
    project = ROOT
    try:
        head = git(project, "rev-parse", "HEAD")
        exported = git(
            project, "archive", "--format=tar", "--output", str(tmp_path / "a.tar"), "HEAD", "docs"
        )
    except subprocess.CalledProcessError:
        pytest.skip("the project is not in a repository of its own")
    assert exported == ""
    git(tmp_path, "init", "--quiet")
    subprocess.run(["tar", "xf", "a.tar"], cwd=tmp_path, check=True)
    corpus = open_source(
        CorpusSource(".", "git", {"commit": head, "under": "docs"}),
        OpenContext(project, project, cache=tmp_path / "cache"),
    )
    assert corpus.fingerprint == FolderCorpus.open(tmp_path / "docs", root=tmp_path).fingerprint
