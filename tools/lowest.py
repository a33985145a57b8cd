"""Test rankgate with the lowest versions that its metadata allow.

    python tools/lowest.py              # the tests of TESTS
    python tools/lowest.py FOLDER …     # these

Builds both wheels, installs them in an empty environment with the lowest versions of everything they name
(`uv pip install --resolution lowest-direct`, wheels alone), and runs tests on what was installed. What the
tests themselves need comes in the newest versions that leave these alone. A bound that nothing can be
installed at is no bound: it fails here.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from wheels import CHUNKERS, PYTHONS, ROOT, Environment, Wheels, bound, find_python

CORE = "packages/rankgate/tests"
TESTS = [
    *(f"{CORE}/{folder}" for folder in ("scoring", "suites", "gates", "runs", "cli", "files", "model")),
    *(f"{CORE}/{folder}" for folder in ("outline", "chunks", "reports", "evaluation")),
    *(f"{CORE}/systems/{folder}" for folder in ("adapter", "http", "mcp", "function", "command")),
    *(
        f"{CORE}/systems/engines/test_{name}.py"
        for name in ("bm25s", "lancedb", "postgres", "sqlite", "tantivy")
    ),
    f"{CORE}/sweeps/test_sweep_search.py",
    f"{CORE}/corpora/test_pdf_files.py",
    "packages/rankgate-reference/tests/test_hybrid.py",
    "packages/rankgate-reference/tests/test_reference_kind.py",
    "packages/rankgate-reference/tests/test_server.py",
]
"""What reads, asks, scores and judges, and every library that an extra brings."""

NOT_OF_TESTS = {"mypy", "import-linter", "pre-commit", "ruff", "types-docutils", "types-jmespath"}
"""What the group dev has for the checks alone."""

RAISED = {"elasticsearch": "7.13 wants urllib3 1, beside the extra http; tested alone by `just test-extras`"}
"""Requirements that are not at their bound where all extras are installed together, each with its reason."""


def installed_at(environment: Environment, requirements: list[Requirement]) -> list[str]:
    """Print each requirement with what was installed, and return those that are above their bound."""
    versions, above = environment.versions(), []
    for requirement in sorted(requirements, key=lambda one: one.name):
        version, lowest = versions[canonicalize_name(requirement.name)], bound(requirement)
        # `>=7.13` is met by 7.13.0 and by no 7.13.1 where the former is there.
        if version != lowest and requirement.name not in RAISED:
            above.append(f"{requirement.name}: {version} was installed, {lowest} is allowed")
        print(f"  {requirement.name:24} {lowest!s:12} {version}", flush=True)
    return above


def test_tools() -> list[str]:
    """Return the requirements of the group dev, without those of the checks."""
    listed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["dependency-groups"]["dev"]
    return [line for line in listed if Requirement(line).name not in NOT_OF_TESTS]


def main() -> int:
    """Make the environment, say what is in it, and run the tests."""
    python = find_python(PYTHONS[0])
    if python is None:
        print(f"Python {PYTHONS[0]}: not on this machine")
        return 1
    wheels = Wheels.build(ROOT / ".benchmarks" / "wheels-lowest")
    extras = [extra for extra in wheels.extras() if extra not in CHUNKERS]
    environment = Environment.make("lowest", python)
    environment.install_lowest(wheels, extras)
    pins = [f"{name}=={version}" for name, version in environment.versions().items()]
    kept = environment.folder / "lowest.txt"
    kept.write_text("\n".join([pin for pin in pins if not pin.startswith("rankgate")]), encoding="utf-8")
    environment.install("--constraint", str(kept), *test_tools())
    print(f"lowest versions on Python {PYTHONS[0]}: allowed, installed")
    if above := installed_at(environment, wheels.requirements(extras)):
        print("bounds at which nothing can be installed:", *above, sep="\n  ")
        return 1
    options = ["-q", "-n", "2", "-m", "not long", "--hypothesis-profile=short", "-p", "no:cacheprovider"]
    call = [environment.program("pytest"), *options, *(sys.argv[1:] or TESTS)]
    return subprocess.run(call, cwd=ROOT, check=False, env={**os.environ, "PYTHONPATH": ""}).returncode


if __name__ == "__main__":
    sys.exit(main())
