"""What ``conf.py`` says about the addresses and ids of a site of Sphinx; it is read, never run."""

from __future__ import annotations

import ast
import re
from functools import partial
from typing import TYPE_CHECKING, Any

from rankgate.outline.anchors.commonmark import myst_anchors
from rankgate.outline.anchors.rst import rst_anchors
from rankgate.truth.locations.sites.files import SiteRules

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.outline.anchors.page import PageAnchor
    from rankgate.truth.locations.sites.files import SiteFiles

_INDEX = re.compile(r"(?:^|/)index\Z")
_ADDING = frozenset({"add_object_type", "add_crossref_type"})
_REWRITING = ("napoleon", "numpydoc")
"""Extensions that write docstrings anew before they are parsed."""


def sphinx_rules(files: SiteFiles, given: str) -> SiteRules:
    """Read the configuration of a site of Sphinx.

    Raises:
        InputError: where it is not there.
    """
    configuration = files.configuration("sphinx", ("conf.py",), given)
    try:
        tree = ast.parse(configuration.text)
    except (SyntaxError, ValueError, RecursionError):
        tree = ast.Module([], [])
    settings = dict(_assigned(tree))
    extensions = [str(one) for one in _listed(settings.get("extensions"))]
    suffixes = [str(one) for one in _listed(settings.get("source_suffix"))] or [".rst", ".md"]
    objects = list(_added(tree))
    rewritten = any(name in each for each in extensions for name in _REWRITING)
    root = str(settings.get("root_doc") or settings.get("master_doc") or "index")
    excluded = [_pattern(str(one)) for one in _listed(settings.get("exclude_patterns"))]
    pages: dict[str, str] = {}
    for name, path in sorted(files.below(configuration.folder, suffixes).items()):
        if any(pattern.fullmatch(name) for pattern in excluded):
            continue
        stem = next(name.removesuffix(suffix) for suffix in suffixes if name.endswith(suffix))
        pages.setdefault("" if stem == root else _INDEX.sub("", stem), path)

    included = partial(files.included, configuration.folder)

    def anchors(path: str) -> Sequence[PageAnchor]:
        text = files.corpus.text(path)
        if path.endswith((".md", ".markdown")):
            return myst_anchors(text)
        # What is written anew is not known, and so the numbers of ids behind it are not.
        return rst_anchors(path, text, included, objects, (lambda _: None) if rewritten else files.module)

    base = str(settings.get("html_baseurl") or "")
    ending = str(settings.get("html_link_suffix") or settings.get("html_file_suffix") or ".html")
    return SiteRules(base if not base or base.endswith("/") else f"{base}/", pages, anchors, ending)


def _assigned(tree: ast.Module) -> Iterator[tuple[str, Any]]:
    """List the names that are plain values: texts, numbers, lists and dictionaries of them."""
    for node in tree.body:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Name):
                    try:
                        yield target.id, ast.literal_eval(node.value)
                    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                        continue


def _added(tree: ast.Module) -> Iterator[str]:
    """List the directives that the configuration itself adds by a plain name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _ADDING:
            named = [keyword.value for keyword in node.keywords if keyword.arg == "directivename"]
            for value in [*node.args[:1], *named]:
                if isinstance(value, ast.Constant) and isinstance(value.value, str):
                    yield value.value


def _listed(value: Any) -> list[Any]:
    return (
        [value] if isinstance(value, str) else list(value) if isinstance(value, list | tuple | dict) else []
    )


def _pattern(written: str) -> re.Pattern[str]:
    """Return a pattern of files that are no pages: a star stands for no slash, two stars for any.

    >>> [bool(_pattern("*/attic*").fullmatch(name)) for name in ("example/attic.rst", "a/b/attic.rst")]
    [True, False]
    """
    parts = re.split(r"(\*\*/?|\*|\?)", written)
    meant = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(meant.get(part, re.escape(part)) for part in parts) + r"(?:/.*)?")
