"""The commit that is checked out, to label what was evaluated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.corpora.git_commands import Git
from rankgate.errors import RankgateError

if TYPE_CHECKING:
    from pathlib import Path

_STATUS = ("status", "--porcelain=v2", "--branch", "--untracked-files=no", "--ignore-submodules=all")


@dataclass(frozen=True, slots=True)
class Commit:
    """What git says of a folder."""

    name: str = ""
    """The hash of the commit; empty where there is none, or no git."""
    dirty: bool = False
    """True where files that git knows were changed since."""


def checked_out(folder: Path) -> Commit:
    """Ask git which commit a folder is at; a project without git has none, and needs none."""
    folder = folder.resolve()
    top = next((one for one in (folder, *folder.parents) if (one / ".git").exists()), None)
    if top is None:
        return Commit()
    try:
        said = Git(top, str(top)).ask(*_STATUS)
    except RankgateError:
        return Commit()
    lines = (said or b"").decode(errors="replace").splitlines()
    name = next((line.split()[-1] for line in lines if line.startswith("# branch.oid ")), "")
    return Commit(name if name != "(initial)" else "", any(not line.startswith("#") for line in lines))
