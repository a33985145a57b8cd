"""What the configuration of a site of Hugo says about its addresses and ids."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

import yaml

from rankgate.errors import Code, InputError
from rankgate.outline.anchors.commonmark import hugo_anchors
from rankgate.truth.locations.sites.files import SiteRules

if TYPE_CHECKING:
    from rankgate.truth.locations.sites.files import SiteConfiguration, SiteFiles

_ENDINGS = ("toml", "yaml", "yml", "json")
_NAMES = tuple(f"{name}.{ending}" for name in ("hugo", "config") for ending in _ENDINGS)
_SUFFIXES = (".md", ".markdown", ".mdown", ".html")
_DROPPED = re.compile(r"[^\w./\\_#+~@ -]")


def hugo_rules(files: SiteFiles, given: str) -> SiteRules:
    """Read the configuration of a site of Hugo.

    Raises:
        InputError: where it is not there or cannot be read.
    """
    configuration = files.configuration("hugo", _NAMES, given)
    settings = _lowered(_read(configuration))
    folder = configuration.folder
    if folder.name == "_default" and folder.parent.name == "config":
        folder = folder.parents[1]
    folder /= str(settings.get("contentdir") or "content")
    languages = settings.get("languages")
    known = set(languages) if isinstance(languages, dict) else set()
    default = str(settings.get("defaultcontentlanguage") or "en").lower()
    first = "" if not settings.get("defaultcontentlanguageinsubdir") else default
    keep_case = bool(settings.get("disablepathtolower"))
    pages: dict[str, str] = {}
    for name, path in sorted(files.below(folder, _SUFFIXES).items()):
        language, address = _address(name, files.front_matter(path), known)
        prefix = first if language in {"", default} else language
        whole = "/".join(filter(None, [prefix, address]))
        pages.setdefault(whole if keep_case else whole.lower(), path)
    kind = _heading_ids(settings)
    base = str(settings.get("baseurl") or "")
    return SiteRules(
        base if not base or base.endswith("/") else f"{base}/",
        pages,
        lambda path: hugo_anchors(files.corpus.text(path), kind),
        ".html" if settings.get("uglyurls") is True else "/",
    )


def _read(configuration: SiteConfiguration) -> Any:
    try:
        if configuration.name.endswith(".toml"):
            return tomllib.loads(configuration.text)
        if configuration.name.endswith(".json"):
            return json.loads(configuration.text)
        return yaml.safe_load(configuration.text)
    except (ValueError, yaml.YAMLError, RecursionError) as error:
        expected = "the configuration of Hugo as TOML, YAML or JSON"
        raise InputError(Code.BAD_SYNTAX(configuration.name, "what cannot be read", expected)) from error


def _lowered(value: Any) -> dict[str, Any]:
    """Return settings by their names in lower case, as Hugo reads them."""
    if not isinstance(value, dict):
        return {}
    return {str(key).lower(): _lowered(one) if isinstance(one, dict) else one for key, one in value.items()}


def _heading_ids(settings: dict[str, Any]) -> str:
    inner: Any = settings
    for key in ("markup", "goldmark", "parser"):
        inner = inner.get(key) if isinstance(inner, dict) else None
    return str(inner.get("autoheadingidtype") or "github") if isinstance(inner, dict) else "github"


def _address(name: str, front: dict[str, str], languages: set[str]) -> tuple[str, str]:
    """Return the language of a page, where its file's name has one, and its address below that."""
    folder, _, file = name.rpartition("/")
    stem = file.rpartition(".")[0]
    before, _, last = stem.rpartition(".")
    language = last.lower() if before and last.lower() in languages else ""
    stem = before if language else stem
    if url := front.get("url"):
        return "", url.strip("/").removesuffix("index.html").removesuffix(".html").strip("/")
    if stem in {"_index", "index"}:
        slug = front.get("slug", "")
        above, _, own = folder.rpartition("/")
        folder = "/".join(filter(None, [above, slug])) if slug and stem == "index" and own else folder
        return language, _sanitized(folder)
    return language, _sanitized("/".join(filter(None, [folder, front.get("slug") or stem])))


def _sanitized(way: str) -> str:
    return re.sub(" +", "-", _DROPPED.sub("", way).strip())
