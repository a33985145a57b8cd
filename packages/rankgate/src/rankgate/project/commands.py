"""The commands that reports of an evaluation print, as they are typed in this folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.model.wording import shortest
from rankgate.project.configuration import configuration_for
from rankgate.reports.text.commands import commands_for

if TYPE_CHECKING:
    from rankgate.model import Suite
    from rankgate.reports.text.commands import Commands


def commands_of(suite: Suite, system: str, k: int | None) -> Commands | None:
    """Return the commands that test a suite again and ask one case of it; None where no file has the suite.

    Args:
        suite: The suite.
        system: The system, as the configuration names it; empty where it has no name.
        k: How many hits were asked for, where that is not what the suite's metrics need.
    """
    if suite.path is None or not system:
        return None
    path = Path(suite.path).resolve()
    here = configuration_for(None)
    usual = here.path is not None and [one.resolve() for one in here.suite_files] == [path]
    return commands_for(str(shortest(path)), system, usual=usual, k=k)
