"""What a runner of GitHub Actions obeys in what a step prints, on either stream.

Written after the runner's own parser (actions/runner, ActionCommand.cs): a line ends at a line feed or a
carriage return; ``::name properties::data`` counts at the start of a line, white space left off, and
``##[name properties]data`` anywhere in it. The runner knows some names and ignores others; here all count.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_NOW = re.compile(r"::(?P<name>[^ :]*)(?: (?P<properties>.*?))?::(?P<data>.*)", re.DOTALL)
_ONCE = re.compile(r"##\[(?P<name>[^ \]]*)(?: (?P<properties>[^\]]*))?\](?P<data>.*)", re.DOTALL)


class WorkflowCommand(NamedTuple):
    """One command that a runner would obey."""

    name: str
    properties: str
    data: str


def obeyed(text: str) -> list[WorkflowCommand]:
    """List the commands in what a step printed."""
    found = (_NOW.match(line.lstrip()) or _ONCE.search(line) for line in re.split(r"[\r\n]", text))
    return [WorkflowCommand(one["name"], one["properties"] or "", one["data"]) for one in found if one]
