"""The assets of the page: a template, and the styles and scripts that a list names in their order."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

MANIFEST, TEMPLATE = "manifest.txt", "page.html"
_HOLE = re.compile(r"\{\{(\w+)\}\}")
_ENDS = re.compile(r"</(?:style|script)|<!--", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Assets:
    """What every page is made of."""

    template: str
    """The markup, with ``{{name}}`` where something is put in."""
    style: str
    """All styles."""
    script: str
    """All scripts."""

    def filled(self, parts: Mapping[str, str]) -> str:
        """Fill the template; what is put in is not looked at again.

        Raises:
            FormatError: where the template wants what there is not, or not all of it once.
        """
        wanted = _HOLE.findall(self.template)
        if sorted(wanted) != sorted(parts):
            raise FormatError(Problem(TEMPLATE, f"holes for {', '.join(wanted)}", ", ".join(parts)))
        return _HOLE.sub(lambda hole: parts[hole[1]], self.template)


@cache
def own_assets() -> Assets:
    """Read the assets that rankgate brings."""
    return read_assets(files("rankgate.reports.page") / "assets")


def read_assets(folder: Traversable) -> Assets:
    """Read the assets of a folder.

    Raises:
        FormatError: for a style or a script that would end the element it stands in.
    """
    names = (folder / MANIFEST).read_text(encoding="utf-8").split()
    texts = {name: folder.joinpath(*name.split("/")).read_text(encoding="utf-8") for name in names}
    for name, text in texts.items():
        if found := _ENDS.search(text):
            fix = "write it in two parts"
            raise FormatError(Problem(name, found[0], "what does not end the element", fix))
    style, script = (
        "\n".join(text.strip() for name, text in texts.items() if name.endswith(ending))
        for ending in (".css", ".js")
    )
    return Assets((folder / TEMPLATE).read_text(encoding="utf-8"), style, script)
