"""Build both wheels, and make environments of them: with extras, on a Python, with the lowest versions."""

from __future__ import annotations

import os
import shutil
import subprocess
import zipfile
from dataclasses import dataclass
from email.parser import Parser
from pathlib import Path
from typing import TYPE_CHECKING

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from email.message import Message

ROOT = Path(__file__).parents[1]
# Not below the folder of temporary files: tests forget what was imported from there.
ENVIRONMENTS = ROOT / ".benchmarks" / "environments"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@dataclass(frozen=True, slots=True)
class Wheels:
    """The wheels, and what their metadata require."""

    rankgate: Path
    """The wheel of the core."""
    engines: Path
    """That of the engines."""
    reference: Path
    """That of the reference system."""

    @classmethod
    def build(cls, folder: Path) -> Wheels:
        """Build all into a folder, which is emptied first."""
        shutil.rmtree(folder, ignore_errors=True)
        for package in ("rankgate", "rankgate-engines", "rankgate-reference"):
            options = ["--quiet", "--wheel", "--no-build-isolation", "--python", ".venv"]
            run("uv", "build", *options, "--out-dir", str(folder), f"packages/{package}")
        (core,) = folder.glob("rankgate-[0-9]*.whl")
        (engines,) = folder.glob("rankgate_engines-[0-9]*.whl")
        (reference,) = folder.glob("rankgate_reference-[0-9]*.whl")
        return cls(core, engines, reference)

    def extras(self) -> list[str]:
        """Return the extras of the core, sorted."""
        return sorted(_metadata(self.rankgate).get_all("Provides-Extra", []))

    def requirements(self, extras: Iterable[str] = ()) -> list[Requirement]:
        """Return what the metadata require of others, without markers; `engines` and `reference` add theirs.

        Lines that hold for this or that Python alone are kept with their markers.
        """
        asked = list(extras)
        found = _required(self.rankgate, asked)
        if "engines" in asked:
            found += _required(self.engines, ["bm25s", "lancedb", "tantivy"])
        if "reference" in asked:
            found += _required(self.reference, [])
        return [requirement for requirement in found if not requirement.name.startswith("rankgate")]


def _metadata(wheel: Path) -> Message:
    with zipfile.ZipFile(wheel) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        return Parser().parsestr(archive.read(name).decode())


def _required(wheel: Path, extras: Sequence[str]) -> list[Requirement]:
    found = []
    for line in _metadata(wheel).get_all("Requires-Dist", []):
        requirement = Requirement(line)
        marker = requirement.marker
        if marker is not None and "extra" in str(marker):
            if not any(marker.evaluate({"extra": extra}) for extra in extras):
                continue
            requirement.marker = None
        found.append(requirement)
    return found


def bound(requirement: Requirement) -> Version:
    """Return the lowest version that a requirement allows; ValueError where it names none."""
    lowest = [Version(part.version) for part in requirement.specifier if part.operator in (">=", "==", "~=")]
    if not lowest:
        raise ValueError(f"{requirement} has no lower bound")
    return max(lowest)


@dataclass(frozen=True, slots=True)
class Environment:
    """A virtual environment that has nothing but what was asked for."""

    folder: Path
    """Where it is."""

    @classmethod
    def make(cls, name: str, python: str) -> Environment:
        """Make an empty one in place of what had the name."""
        folder = ENVIRONMENTS / name
        run("uv", "venv", "--quiet", "--clear", "--no-python-downloads", "--python", python, str(folder))
        return cls(folder)

    def program(self, name: str) -> str:
        """Return the path of a program of it."""
        return str(self.folder / "bin" / name)

    def install(self, *arguments: str) -> None:
        """Install by uv, wheels alone: nothing is compiled by a stranger's compiler."""
        run("uv", "pip", "install", "--quiet", "--no-build", "--python", str(self.folder), *arguments)

    def install_lowest(self, wheels: Wheels, extras: Sequence[str]) -> None:
        """Install the wheels with extras and the lowest versions that their metadata allow, as wheels."""
        listed = self.folder / "lowest.in"
        lines = [str(requirement) for requirement in wheels.requirements(extras)]
        listed.write_text("\n".join([*lines, ""]), encoding="utf-8")
        self.install("--resolution", "lowest-direct", "-r", str(listed))
        named = {"engines": wheels.engines, "reference": wheels.reference}
        chosen = [str(wheel) for extra, wheel in named.items() if extra in extras]
        self.install("--no-deps", str(wheels.rankgate), *chosen)

    def install_newest(self, wheels: Wheels, extras: Sequence[str], *others: str) -> None:
        """Install the wheels with extras as a user does today."""
        found = ["--find-links", str(wheels.rankgate.parent)]
        self.install(*found, f"rankgate[{','.join(extras)}] @ {wheels.rankgate.as_uri()}", *others)

    def versions(self) -> dict[str, Version]:
        """Return what is installed, by canonical name."""
        listed = run("uv", "pip", "list", "--quiet", "--format", "freeze", "--python", str(self.folder))
        pairs = [line.split("==") for line in listed.splitlines() if "==" in line]
        return {canonicalize_name(name): Version(version) for name, version in pairs}

    def remove(self) -> None:
        """Remove it."""
        shutil.rmtree(self.folder, ignore_errors=True)


def find_python(version: str) -> str | None:
    """Return a Python of that version of this machine; None where there is none."""
    # Not by --quiet, which leaves the answer out as well.
    call = ["uv", "python", "find", "--system", "--no-python-downloads", version]
    done = subprocess.run(call, check=False, capture_output=True, text=True)
    if done.returncode == 0:
        return done.stdout.strip()
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    return next((str(path) for path in sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True)), None)


def run(*call: str) -> str:
    """Run a program at the root, and return what it printed; what it said is shown where it fails."""
    done = subprocess.run(call, cwd=ROOT, check=False, capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(call)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout
