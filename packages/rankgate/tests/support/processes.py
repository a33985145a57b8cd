"""Seeing whether a process that a test did not start itself is still there."""

from __future__ import annotations

from pathlib import Path

from support.http_servers import eventually


def lives(number: int) -> bool:
    """Tell whether a process is there, and more than a name that nobody collected."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def ended(number: int) -> bool:
    """Wait for the end of a process, and tell whether it came."""
    return eventually(lambda: not lives(number))
