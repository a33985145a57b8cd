"""The commands that reports print, to be pasted into a shell: the whole test again, or one query of it."""

from __future__ import annotations

import shlex
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Commands:
    """How to do it again, in a shell."""

    test: str
    """The whole evaluation."""
    ask: str = ""
    """One query, whose case is put behind it; empty where there is no such command."""

    def ask_case(self, case: str) -> str:
        """Return the command that asks what the test asked of a case; empty where none can.

        >>> Commands("rankgate test", "rankgate query app").ask_case("$HOME sweet home")
        "rankgate query app --case '$HOME sweet home'"
        """
        # What a terminal would take for something else is not offered to be pasted into one.
        return f"{self.ask} --case {shlex.quote(case)}" if self.ask and case and case.isprintable() else ""


def commands_for(suite: str, system: str, *, usual: bool = False, k: int | None = None) -> Commands:
    """Return the commands of one suite and system.

    Args:
        suite: The path of the suite, as a person here would write it.
        system: The system.
        usual: True where it is the one suite of its project, which need not be named.
        k: How many hits were asked for, where that is another number than the suite's.

    >>> commands_for("search.yaml", "app", usual=True, k=20).ask_case("rotate")
    'rankgate query app --k 20 --case rotate'
    """
    named, name = shlex.quote(suite), shlex.quote(system)
    ask = f"rankgate query {name}" + ("" if usual else f" --suite {named}") + (f" --k {k}" if k else "")
    return Commands(f"rankgate test {named} --system {name}" + (f" --k {k}" if k else ""), ask)
