"""The judging page as one file: its template, with the styles and scripts that a list names in order."""

from __future__ import annotations

import base64
import hashlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rankgate.errors import FormatError, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping
    from importlib.resources.abc import Traversable

MANIFEST, TEMPLATE = "manifest.txt", "page.html"
_PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
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
        wanted = _PLACEHOLDER.findall(self.template)
        if sorted(wanted) != sorted(parts):
            raise FormatError(Problem(TEMPLATE, f"placeholders for {', '.join(wanted)}", ", ".join(parts)))
        return _PLACEHOLDER.sub(lambda found: parts[found[1]], self.template)


def read_assets(folder: Traversable) -> Assets:
    """Read the assets of a folder, in the order of its list.

    Raises:
        FormatError: for a style or a script that would end the element it stands in.
    """
    names = (folder / MANIFEST).read_text(encoding="utf-8").split()
    texts = {}
    for name in names:
        texts[name] = folder.joinpath(*name.split("/")).read_text(encoding="utf-8")
    for name, text in texts.items():
        if ends := _ENDS.search(text):
            fix = "write it in two parts"
            raise FormatError(Problem(name, ends[0], "what does not end the element", fix))
    style, script = (
        "\n".join(text.strip() for name, text in texts.items() if name.endswith(ending))
        for ending in (".css", ".js")
    )
    return Assets((folder / TEMPLATE).read_text(encoding="utf-8"), style, script)


def own_line(text: str) -> str:
    """Return a style or script as it stands in the element, which its hash is of."""
    return f"\n{text.strip()}\n"


def text_digest(text: str) -> str:
    """Return the hash of a text as a policy writes it."""
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
