"""The quickstart, word for word, in an empty environment with the built wheel."""

import os
import re
import subprocess
import sys
from pathlib import Path

from support.repository import ROOT


def quickstart() -> str:
    page = ROOT / "docs" / "tutorials" / "quickstart.md"
    (block,) = re.findall(r"```bash\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    return str(block)


def test_the_quickstart_is_short() -> None:
    assert len(quickstart().splitlines()) <= 25


def test_the_quickstart_goes_from_install_to_red_to_green(tmp_path: Path) -> None:
    wheels, room = tmp_path / "wheels", tmp_path / "room"
    room.mkdir()
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(wheels)]
    subprocess.run(build, cwd=ROOT / "packages" / "rankgate", check=True, capture_output=True)
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True, capture_output=True)
    (wheel,) = wheels.glob("rankgate-*.whl")
    constraints = tmp_path / "constraints.txt"
    constraints.write_text(f"rankgate @ {wheel.as_uri()}\n")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("PYTHON")},
        "PATH": f"{tmp_path / 'venv' / 'bin'}:{os.environ['PATH']}",
        "PIP_CONSTRAINT": str(constraints),
        "PIP_QUIET": "2",
    }
    # Every `rankgate test` tells its exit code, which the shell would otherwise swallow.
    script = re.sub(r"^(rankgate test.*)$", r'\1\necho "exit $?"', quickstart(), flags=re.MULTILINE)
    done = subprocess.run(
        ["bash", "-c", script], cwd=room, env=environment, capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert re.findall(r"^exit (\d+)$", done.stdout, re.MULTILINE) == ["1", "0"]
    red, green = done.stdout.split("exit 1\n")
    assert red.startswith("✗")
    assert green.startswith("✓")
