"""Running commands in a project folder, and taking out of their output what differs from day to day."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

from support.forked import run_module

if TYPE_CHECKING:
    from pathlib import Path

_VARIES = re.compile(r"^(time|Python|rankgate)( +)\S+$", re.MULTILINE)
_TIMES = re.compile(r"\d+\.\d\d s")


def shown(folder: Path, *commands: str) -> str:
    """Run commands one after the other, and give what a person would see, each with its exit code."""
    quiet = {name: value for name, value in os.environ.items() if name not in ("COLUMNS", "CI")}
    text = ""
    for command in commands:
        program, *args = _words(command)
        done = run_module(program, args, folder=folder, env=quiet, timeout=120)
        errors = done.stderr.decode()
        assert "Traceback" not in errors
        text += f"$ {command}\n{done.stdout.decode()}{errors}exit {done.returncode}\n\n"
    text = _VARIES.sub(r"\1\2…", text.replace(str(folder), "."))
    return _TIMES.sub("… s", text)


def _words(command: str) -> list[str]:
    import shlex

    return shlex.split(command)
