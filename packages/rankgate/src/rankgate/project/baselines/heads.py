"""What the baselines of a suite say of themselves, without their rankings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import RankgateError
from rankgate.project.baselines.kept import FOLDER
from rankgate.runs.baseline_file import read_head

if TYPE_CHECKING:
    from rankgate.model import Suite
    from rankgate.runs.baseline import About


def newest_baseline(suite: Suite) -> About | None:
    """Return what the newest baseline of a suite says of itself; None where there is none.

    A file that is no baseline is passed over: whoever compares with it is told.
    """
    if suite.path is None:
        return None
    found = []
    for path in sorted((Path(suite.path).parent / FOLDER).glob("*.jsonl")):
        try:
            about = read_head(path)
        except (RankgateError, OSError):
            continue
        if about.suite == suite.name:
            found.append(about)
    return max(found, key=lambda about: about.date or "", default=None)
