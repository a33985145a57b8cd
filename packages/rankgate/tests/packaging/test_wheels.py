"""What stands in the metadata is true of the files, and every extra is tried alone by `just test-extras`."""

from __future__ import annotations

import subprocess
import tomllib
import zipfile
from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest
import release
import wheels
from extra_trials import TRIALS
from packaging.requirements import Requirement

from support.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PACKAGES = [ROOT / "packages" / name for name in release.PACKAGES]


def _project(package: Path) -> dict[str, Any]:
    project: dict[str, Any] = tomllib.loads((package / "pyproject.toml").read_text())["project"]
    return project


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the core."""
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--wheel", "--no-build-isolation", "--python", ".venv", "--out-dir", str(folder)]
    try:
        subprocess.run(["uv", "build", *options, "packages/rankgate"], cwd=ROOT, check=True)
    except FileNotFoundError:
        pytest.skip("uv is not here")
    return next(folder.glob("*.whl"))


def test_every_extra_is_tried() -> None:
    assert set(TRIALS) == set(_project(ROOT / "packages" / "rankgate")["optional-dependencies"])


def test_every_requirement_has_a_lower_bound() -> None:
    for package in PACKAGES:
        project = _project(package)
        listed = [*project["dependencies"], *chain(*project.get("optional-dependencies", {}).values())]
        assert all(wheels.bound(Requirement(line)) for line in listed)


def test_a_requirement_without_a_lower_bound_is_refused() -> None:
    with pytest.raises(ValueError, match="no lower bound"):
        wheels.bound(Requirement("click<9"))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_a_package_has_the_licence_itself_and_not_the_name_of_its_file(package: Path) -> None:
    assert (package / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()
    assert (package / "README.md").read_text().startswith(f"# {package.name}\n")


def test_a_wheel_has_its_licence_and_nothing_foreign(wheel: Path) -> None:
    assert release.wheel_problems(wheel, "rankgate") == []


def test_a_wheel_with_a_link_in_place_of_a_licence_is_refused(wheel: Path, tmp_path: Path) -> None:
    damaged = tmp_path / wheel.name
    with zipfile.ZipFile(wheel) as before, zipfile.ZipFile(damaged, "w") as after:
        for name in before.namelist():
            stub = name.endswith("licenses/LICENSE")
            after.writestr(name, b"../../LICENSE" if stub else before.read(name))
        after.writestr("tests/test_it.py", "")
    problems = " ".join(release.wheel_problems(damaged, "rankgate"))
    assert "licenses/LICENSE: missing, or no text" in problems
    assert "tests/test_it.py: not of rankgate" in problems
