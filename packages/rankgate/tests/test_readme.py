"""What the README shows is what a reader gets."""

import re
import subprocess
import sys
from pathlib import Path

from support.repository import ROOT

README = ROOT / "README.md"


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)


def test_the_commands_print_what_the_readme_says(tmp_path: Path) -> None:
    (console,) = blocks("console")
    commands = re.findall(r"^\$ (.*)$", console, re.MULTILINE)
    shown = re.sub(r"^\$ .*\n", "", console, flags=re.MULTILINE)
    printed = ""
    for command in commands:
        if not command.startswith("pip "):
            call = command.replace("rankgate ", f"{sys.executable} -m rankgate ")
            done = subprocess.run(call, shell=True, cwd=tmp_path, capture_output=True, text=True, check=True)
            printed += done.stdout
    assert printed == shown
