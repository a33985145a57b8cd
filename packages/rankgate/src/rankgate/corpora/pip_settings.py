"""The package index that this machine uses: what pip is configured with, whoever set it.

No index is named here. The environment is asked first, then pip's configuration, and where neither names an
index, pip's own default as its help tells it.
"""

from __future__ import annotations

import ast
import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

VARIABLE = "RANKGATE_PIP"
"""The environment variable that names the pip to ask, such as ``/opt/python/bin/python -m pip``."""

SECONDS = 30.0
"""How long a connection may be silent, unless pip is configured otherwise."""

_ANSWER = 60
_DEFAULT = re.compile(r"--index-url\b.*?\(default:?\s+(https?://\S+?)\)", re.DOTALL)
_TRUE = {"1", "true", "yes", "on", "y", "t"}


@dataclass(frozen=True, slots=True)
class PipSettings:
    """Where packages come from. Addresses may carry passwords, so they are never shown."""

    indexes: tuple[str, ...] = field(repr=False)
    """The addresses of the simple indexes, the main one first."""
    links: tuple[str, ...] = field(default=(), repr=False)
    """Folders and pages that list files."""
    certificates: str | None = None
    """A file or a folder of certificates to trust."""
    proxy: str | None = field(default=None, repr=False)
    """A proxy in place of the environment's."""
    seconds: float = SECONDS
    """How long a connection may be silent."""


def pip_settings(environment: Mapping[str, str] = os.environ) -> PipSettings:
    """Find the index that pip would use.

    Raises:
        InputError: where there is no pip to ask and the environment names no index.
    """
    said = _configured(environment)

    def setting(name: str, *others: str) -> str | None:
        variables = (f"PIP_{name.replace('-', '_').upper()}", *others)
        found = (environment.get(variable) for variable in variables)
        return next(filter(None, found), None) or said.get(f"download.{name}") or said.get(f"global.{name}")

    indexes: tuple[str, ...] = ()
    if (setting("no-index") or "").lower() not in _TRUE:
        main = setting("index-url", "UV_DEFAULT_INDEX", "UV_INDEX_URL") or _default(environment)
        # uv writes an index as name=address.
        main = re.sub(r"^[\w.-]+=(?=https?://)", "", main)
        indexes = (main, *(setting("extra-index-url") or "").split())
    return PipSettings(
        indexes,
        tuple((setting("find-links") or "").split()),
        setting("cert", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"),
        setting("proxy"),
        _seconds(setting("default-timeout") or setting("timeout")),
    )


def _seconds(text: str | None) -> float:
    try:
        return min(max(float(text or SECONDS), 1.0), 600.0)
    except ValueError:
        return SECONDS


def _commands(environment: Mapping[str, str]) -> list[list[str]]:
    named = shlex.split(environment.get(VARIABLE, ""))
    usual = [[sys.executable, "-m", "pip"], ["python3", "-m", "pip"], ["pip"]]
    return [named, *usual] if named else usual


def _ask(environment: Mapping[str, str], *arguments: str) -> str | None:
    """Ask the first pip that answers; None where none does."""
    # Long addresses must not be broken over lines, and colours must not get into them.
    quiet = {**environment, "COLUMNS": "2000", "NO_COLOR": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    for command in _commands(environment):
        try:
            done = subprocess.run(  # noqa: S603 - pip, as the user has it
                [*command, *arguments],
                env=quiet,
                stdin=subprocess.DEVNULL,
                capture_output=True,
                timeout=_ANSWER,
                check=False,
            )
        except (OSError, ValueError, subprocess.TimeoutExpired):
            continue
        if done.returncode == 0:
            return done.stdout.decode(errors="replace")
    return None


def _configured(environment: Mapping[str, str]) -> dict[str, str]:
    """Read pip's configuration files through pip itself, which knows where they are."""
    found: dict[str, str] = {}
    for line in (_ask(environment, "config", "list") or "").splitlines():
        key, _, value = line.partition("=")
        try:
            found[key.strip()] = str(ast.literal_eval(value.strip()))
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return found


def _default(environment: Mapping[str, str]) -> str:
    said = _ask(environment, "download", "--help")
    found = None if said is None else _DEFAULT.search(said)
    if found is None:
        fix = f"set PIP_INDEX_URL to the address of an index, or {VARIABLE} to a pip"
        problem = "no pip to ask" if said is None else "a pip that does not tell its index"
        raise InputError(Problem("the package index", problem, "an index to fetch from", fix))
    return found[1]
