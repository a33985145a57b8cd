"""Test rankgate with the lowest versions that its metadata allow.

    python tools/lowest.py              # the tests of STAGES
    python tools/lowest.py FOLDER …     # these, in the first environment

Builds the wheels, installs them in empty environments with the lowest versions of everything they name
(`uv pip install --resolution lowest-direct`, wheels alone), and runs tests on what was installed. What the
tests themselves need comes in the newest versions that leave these alone. A bound that nothing can be
installed at is no bound: it fails here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from wheels import PYTHONS, ROOT, Environment, Wheels, bound, find_python

CORE = "packages/rankgate/tests"
ENGINES = "packages/rankgate-engines/tests"
REFERENCE = "packages/rankgate-reference/tests"
VECTORS = ("engines", "reference")


@dataclass(frozen=True, slots=True)
class Stage:
    """An environment, and the tests that are run in it."""

    name: str
    """What the environment is called."""
    vectors: bool
    """Whether it has the extras of LanceDB, which need a later NumPy than the rest, or all others."""
    tests: tuple[str, ...]
    """Folders and files."""

    def extras(self, wheels: Wheels) -> list[str]:
        """Return its extras."""
        left_out = () if self.vectors else VECTORS
        return [extra for extra in wheels.extras() if extra not in left_out]


STAGES = (
    Stage(
        "lowest",
        vectors=False,
        tests=(
            *(
                f"{CORE}/{folder}"
                for folder in ("scoring", "suites", "gates", "runs", "cli", "files", "model")
            ),
            *(f"{CORE}/{folder}" for folder in ("outline", "chunks")),
            *(f"{CORE}/systems/{folder}" for folder in ("adapter", "http", "mcp", "function", "command")),
            *(f"{CORE}/systems/engines/test_{name}.py" for name in ("postgres", "sqlite")),
            f"{CORE}/sweeps/test_sweep_search.py",
        ),
    ),
    Stage(
        "lowest-vectors",
        vectors=True,
        tests=(
            ENGINES,
            *(f"{REFERENCE}/test_{name}.py" for name in ("hybrid", "lexical", "reference_kind", "server")),
        ),
    ),
)
"""What reads, asks, scores and judges, and every library that an extra brings."""

NOT_OF_TESTS = {
    *("mypy", "import-linter", "pre-commit", "ruff", "types-docutils", "types-jmespath"),
    *("editables", "hatchling"),
}
"""What the group dev has for checks and builds alone."""

LEFT_OUT = "not said_to_be_tested and not what_it_was_tested_with and not published_figure"
"""Tests of what documents say was tested, and of figures that move with an engine's stemmer."""

WORDED_BY_LIBRARIES = ("usage", "tool-failed")
"""Errors in words of click, of Elasticsearch's client and the MCP SDK; documents show the newest."""


def installed_at(environment: Environment, requirements: list[Requirement]) -> list[str]:
    """Print each requirement with what was installed, and return those that are above their bound."""
    versions, above = environment.versions(), []
    names = sorted({requirement.name for requirement in requirements})
    for name in names:
        version = versions.get(canonicalize_name(name))
        lowest = max(bound(requirement) for requirement in requirements if requirement.name == name)
        if version != lowest:
            above.append(f"{name}: {version} was installed, {lowest} is allowed")
        print(f"  {name:24} {lowest!s:12} {version}", flush=True)
    return above


def tools_of_tests() -> list[str]:
    """Return the requirements of the group dev, without those of the checks."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["dev"]
    return [line for line in listed if Requirement(line).name not in NOT_OF_TESTS]


def run_stage(stage: Stage, wheels: Wheels, python: str, tests: list[str]) -> bool:
    """Make an environment, print what is in it, and run its tests; tells whether all passed."""
    environment, extras = Environment.make(stage.name, python), stage.extras(wheels)
    environment.install_lowest(wheels, extras)
    pins = [f"{name}=={version}" for name, version in environment.versions().items()]
    kept = environment.folder / "lowest.txt"
    kept.write_text("\n".join([pin for pin in pins if not pin.startswith("rankgate")]), encoding="utf-8")
    environment.install("--constraint", str(kept), *tools_of_tests())
    print(f"{stage.name}, Python {PYTHONS[0]}, with {', '.join(extras)}: allowed, installed")
    if above := installed_at(environment, wheels.requirements(extras)):
        print("bounds at which nothing can be installed:", *above, sep="\n  ")
        return False
    left_out = " and ".join((LEFT_OUT, *(f"not advice_mends_it[{code}]" for code in WORDED_BY_LIBRARIES)))
    options = ["-q", "-n", "2", "-m", "not long", "-k", left_out, "--hypothesis-profile=short"]
    call = [environment.program("pytest"), *options, "-p", "no:cacheprovider", *tests]
    # The lowest LanceDB does not end in a process that was forked.
    env = {**os.environ, "PYTHONPATH": "", "RANKGATE_TESTS_FRESH": "1" if stage.vectors else ""}
    return subprocess.run(call, cwd=ROOT, check=False, env=env).returncode == 0


def main() -> int:
    """Run every stage, or the tests asked for in the first."""
    python = find_python(PYTHONS[0])
    if python is None:
        print(f"Python {PYTHONS[0]}: not on this machine")
        return 1
    wheels = Wheels.build(ROOT / ".benchmarks" / "wheels-lowest")
    asked = sys.argv[1:]
    stages = STAGES[:1] if asked else STAGES
    passed = [run_stage(stage, wheels, python, asked or list(stage.tests)) for stage in stages]
    return 0 if all(passed) else 1


if __name__ == "__main__":
    sys.exit(main())
