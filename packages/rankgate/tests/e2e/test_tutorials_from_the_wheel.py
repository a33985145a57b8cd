"""The four tutorials as a reader does them: `pip install` of the built wheel into an empty environment.

What pip installs beside the wheel is pinned by the locks of the project, so that a page does not come out
otherwise on the day of somebody else's release.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from support.opensearch_server import Cluster
from support.repository import ROOT
from support.transcripts import run_page

if TYPE_CHECKING:
    from pathlib import Path

TUTORIALS = ("site-search", "opensearch")
_LOCKS = ("dev.lock", "site.txt")
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)
_SECONDS = 600
"""How long pip may take on a busy machine."""
_KEPT = ("PATH", "LANG", "LC_ALL", "JAVA_HOME", "SSL_CERT_FILE", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the wheel of the core."""
    folder = tmp_path_factory.mktemp("wheels")
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(build, cwd=ROOT / "packages" / "rankgate", check=True, capture_output=True)
    (found,) = folder.glob("rankgate-*.whl")
    return found


def _constraints(wheel: Path) -> str:
    """Return the wheel, and one version of everything else: that of the first lock that has it."""
    pins: dict[str, str] = {}
    for lock in _LOCKS:
        for name, version in _PIN.findall((ROOT / "requirements" / lock).read_text(encoding="utf-8")):
            pins.setdefault(name.lower(), version)
    lines = [f"{name}=={version}" for name, version in sorted(pins.items())]
    return "\n".join([f"rankgate @ {wheel.as_uri()}", *lines, ""])


def _variables(folder: Path, wheel: Path) -> dict[str, str]:
    """Return the variables of a reader with an empty environment and nothing of this checkout."""
    made = ["uv", "venv", "--quiet", "--seed", "--python", sys.executable, str(folder / "venv")]
    subprocess.run(made, check=True, capture_output=True)
    constraints = folder / "constraints.txt"
    constraints.write_text(_constraints(wheel), encoding="utf-8")
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.upper() in _KEPT or name.startswith(("PIP_", "REQUESTS_"))
    }
    who = {
        f"GIT_{role}_{what}": "a@example.org"
        for role in ("AUTHOR", "COMMITTER")
        for what in ("NAME", "EMAIL")
    }
    # Only the tools of the machine, and of those no other rankgate.
    path = os.pathsep.join([str(folder / "venv" / "bin"), "/usr/local/bin", "/usr/bin", "/bin"])
    return {
        **kept,
        **who,
        "PATH": path,
        "HOME": str(folder),
        "COLUMNS": "100",
        "PIP_CONSTRAINT": str(constraints),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    }


@pytest.mark.long
@pytest.mark.parametrize("name", TUTORIALS)
def test_a_tutorial_comes_out_as_it_is_printed_from_the_wheel(name: str, wheel: Path, tmp_path: Path) -> None:
    text = (ROOT / "docs" / "tutorials" / f"{name}.md").read_text(encoding="utf-8")
    variables = _variables(tmp_path, wheel)
    with Cluster() if name == "opensearch" else nullcontext() as cluster:
        if cluster is not None:
            variables["OPENSEARCH_URL"] = cluster.urls[0]
        wrong = run_page(text, tmp_path / "project", variables, _SECONDS)
    assert not wrong, "\n\n".join(wrong)
    python = tmp_path / "venv" / "bin" / "python"
    where = "import rankgate; print(rankgate.__file__)"
    found = subprocess.run([python, "-c", where], check=True, capture_output=True, text=True, env=variables)
    assert found.stdout.startswith(str(tmp_path / "venv"))


def test_every_tutorial_with_commands_is_among_them() -> None:
    pages = (ROOT / "docs" / "tutorials").glob("*.md")
    printed = {page.stem for page in pages if "```console\n$ pip install" in page.read_text(encoding="utf-8")}
    assert printed == set(TUTORIALS)
