"""What a configured system is made of: what it says, and the files of `depends`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError
from rankgate.evaluation.configuration import find_configuration
from rankgate.evaluation.contents import system_contents
from rankgate.evaluation.project.opening import opened

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model.systems import SystemContents


class _Shop:
    def contents(self) -> dict[str, str]:
        return {"shop.py": "1"}


def contents(root: Path, *patterns: str) -> SystemContents:
    """Return the contents of a system whose table has these patterns."""
    (root / "rankgate.toml").write_text(f"[systems.app]\nfunction = 'a:b'\ndepends = {list(patterns)}\n")
    configuration = find_configuration(root)
    return system_contents(configuration.entry("app"), _Shop(), configuration.root)


def refusal(root: Path, *patterns: str) -> str:
    """Return how patterns are refused."""
    with pytest.raises(InputError) as caught:
        contents(root, *patterns)
    return str(caught.value)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with data and a model."""
    for name in ("data/a.json", "data/b.json", "data/c.txt", "model/deep/w.bin", "model/.cache", "x.cfg"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path


def test_files_and_folders_of_depends_stand_beside_what_the_system_says(project: Path) -> None:
    known = contents(project, "data/*.json", "model/", "x.cfg").known
    assert list(known) == ["shop.py", "data/a.json", "data/b.json", "model/deep/w.bin", "x.cfg"]


def test_a_change_in_a_file_changes_its_digest_and_no_other(project: Path) -> None:
    before = contents(project, "data", "model").known
    (project / "model/deep/w.bin").write_text("other")
    after = contents(project, "data", "model").known
    assert {name for name in before if before[name] != after[name]} == {"model/deep/w.bin"}


def test_a_pattern_that_matches_nothing_is_refused_with_every_other(project: Path) -> None:
    (project / "empty").mkdir()
    said = refusal(project, "data/*.json", "dta/*.json", "empty")
    assert "systems.app.depends: found 'dta/*.json', which no file matches" in said
    assert "'empty', a folder without files" in said


@pytest.mark.parametrize("pattern", ["../other", "/etc/passwd", "data/../../x", ""])
def test_a_pattern_cannot_leave_the_root(project: Path, pattern: str) -> None:
    assert "expected a path inside" in refusal(project, pattern)


def test_a_link_cannot_lead_out_of_the_root(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere") / "secret"
    elsewhere.write_text("secret")
    (project / "data/link").symlink_to(elsewhere)
    assert "data/link, a link that leads out of" in refusal(project, "data")


def test_a_wrong_pattern_is_refused_where_nothing_is_kept(project: Path) -> None:
    (project / "rankgate.toml").write_text("[systems.app]\nfunction = 'a:b'\ndepends = ['dta']\n")
    configuration = find_configuration(project)
    with (
        pytest.raises(InputError, match="'dta', which no file matches"),
        opened(configuration.entry("app"), project),
    ):
        pass


def test_depends_is_a_list_of_texts(project: Path) -> None:
    (project / "rankgate.toml").write_text("[systems.app]\nfunction = 'a:b'\ndepends = [1]\n")
    with pytest.raises(InputError, match=r"systems\.app\.depends"):
        find_configuration(project)
