"""Barriers that axe-core finds on a page."""

from __future__ import annotations

from functools import cache
from typing import Any, Protocol

from support.chromium import PACKAGES

_UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"


class Scripted(Protocol):
    """A page that is open in some browser."""

    def run(self, script: str) -> Any:
        """Evaluate an expression on the page."""

    def load(self, script: str) -> None:
        """Run the statements of a script on the page."""


@cache
def _library() -> str:
    return (PACKAGES / "node_modules" / "axe-core" / "axe.min.js").read_text(encoding="utf-8")


def barriers(tab: Scripted) -> list[str]:
    """List every violation, of any impact, with the first element that has it; folded parts are opened.

    A page on which axe looked at hardly anything would have none, so its passes are counted as well.
    """
    tab.run(_UNFOLD)
    if not tab.run("typeof axe === 'object'"):
        tab.load(_library())
    found = tab.run(
        "axe.run(document, { resultTypes: ['violations'] }).then(({ violations, passes }) => ({"
        " passes: passes.length, violations: violations.map(({ id, impact, nodes }) =>"
        " `${id} (${impact}): ${nodes.length} × ${nodes[0].html}`) }))"
    )
    assert found["passes"] > 10, f"axe checked {found['passes']} rules only"
    listed: list[str] = found["violations"]
    return listed
