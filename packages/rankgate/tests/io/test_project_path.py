"""Paths that a suite names, and folders that rankgate makes in a project."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from rankgate.errors import Code, InputError
from rankgate.io.text import made_inside, project_path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Make a project beside a file that it must not read."""
    (tmp_path / "secret").write_text("x" * 20)
    folder = tmp_path / "project"
    (folder / "docs").mkdir(parents=True)
    (folder / "docs" / "a.md").write_text("x" * 20)
    (folder / "inner").symlink_to("docs")
    (folder / "link").symlink_to("../secret")
    os.mkfifo(folder / "pipe")
    return folder


@pytest.mark.parametrize("name", ["docs/a.md", "inner/a.md", "docs/../docs/a.md"])
def test_project_path_inside_is_resolved(project: Path, name: str) -> None:
    found = project_path(project / name, project, "s.yaml: guidelines", "a text file")
    assert found == (project / "docs" / "a.md").resolve()


@pytest.mark.parametrize(
    ("name", "code", "said"),
    [
        ("../secret", Code.OUTSIDE_PROJECT, "T/secret is outside the project, T/project."),
        ("link", Code.OUTSIDE_PROJECT, "T/secret is outside the project, T/project."),
        ("/etc/passwd", Code.OUTSIDE_PROJECT, "/etc/passwd is outside the project, T/project."),
        ("none", Code.NO_SUCH_FILE, "T/project/none does not exist. Name a text file, relative to"),
        ("docs", Code.NO_SUCH_FILE, "T/project/docs is a folder. Name a text file"),
        ("pipe", Code.NO_SUCH_FILE, "T/project/pipe is not a regular file. Name a text file"),
        ("docs/a.md", Code.TOO_LARGE, "T/project/docs/a.md has 20 bytes, more than the limit of 10."),
        ("a\0b", Code.WRONG_VALUE, "invalid path: "),
    ],
)
def test_project_path_elsewhere_is_an_error(project: Path, name: str, code: Code, said: str) -> None:
    with pytest.raises(InputError) as caught:
        project_path(project / name, project, "s.yaml: guidelines", "a text file", largest=10)
    (problem,) = caught.value.problems
    assert problem.code == code
    told = str(problem).replace(str(project.parent.resolve()), "T")
    assert told.startswith(f"s.yaml: guidelines: {said}")


def test_made_inside_follows_no_link_out_of_the_project(project: Path) -> None:
    assert made_inside(project / ".rankgate" / "a", project).is_dir()
    (project / "out").symlink_to("..")
    with pytest.raises(InputError, match=r"a symbolic link leads to .*, outside the project"):
        made_inside(project / "out" / "made", project)
    assert not (project.parent / "made").exists()
