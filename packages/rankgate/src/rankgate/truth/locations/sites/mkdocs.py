"""What ``mkdocs.yml`` says about the addresses and ids of a site of MkDocs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import yaml

from rankgate.errors import Code, InputError
from rankgate.outline.anchors.python_markdown import TocSettings, python_markdown_anchors
from rankgate.outline.anchors.slugs import pymdownx_slug, python_markdown_slug
from rankgate.truth.locations.sites.files import SiteRules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from rankgate.truth.locations.sites.files import SiteConfiguration, SiteFiles

_NAMES = ("mkdocs.yml", "mkdocs.yaml")
_SUFFIXES = (".md", ".markdown", ".mdown", ".mkdn", ".mkd")
_INDEX = re.compile(r"(?:^|/)(?:index|README)\Z")
_MOST_PARENTS = 5
_CASES = {"uslugify": "lower", "uslugify_cased": "none", "gfm": "lower-ascii", "gfm_encoded": "lower-ascii"}


@dataclass(frozen=True, slots=True)
class _Tagged:
    """A value of a type that only Python knows, such as ``!!python/name:pymdownx.slugs.uslugify``."""

    tag: str
    value: Any


class _Loader(yaml.SafeLoader):  # type: ignore[misc]
    """Reads YAML whose tags make nothing."""


def _tagged(loader: _Loader, suffix: str, node: yaml.Node) -> _Tagged:
    match node:
        case yaml.MappingNode():
            return _Tagged(suffix, loader.construct_mapping(node, deep=True))
        case yaml.SequenceNode():
            return _Tagged(suffix, loader.construct_sequence(node, deep=True))
        case _:
            return _Tagged(suffix, node.value)


_Loader.add_multi_constructor("tag:yaml.org,2002:python/", _tagged)
_Loader.add_multi_constructor("!", _tagged)


def mkdocs_rules(files: SiteFiles, given: str) -> SiteRules:
    """Read the configuration of a site of MkDocs.

    Raises:
        InputError: where it is not there or is no YAML.
    """
    configuration = files.configuration("mkdocs", _NAMES, given)
    settings = _read(configuration, files)
    folder = configuration.folder / _text(settings.get("docs_dir"), "docs")
    languages = _languages(settings)
    pages: dict[str, str] = {}
    for name, path in sorted(files.below(folder, _SUFFIXES).items()):
        for address in _addresses(name, languages):
            pages.setdefault(address, path)
    base = _text(settings.get("site_url"), "")
    toc = _toc(settings)
    return SiteRules(
        base if not base or base.endswith("/") else f"{base}/",
        pages,
        lambda path: python_markdown_anchors(files.corpus.text(path), toc),
        ".html" if settings.get("use_directory_urls") is False else "/",
    )


def _read(configuration: SiteConfiguration, files: SiteFiles, parents: int = 0) -> dict[str, Any]:
    try:
        # A safe loader: every tag that could make an object is only named.
        found = yaml.load(configuration.text, _Loader)  # noqa: S506
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise InputError(
            Code.BAD_SYNTAX(configuration.name, "what is no YAML", "the configuration of MkDocs")
        ) from error
    settings = found if isinstance(found, dict) else {}
    inherited = settings.get("INHERIT")
    above = files.beside(configuration, inherited) if isinstance(inherited, str) else None
    if above is None or parents >= _MOST_PARENTS:
        return settings
    return {**_read(above, files, parents + 1), **settings}


def _text(value: Any, default: str) -> str:
    if isinstance(value, _Tagged):
        # !ENV [NAME, default]: the environment that a site is built in is another one.
        value = value.value[-1] if isinstance(value.value, list) and len(value.value) > 1 else None
    return value if isinstance(value, str) and value else default


def _addresses(name: str, languages: tuple[str, dict[str, bool]]) -> list[str]:
    """Return the addresses of a page: its own, and where a site has languages, that of its language."""
    structure, known = languages
    stem = name.rpartition(".")[0]
    plain = _INDEX.sub("", stem)
    first, _, rest = stem.partition("/")
    if structure == "folder" and first in known:
        page = _INDEX.sub("", rest)
        return [page] if known[first] else [f"{first}/{page}".rstrip("/")]
    last = stem.rpartition(".")[2]
    if structure == "suffix" and last in known:
        page = _INDEX.sub("", stem.rpartition(".")[0])
        return [page] if known[last] else [f"{last}/{page}".rstrip("/")]
    return [plain]


def _languages(settings: Mapping[str, Any]) -> tuple[str, dict[str, bool]]:
    """Return how the plugin i18n names the files of languages, and which of them is the default."""
    plugin = _options(settings.get("plugins"), "i18n")
    if plugin is None:
        return "", {}
    listed = plugin.get("languages")
    known = {
        str(one.get("locale")): bool(one.get("default"))
        for one in (listed if isinstance(listed, list) else [])
        if isinstance(one, dict)
    }
    return _text(plugin.get("docs_structure"), "suffix"), known


def _options(listed: Any, name: str) -> dict[str, Any] | None:
    """Return the options of an extension or a plugin; None where it is not listed."""
    for item in listed.items() if isinstance(listed, dict) else listed if isinstance(listed, list) else ():
        if item == name:
            return {}
        pairs = item.items() if isinstance(item, dict) else [item] if isinstance(item, tuple) else ()
        for key, value in pairs:
            if key == name:
                return value if isinstance(value, dict) else {}
    return None


def _toc(settings: Mapping[str, Any]) -> TocSettings:
    listed = settings.get("markdown_extensions")

    def uses(*names: str) -> bool:
        return any(_options(listed, name) is not None for name in names)

    toc = _options(listed, "toc") or _options(listed, "markdown.extensions.toc") or {}
    return TocSettings(
        _slugify(toc.get("slugify")),
        _text(toc.get("separator"), "-"),
        attributes=uses("attr_list", "markdown.extensions.attr_list", "extra", "markdown.extensions.extra"),
        emoji=uses("pymdownx.emoji"),
        footnotes=uses("footnotes", "markdown.extensions.footnotes", "extra", "markdown.extensions.extra"),
    )


def _slugify(value: Any) -> Callable[[str, str], str]:
    """Return what a setting names, where it is one of those that Material's documentation names."""
    tag, options = (value.tag, value.value) if isinstance(value, _Tagged) else ("", {})
    name = (tag or (value if isinstance(value, str) else "")).rpartition(".")[2]
    if name == "slugify_unicode":
        return partial(python_markdown_slug, unicode=True)
    if name in _CASES:
        return partial(pymdownx_slug, case=_CASES[name], percent_encode=name == "gfm_encoded")
    if name == "slugify" and "pymdownx" in tag:
        given = options.get("kwds", {}) if isinstance(options, dict) else {}
        known = {key: given[key] for key in ("case", "percent_encode", "normalize") if key in given}
        return partial(pymdownx_slug, **known)
    return python_markdown_slug
