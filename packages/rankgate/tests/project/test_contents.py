"""What a configured system is made of: what it says, and the files of `depends`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.errors import InputError
from rankgate.project.contents import system_contents
from rankgate.project.find import find_configuration
from rankgate.project.opening import opened

if TYPE_CHECKING:
    from pathlib import Path


class _Shop:
    def contents(self) -> dict[str, str]:
        return {"shop.py": "1"}


def contents(root: Path, *patterns: str) -> dict[str, str]:
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
    known = contents(project, "data/*.json", "model/", "x.cfg")
    assert list(known) == ["shop.py", "data/a.json", "data/b.json", "model/deep/w.bin", "x.cfg"]


def test_a_change_in_a_file_changes_its_digest_and_no_other(project: Path) -> None:
    before = contents(project, "data", "model")
    (project / "model/deep/w.bin").write_text("other")
    after = contents(project, "data", "model")
    assert {name for name in before if before[name] != after[name]} == {"model/deep/w.bin"}


def test_a_pattern_that_matches_nothing_is_refused_with_every_other(project: Path) -> None:
    (project / "empty").mkdir()
    said = refusal(project, "data/*.json", "dta/*.json", "empty")
    assert "systems.app.depends: found 'dta/*.json', which no file matches" in said
    assert "'empty', a folder without files" in said


@pytest.mark.parametrize("pattern", ["../other", "/etc/passwd", "data/../../x"])
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


def test_every_byte_of_a_declared_file_counts(project: Path) -> None:
    with (project / "index.db").open("wb") as file:
        file.truncate(20 << 20)
    before = contents(project, "index.db")
    with (project / "index.db").open("r+b") as file:
        file.seek(100_000)
        file.write(b"x")
    after = contents(project, "index.db")
    assert after["index.db"] != before["index.db"]


def test_every_file_of_a_declared_folder_counts_however_many_there_are(project: Path) -> None:
    for number in range(5_001):
        (project / "data" / f"{number}.txt").write_text("x")
    before = contents(project, "data")
    (project / "data" / "4000.txt").write_text("y")
    after = contents(project, "data")
    assert after != before


def test_a_link_to_nothing_is_refused(project: Path) -> None:
    (project / "data" / "gone.json").symlink_to("nothing")
    assert "gone.json, which is no file that is there" in refusal(project, "data")


def test_what_prepares_and_starts_a_system_is_part_of_it(tmp_path: Path) -> None:
    (tmp_path / "build.py").write_text("print()")

    def known(word: str) -> dict[str, str]:
        (tmp_path / "rankgate.toml").write_text(
            f"[systems.app]\nfunction = 'a:b'\nprepare = 'python3 build.py {word}'\n"
        )
        configuration = find_configuration(tmp_path)
        return system_contents(configuration.entry("app"), _Shop(), configuration.root)

    first = known("x")
    assert {"prepare", "build.py"} <= first.keys()
    assert known("y")["prepare"] != first["prepare"]
