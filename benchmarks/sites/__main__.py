"""Build web sites by the programs that make them, and compare every heading with what rankgate makes of it.

    python benchmarks/sites            # all; `just sites` also fetches what builds them
    python benchmarks/sites flask hugo

For each heading that stands in a source file: its address is in the built HTML, and that address is its
lines. For each heading in the built HTML whose words stand in the source: its address is the heading's line.
What an extension makes, such as a title in a docstring, is counted apart.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote

from rankgate.corpora.folder import FolderCorpus
from rankgate.model.locations import Lines
from rankgate.outline import read_outline
from rankgate.outline.html import read_html
from rankgate.truth.locations.sites.site import PublishedSite

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]
FIXTURES = ROOT / ".fixtures"
BIN = FIXTURES / "sites-venv" / "bin"
ODD = Path(__file__).parent / "odd"


@dataclass(frozen=True, slots=True)
class BuiltSite:
    """A site that was built."""

    program: str
    source: Path
    built: Path


@dataclass(slots=True)
class Compared:
    """What a comparison counted."""

    there: int = 0
    back: int = 0
    made: int = 0
    wrong: int = 0

    def fault(self, words: str) -> None:
        """Print what is wrong; the first ones in full."""
        self.wrong += 1
        if self.wrong <= 10:
            print(f"  wrong: {words}")


def main(names: list[str]) -> int:
    """Compare the sites named, or all; the exit code is 1 where anything differs."""
    failed = 0
    for name in names or list(SITES):
        started = time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            site = SITES[name](Path(folder))
            if site is None:
                print(f"{name}: the program that builds it is not here, not compared")
                continue
            found = compare(site)
        failed += bool(found.wrong or not found.there)
        print(
            f"{name} ({site.program}): {found.there:,} headings of source files to addresses and back, "
            f"{found.back:,} of built pages to lines, {found.made:,} made by extensions, "
            f"{found.wrong} wrong, {time.monotonic() - started:.0f} s",
            flush=True,
        )
    return 1 if failed else 0


def compare(site: BuiltSite) -> Compared:
    """Compare a site both ways."""
    corpus = FolderCorpus.open(site.source, root=site.source)
    published = PublishedSite.of(site.program, corpus)
    found = Compared()
    ids: dict[str, set[str]] = {}
    titles: dict[str, set[str]] = {}
    built: set[str] = set()
    for page in _pages(site.built):
        html = read_html((site.built / page).read_text(encoding="utf-8"))
        ids[page] = {name for name, _, _ in html.elements}
        last: dict[str, int] = {}
        for heading in html.headings:
            built.add(_folded(heading.title))
            # A note in a title has an id of its own.
            names = tuple(name for name in heading.ids if not name.startswith("fnref:"))
            if names:
                _to_lines(f"/{page}", heading.title, names, published, corpus, titles, found)
                # Headings of one title are told apart by their order alone.
                place = published.find(f"/{page}#{quote(names[0])}")
                if place is not None and place.lines is not None:
                    if place.lines.start <= last.get(str(place.path), 0):
                        found.fault(f"/{page}#{names[0]} became {place}, above the heading before it")
                    last[str(place.path)] = place.lines.start
    for path in corpus.paths():
        for node in read_outline(path, corpus.text(path)) or () if path.endswith((".md", ".rst")) else ():
            if node.kind == "section" and (address := published.address(path, node.start)) is not None:
                found.there += 1
                page, _, anchor = re.sub(r"^https?://[^/]*", "", address).partition("#")
                known = next((ids[one] for one in _files(page, ids)), set())
                place = published.find(address)
                if unquote(anchor) not in known:
                    found.fault(f"{path}:{node.start} {address} is not in the built page")
                elif place is None or (place.path, place.lines) != (path, Lines(node.start, node.end)):
                    found.fault(f"{path}:{node.start}-{node.end} {address} became {place}")
            elif node.kind == "section" and published.is_page(path) and _folded(node.name) in built:
                found.fault(f"{path}:{node.start} has no address")
    return found


def _to_lines(
    page: str,
    title: str,
    ids: tuple[str, ...],
    published: PublishedSite,
    corpus: FolderCorpus,
    titles: dict[str, set[str]],
    found: Compared,
) -> None:
    """Check that each id of a heading in a built page is the line of that heading."""
    for name in ids:
        place = published.find(f"{page}#{quote(name)}")
        if place is None:
            found.fault(f"{page} is no page")
        elif place.lines is not None:
            lines = corpus.text(str(place.path)).split("\n")[place.lines.start - 1 : place.lines.start + 1]
            if all(_folded(word) in _folded(" ".join(lines)) for word in title.split()[:3]):
                found.back += 1
            else:
                found.fault(f"{page}#{name} {title!r} became {place}: {lines[0]!r}")
        else:
            path = str(place.path)
            if path not in titles:
                nodes = read_outline(path, corpus.text(path)) or ()
                titles[path] = {_folded(node.name) for node in nodes if node.kind == "section"}
            if _folded(title) in titles[path]:
                found.fault(f"{page}#{name} {title!r} has no lines")
            found.made += 1


def _folded(words: str) -> str:
    return re.sub(r"[\W_]", "", words).casefold()


def _pages(built: Path) -> Iterator[str]:
    for path in sorted(built.rglob("*.html")):
        name = path.relative_to(built).as_posix()
        if not name.startswith(("_", "genindex", "search", "404", "py-modindex")):
            yield name


def _files(page: str, ids: dict[str, set[str]]) -> Iterator[str]:
    """Return the built file of an address, whatever stands before it."""
    steps = page.strip("/").split("/")
    for left_out in range(len(steps) + 1):
        way = unquote("/".join(steps[left_out:]))
        yield from (one for one in (way, f"{way}/index.html".lstrip("/"), f"{way}.html") if one in ids)


def _unpacked(name: str, folder: Path) -> Path:
    with tarfile.open(FIXTURES / f"{name}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    return folder / name


def _run(*command: str | Path, cwd: Path) -> None:
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit code {done.returncode}\n{done.stderr[-2000:]}")


def starlette(folder: Path) -> BuiltSite:
    """Build Starlette's documentation with MkDocs Material, without what it would fetch."""
    source = _unpacked("starlette-1.0.0", folder)
    settings = (source / "mkdocs.yml").read_text(encoding="utf-8")
    settings = re.sub(r"(?m)^strict: .*\n", "", settings).partition("          inventories:")[0]
    settings = settings.replace('name: "material"', 'name: "material"\n  font: false')
    (source / "mkdocs.yml").write_text(settings, encoding="utf-8")
    _run(BIN / "mkdocs", "build", "-q", "-d", folder / "built", cwd=source)
    return BuiltSite("mkdocs", source, folder / "built")


