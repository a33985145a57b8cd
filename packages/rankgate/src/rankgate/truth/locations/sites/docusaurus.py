"""What the configuration of a site of Docusaurus says where it is plain text; it is read, never run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankgate.outline.anchors.commonmark import docusaurus_anchors
from rankgate.truth.locations.sites.files import SiteRules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.truth.locations.sites.files import SiteFiles

_NAMES = tuple(f"docusaurus.config.{ending}" for ending in ("js", "ts", "mjs", "cjs", "mts", "cts"))
_SUFFIXES = (".md", ".mdx")
_COMMENT = re.compile(r"/\*.*?\*/|(?<![:'\"])//[^\n]*", re.DOTALL)
_NUMBER = re.compile(r"\A\d+\s*[-_.]+\s*(?=[^-_.\s\d])")
_DATED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})[-/](.*)")


def docusaurus_rules(files: SiteFiles, given: str) -> SiteRules:
    """Read the configuration of a site of Docusaurus.

    Raises:
        InputError: where it is not there.
    """
    configuration = files.configuration("docusaurus", _NAMES, given)
    text = _COMMENT.sub("", configuration.text)
    base = _value(text, "url").rstrip("/") + "/" + _value(text, "baseUrl").strip("/")
    docs, blog = _block(text, "docs"), _block(text, "blog")
    folder, route = _value(docs, "path") or "docs", _route(docs, "docs")
    default = _value(_block(text, "i18n"), "defaultLocale")
    pages: dict[str, str] = {}
    for name, path in sorted(files.below(configuration.folder, _SUFFIXES).items()):
        for kind, address in _places(name, folder, default):
            front = files.front_matter(path)
            below = {"docs": route, "blog": _route(blog, "blog"), "pages": ""}[kind.partition(" ")[0]]
            way = _blog(address, front) if kind == "blog" else _doc(address, front)
            prefix, _, version = kind.partition(" ")[2].partition(" ")
            whole = "/".join(filter(None, [prefix, below, version, way]))
            pages.setdefault(whole, path)
    url = f"{base.rstrip('/')}/"
    return SiteRules(
        url if url != "/" else "", pages, lambda path: docusaurus_anchors(files.corpus.text(path)), ""
    )


def _places(name: str, docs: str, default: str) -> Iterator[tuple[str, str]]:
    """Return what kind of page a file is, with its language and version, and its path below that."""
    steps = name.split("/")
    if any(step.startswith("_") for step in steps):
        return
    if name.startswith(f"{docs}/"):
        yield "docs", name.removeprefix(f"{docs}/")
    elif steps[0] == "versioned_docs" and len(steps) > 2:
        yield f"docs  {steps[1].removeprefix('version-')}", "/".join(steps[2:])
    elif steps[0] == "i18n" and len(steps) > 4 and steps[2] == "docusaurus-plugin-content-docs":
        version = "" if steps[3] == "current" else steps[3].removeprefix("version-")
        language = "" if steps[1] == default else steps[1]
        yield f"docs {language} {version}", "/".join(steps[4:])
    elif steps[0] == "blog":
        yield "blog", "/".join(steps[1:])
    elif name.startswith("src/pages/"):
        yield "pages", name.removeprefix("src/pages/")


def _doc(name: str, front: dict[str, str]) -> str:
    """Return the address of a document: without numbers in front, and of a folder where it is its index."""
    *folders, file = name.rpartition(".")[0].split("/")
    folders = [_NUMBER.sub("", step) for step in folders]
    stem = _NUMBER.sub("", file)
    slug = front.get("slug", "")
    if slug.startswith("/"):
        return slug.strip("/")
    if slug:
        return "/".join([*folders, slug.strip("/")])
    if stem.lower() in {"index", "readme"} or (folders and stem.lower() == folders[-1].lower()):
        return "/".join(folders)
    return "/".join([*folders, front.get("id") or stem])


def _blog(name: str, front: dict[str, str]) -> str:
    if slug := front.get("slug"):
        return slug.strip("/")
    stem = re.sub(r"/index\Z", "", name.rpartition(".")[0])
    found = _DATED.fullmatch(stem)
    return "/".join(found.groups()) if found else stem


def _route(block: str, default: str) -> str:
    found = re.search(r"\brouteBasePath\s*:\s*['\"`]([^'\"`]*)['\"`]", block)
    return default if found is None else found[1].strip("/")


def _value(text: str, name: str) -> str:
    """Return a setting that is written as a plain text.

    >>> _value("title: 'x', url: 'https://a.example',", "url")
    'https://a.example'
    """
    found = re.search(rf"(?<![\w.]){name}\s*:\s*['\"`]([^'\"`$]*)['\"`]", text)
    return "" if found is None else found[1]


def _block(text: str, name: str) -> str:
    """Return what stands in the braces behind a name."""
    found = re.search(rf"(?<![\w.]){name}\s*:\s*\{{", text)
    if found is None:
        return ""
    depth = 1
    for place in range(found.end(), len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if not depth:
            return text[found.end() : place]
    return ""
