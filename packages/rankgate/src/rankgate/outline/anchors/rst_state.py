"""What is known of a page of Sphinx while it is parsed, and the ids of what it describes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from rankgate.outline.anchors.page import PageAnchor, up_to_the_next

if TYPE_CHECKING:
    from rankgate.outline.anchors.docstrings import Modules

Included = Callable[[str, str], tuple[str, str] | None]
"""What a page may include: the file that includes, and the name as it is written, to a path and its text."""

STANDARD = frozenset({"envvar", "confval"})
"""Directives whose ids are their name and argument."""
_SIGNATURE = re.compile(
    r"(?:(?:async|abstractmethod|classmethod|static|final)\s+)*([\w.]*\.)?(\w+)\s*(?:[\[(]|->|:|=|\Z)"
)
_OPTION = re.compile(r"((?:/|--|-|\+)?[^\s=\[]+)(=?\s*.*)")
_C_NAME = re.compile(r"([\w.]+)\s*(?:\(|\[|=|\Z)")
_NUMBERED = re.compile(r"id[0-9]+")
_UNUSED_IN_IDS = re.compile(r"[^a-zA-Z0-9._]+")
_ENDS_OF_IDS = re.compile(r"\A[-0-9._]+|-+\Z")


@dataclass(slots=True)
class PageState:
    """What is known of a page while it is parsed."""

    path: str
    """The page."""
    included: Included
    """What finds the files that it includes."""
    objects: frozenset[str] = frozenset()
    """The directives whose ids are their name and argument."""
    modules: Modules = lambda _name: None
    """What finds the Python modules whose docstrings it shows."""
    unsure: bool = False
    """True from where the page shows docstrings that are not there: what they hold takes numbers of ids."""
    unknown: set[str] = field(default_factory=set)
    """The ids that are therefore others in the page."""
    texts: dict[str, str] = field(default_factory=dict)
    """The text of the page and of what it includes, by path."""
    noted: dict[str, tuple[str, int]] = field(default_factory=dict)
    """The file and line at which each id was given."""
    described: set[str] = field(default_factory=set)
    """The ids of what directives describe."""
    sections: dict[str, PageAnchor] = field(default_factory=dict)
    """The sections by their first id, in their order."""
    module: str = ""
    """The module whose members are described."""
    classes: list[str] = field(default_factory=list)
    """The classes whose members are described, the innermost last."""
    depth: int = 0
    """How deep the text lies that a directive holds with sections of its own."""
    program: str = ""
    """The program whose options are described."""

    def lines(self, source: str | None) -> list[str]:
        """Return the lines of a file; one empty line of one that is not known."""
        return self.texts.get(source or self.path, "").split("\n")

    def note_section(self, section: Any, source: str | None, line: int | None) -> None:
        """Note where a section begins."""
        level = self.depth + depth_below(section, type(section))
        name, path = section["ids"][0], source or self.path
        if path not in self.texts:
            return
        if self.unsure and _NUMBERED.fullmatch(name):
            self.unknown.add(name)
        text = self.texts.get(path, "")
        last = text.count("\n") + (not text.endswith("\n"))
        self.sections[name] = PageAnchor(name, line or 1, max(1, last), level, path)

    def end_sections(self) -> None:
        """Let each section end where the next of its file begins."""
        for path in {one.path for one in self.sections.values()}:
            own = [one for one in self.sections.values() if one.path == path]
            self.sections.update({one.id: one for one in up_to_the_next(own)})


def depth_below(node: Any, kind: type) -> int:
    """Count the nodes of a kind around a node, itself included."""
    depth = 0
    while node is not None:
        depth, node = depth + isinstance(node, kind), node.parent
    return depth


def object_id(prefix: str, term: str) -> str:
    """Make the id of something that is described, as Sphinx does.

    >>> object_id("", "app.Store.rotate"), object_id("cmdoption", "--key"), object_id("confval", "addopts")
    ('app.Store.rotate', 'cmdoption-key', 'confval-addopts')
    """
    words = unicodedata.normalize("NFKD", f"{prefix}-{term}" if prefix else term)
    words = " ".join(words.encode("ascii", "ignore").decode("ascii").split())
    return _ENDS_OF_IDS.sub("", _UNUSED_IN_IDS.sub("-", words))


def described_ids(name: str, signature: str, state: PageState) -> list[str]:
    """Return the ids of one signature; where it cannot be known which, the likely ones."""
    domain, _, kind = name.lower().rpartition(":")
    if kind == "option":
        return list(_option_ids(signature, state.program))
    if domain == "c":
        found = _C_NAME.search(signature.rstrip(";"))
        return [] if found is None else [f"c.{found[1]}"]
    if kind in STANDARD:
        return [object_id(kind, " ".join(signature.split()))]
    if kind in state.objects:
        # The first is of a kind of objects, the second of a kind of mere references.
        return [object_id(prefix, " ".join(signature.split())) for prefix in (kind, f"std-{kind}")]
    return [object_id("", each) for each in python_names(signature, state, automatic=kind.startswith("auto"))]


def python_names(signature: str, state: PageState, *, automatic: bool) -> list[str]:
    """Return the dotted names that a signature can mean.

    >>> page = PageState("a.rst", lambda _path, _name: None, module="app")
    >>> python_names("rotate(key)", page, automatic=False), python_names("app.turn", page, automatic=True)
    (['app.rotate'], ['app.app.turn', 'app.turn'])
    """
    found = _SIGNATURE.match(signature.replace("::", "."))
    if found is None:
        return []
    whole = (found[1] or "") + found[2]
    inside = state.classes[-1] if state.classes else ""
    if inside and not whole.startswith(f"{inside}."):
        whole = f"{inside}.{whole}"
    if not state.module:
        return [whole]
    qualified = f"{state.module}.{whole}"
    # Only what imports the module could tell whether the name already begins with one.
    return [qualified, whole] if automatic and "." in whole else [qualified]


def _option_ids(signature: str, program: str) -> Any:
    for option in signature.split(", "):
        found = _OPTION.match(option.strip())
        if found is not None:
            parts = ["cmdoption", program, "" if found[1].startswith(("-", "/")) else "arg"]
            yield object_id("-".join(filter(None, parts)), found[1])
