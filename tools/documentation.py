"""Stage the documentation site, and check its links and its pages.

    python tools/documentation.py stage .site/docs   # docs/, and other pages that the navigation names
    python tools/documentation.py check .site        # the built pages beside what GitHub makes of their text

A page may link to any file of the repository. The site has the pages of `docs/` and those that the navigation
of `mkdocs.yml` names, and shows a link to any other file as its text. A page of `docs/` that is not in the
navigation is an orphan.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[1]
ELSEWHERE = "repository"
"""The folder of the site with pages that are not in docs/."""

LINK = re.compile(
    r"(?<!\\)(?P<before>!?\[(?P<text>[^\[\]]*))\]"
    r"\((?P<target>[^()\s]+(?:\([^()\s]*\)[^()\s]*)?)(?P<title> \"[^\"]*\")?\)"
)
CODE = re.compile(
    r"^(?P<fence> *(?:```+|~~~+)).*?^(?P=fence)`*~*$|(?P<ticks>`+).+?(?P=ticks)", re.MULTILINE | re.DOTALL
)
UNSEARCHED = "---\nsearch:\n  exclude: true\n---\n\n"
"""Front matter of pages that the search of the site leaves out: those that are not in docs/."""

COUNTED = ("h1", "h2", "h3", "h4", "li", "tr", "pre", "img", "blockquote")
"""What a page has as many of on the site as on GitHub."""


@dataclass
class Site:
    """What the site is made of, and what is wrong with it."""

    pages: dict[str, str] = field(default_factory=dict)
    """The text of each page, by its path on the site."""
    files: dict[str, Path] = field(default_factory=dict)
    """Pictures and other files that are copied, by their path on the site."""
    problems: list[str] = field(default_factory=list)
    """What a reader would stumble over, each with its file and line."""


def navigation(root: Path = ROOT) -> list[str]:
    """Return the pages that the navigation names, in order."""
    _, _, listed = (root / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")
    return re.findall(r"[:-] ([\w./-]+\.md)$", listed, re.MULTILINE)


def gather(root: Path = ROOT) -> Site:
    """Return the pages of docs/ and those that the navigation names."""
    site = Site()
    sources = [path.relative_to(root).as_posix() for path in sorted((root / "docs").rglob("*.md"))]
    listed = navigation(root)
    for name in listed:
        source = name.removeprefix(f"{ELSEWHERE}/") if name.startswith(f"{ELSEWHERE}/") else f"docs/{name}"
        if not (root / source).is_file():
            site.problems.append(f"mkdocs.yml: nav names {name}, and {source} does not exist")
        elif source not in sources:
            sources.append(source)
    pages = {source: page_of(source) for source in sources}
    for source in sources:
        _add(site, root, source, pages)
    for path in sorted([*(root / "docs" / "images").rglob("*.png"), *(root / "docs").glob("*.css")]):
        site.files[path.relative_to(root / "docs").as_posix()] = path
    site.problems += [
        f"docs/{page}: not in the navigation of mkdocs.yml"
        for page in sorted(site.pages)
        if not page.startswith(f"{ELSEWHERE}/") and page not in listed
    ]
    return site


def page_of(source: str) -> str:
    """Return the path on the site of a page of the repository."""
    return source.removeprefix("docs/") if source.startswith("docs/") else f"{ELSEWHERE}/{source}"


def _add(site: Site, root: Path, source: str, pages: dict[str, str]) -> None:
    """Add one page with its links rewritten."""
    page = pages[source]
    text = (root / source).read_text(encoding="utf-8")

    def rewritten(match: re.Match[str]) -> str:
        target, _, anchor = match["target"].partition("#")
        if not target or re.match(r"[a-z]+:", target):
            return match[0]
        named = os.path.normpath(PurePosixPath(source).parent / target).replace(os.sep, "/")
        if not (root / named).exists():
            line = text.count("\n", 0, match.start()) + 1
            site.problems.append(f"{source}:{line}: links to {target}, which does not exist")
            return match[0]
        if named.endswith((".png", ".svg")) or (named.startswith("docs/") and not named.endswith(".md")):
            there = named.removeprefix("docs/")
            site.files[there] = root / named
        elif named in pages:
            there = pages[named]
        else:
            return match["text"]
        here = os.path.relpath(there, PurePosixPath(page).parent).replace(os.sep, "/")
        return f"{match['before']}]({here}{'#' + anchor if anchor else ''}{match['title'] or ''})"

    site.pages[page] = replaced_links(text, rewritten)


def replaced_links(text: str, rewritten: Callable[[re.Match[str]], str]) -> str:
    """Return a text with every link outside of code replaced."""
    hidden = CODE.sub(lambda found: re.sub(r"[^\n]", "\0", found[0]), text)
    hidden = re.sub(
        r"(?<=\n\n)(?:(?: {4}|\t)[^\n]*\n)+", lambda found: re.sub(r"[^\n]", "\0", found[0]), hidden
    )
    parts, end = [], 0
    for match in LINK.finditer(text):
        if hidden[match.start()] != "\0":
            parts += [text[end : match.start()], rewritten(match)]
            end = match.end()
    return "".join([*parts, text[end:]])


def stage(folder: Path, root: Path = ROOT) -> list[str]:
    """Write the pages to a folder, and return the problems."""
    site = gather(root)
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in site.pages.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        left_out = UNSEARCHED if name.startswith(f"{ELSEWHERE}/") else ""
        place.write_text(left_out + text, encoding="utf-8")
    for name, path in site.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, folder / name)
    return site.problems


class _Elements(HTMLParser):
    """Counts elements, on a built page those of its article alone, and what is asked of other hosts."""

    def __init__(self, *, article: bool) -> None:
        super().__init__()
        self.counts: Counter[str] = Counter()
        self.outside: list[str] = []
        self._article = article
        self._inside = not article

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        if self._article and tag == "article":
            self._inside = True
        elif self._inside and tag in COUNTED:
            self.counts[tag] += 1
        address = values.get("src") or (values.get("href") if tag == "link" else None) or ""
        if address.startswith(("http:", "https:", "//")) and values.get("rel") != "canonical":
            self.outside.append(address)

    def handle_endtag(self, tag: str) -> None:
        if self._article and tag == "article":
            self._inside = False


def _elements(html: str, *, article: bool) -> _Elements:
    found = _Elements(article=article)
    found.feed(html)
    return found


def check(folder: Path) -> list[str]:
    """Return where a built page differs from what GitHub makes of its text, or asks another host."""
    import cmarkgfm

    problems = []
    for path in sorted((folder / "docs").rglob("*.md")):
        name = path.relative_to(folder / "docs").as_posix()
        bare = re.sub(r"(?:^|(?<=/))(?:index|README)$", "", name.removesuffix(".md"))
        built = folder / "html" / bare / "index.html"
        if not built.is_file():
            problems.append(f"{name}: no page was built")
            continue
        text = path.read_text(encoding="utf-8").removeprefix(UNSEARCHED)
        wanted = _elements(cmarkgfm.github_flavored_markdown_to_html(text), article=False)
        found = _elements(built.read_text(encoding="utf-8"), article=True)
        problems += [
            f"{name}: {found.counts[tag]} {tag} on the site, {wanted.counts[tag]} on GitHub; a list, a table "
            f"or a block of code needs an empty line before it, and what is inside a list four spaces"
            for tag in COUNTED
            if found.counts[tag] != wanted.counts[tag]
        ]
        problems += [f"{name}: asks {address}" for address in found.outside]
    return problems


def main(arguments: list[str]) -> int:
    """Stage or check, and print what is wrong."""
    done = {"stage": stage, "check": check}.get(arguments[0]) if len(arguments) == 2 else None
    if done is None:
        print(__doc__, file=sys.stderr)
        return 2
    problems = done(Path(arguments[1]))
    for problem in problems:
        print(problem, file=sys.stderr)
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