def _sphinx(name: str, docs: str) -> Callable[[Path], BuiltSite]:
    def build(folder: Path) -> BuiltSite:
        source = _unpacked(name, folder)
        options = ("-q", "-b", "html", "-D", "intersphinx_timeout=1", "-d", str(folder / "trees"))
        _run(BIN / "sphinx-build", *options, source / docs, folder / "built", cwd=source)
        return BuiltSite("sphinx", source, folder / "built")

    return build


def hugo(folder: Path) -> BuiltSite | None:
    """Build Starlette's pages and odd ones with Hugo, in a theme that shows nothing but them."""
    if shutil.which("hugo") is None:
        return None
    source = folder / "source"
    shutil.copytree(ODD / "hugo", source)
    pages = _unpacked("starlette-1.0.0", folder) / "docs"
    for page in pages.glob("*.md"):
        if page.name != "index.md":
            shutil.copy(page, source / "content" / page.name)
    _run("hugo", "--quiet", "--source", source, "--destination", folder / "built", cwd=folder)
    return BuiltSite("hugo", source, folder / "built")


def odd_mkdocs(folder: Path) -> BuiltSite:
    """Build odd pages with MkDocs."""
    shutil.copytree(ODD / "mkdocs", folder / "source")
    _run(BIN / "mkdocs", "build", "-q", "-d", folder / "built", cwd=folder / "source")
    return BuiltSite("mkdocs", folder / "source", folder / "built")


def odd_sphinx(folder: Path) -> BuiltSite:
    """Build odd pages with Sphinx, in reStructuredText and in MyST."""
    shutil.copytree(ODD / "sphinx", folder / "source")
    _run(BIN / "sphinx-build", "-q", "-b", "html", folder / "source", folder / "built", cwd=folder)
    return BuiltSite("sphinx", folder / "source", folder / "built")


SITES: dict[str, Callable[[Path], BuiltSite | None]] = {
    "starlette": starlette,
    "flask": _sphinx("flask-3.1.3", "docs"),
    "pytest": _sphinx("pytest-9.2.0", "doc/en"),
    "hugo": hugo,
    "odd-mkdocs": odd_mkdocs,
    "odd-sphinx": odd_sphinx,
}

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
