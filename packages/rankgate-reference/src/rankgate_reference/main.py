"""``rankgate-reference``: index, search, serve and look at a folder, or at a file of records."""

from __future__ import annotations

import io
import os
import sys
import time
import weakref
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

import rankgate as rg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from rankgate_reference.library.library import Library
    from rankgate_reference.tools.tool import Desk

    Progress = Callable[[int, int], None]

MODES = ("lexical", "vector", "hybrid")
"""As in `system.py`, which is not imported to write a help text."""

_CACHE = click.option("--cache", help="The folder to keep the index in.  [default: the user's cache]")
_MODE = click.option(
    "--mode",
    default="lexical",
    show_default=True,
    type=click.Choice(MODES),
    help="Search by words, by vectors or by both.",
)
_MODEL = click.option("--model", default="", help="The embedder for vector and hybrid.  [default: minilm]")
_CORPUS = click.option(
    "--corpus",
    default="folder",
    show_default=True,
    metavar="KIND",
    help="What ROOT is: folder; jsonl, which is a file of records; or beir, which is a folder of "
    "them. Options follow: jsonl,id=key,text=title,text=body.",
)
_ROOT = click.argument("root", type=click.Path(path_type=Path))
# click itself does not know of NO_COLOR.
_COLOUR = False if os.environ.get("NO_COLOR") else None


@click.group(context_settings={"help_option_names": ["-h", "--help"], "color": _COLOUR})
@click.version_option(package_name="rankgate", message="%(prog)s %(version)s")
def cli() -> None:
    """Search a folder of documentation and code, or records, and serve it to agents over MCP."""


@cli.command()
@_ROOT
@_CORPUS
@_CACHE
@_MODE
@_MODEL
def index(root: Path, corpus: str, cache: str | None, mode: str, model: str) -> None:
    """Index a folder or records, or bring the index up to date.

    Only what changed is parsed anew. With --mode vector or hybrid, its vectors are made too.
    """
    begun = time.monotonic()
    library = _opened(_Place(root, corpus, cache), mode, model).library
    seconds = time.monotonic() - begun
    _echo(_size_of(library), bold=True)
    vectors = ", vectors up to date" if mode != "lexical" else ""
    _echo(f"{_done_in(library)}{vectors}, in {seconds:.1f} s")
    for note in library.notes:
        _echo(f"note: {note}", dim=True)


@cli.command()
@_ROOT
@click.argument("query")
@click.option(
    "--k", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many hits to show at most."
)
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="KEY=VALUE",
    help="Only nodes with this facet; several values of a key mean any of them.",
)
@click.option("--explain", is_flag=True, help="Say what each word counted for each hit.")
@_MODE
@_MODEL
@_CORPUS
@_CACHE
def search(  # noqa: PLR0913, PLR0917 - what can be said on the command line
    root: Path,
    query: str,
    k: int,
    filters: tuple[str, ...],
    explain: bool,
    mode: str,
    model: str,
    corpus: str,
    cache: str | None,
) -> None:
    """Search a folder or records.

    \b
    rankgate-reference search docs "rotate an API key"
    rankgate-reference search . "retry" --filter language=python --filter kind=class --explain
    rankgate-reference search api.jsonl "create an issue" --corpus jsonl
    """
    from rankgate_reference.excerpts import excerpt
    from rankgate_reference.facets import warnings

    if not query.strip():
        raise rg.InputError(rg.Problem("QUERY", "nothing", "words or a name", "tree lists the documents"))
    if explain and mode == "vector":
        found = "a search by vectors, which have no words"
        raise rg.InputError(rg.Problem("--explain", found, "--mode lexical or hybrid"))
    asked = rg.Query(query, k, _filters(filters))
    desk = _opened(_Place(root, corpus, cache), mode, model)
    for warning in warnings(desk.library, asked):
        _echo(f"warning: {warning}", err=True, fg="yellow")
    if explain and mode == "hybrid":
        _echo("note: what is explained is what words counted, not vectors", err=True, dim=True)
    hits = desk.search(mode, asked).hits
    for rank, hit in enumerate(hits, 1):
        if rank > 1:
            _echo("")
        node = desk.library.node(hit.id or "")
        lines = hit.lines or node.lines
        name = node.symbol or " / ".join(node.trail[1:] or node.trail)
        _echo(f"{rank:>2}  {node.path}:{lines.start}-{lines.end}", bold=True, nl=False)
        _echo(f"  {node.kind} {name}", fg="cyan", nl=False)
        _echo(f"  {hit.score or 0:.3g}", dim=True)
        said = desk.library.explain(query, node.id) if explain else excerpt(node, query, 600)
        for line in said.split("\n") if said else ():
            _echo(f"    {line}".rstrip())
    if not hits:
        _echo("nothing found")


@cli.command()
@_ROOT
@click.argument("document", required=False)
@click.option("--depth", default=0, type=click.IntRange(min=0), help="How many levels; 0 for all.")
@_CORPUS
@_CACHE
def tree(root: Path, document: str | None, depth: int, corpus: str, cache: str | None) -> None:
    """Show what a document is made of; without one, or for a folder, list the documents."""
    from rankgate_reference.finding import Finder
    from rankgate_reference.library.library import depth_first

    if document is None and depth:
        raise rg.InputError(rg.Problem("--depth", "no document", "the document to show so deep"))
    library = _opened(_Place(root, corpus, cache), "lexical", "").library
    finder = Finder(library, "rankgate-reference tree ROOT lists the documents")
    folder = finder.folder(document) if document and finder.known(document) is None else ""
    if document is None or folder:
        for node in library.documents_without_text:
            if not node.path.startswith(folder):
                continue
            _echo(node.path, nl=False)
            name = node.path if library.records else Path(node.path).name
            _echo(f"  {node.title}" if node.title != name else "", dim=True)
        return
    top = finder.node(document)
    depths: dict[str | None, int] = {}
    for node in depth_first(library.nodes(top.id), top):
        depths[node.id] = at = depths.get(node.parent, -1) + 1
        if not depth or at <= depth:
            title = node.path if node.kind == "document" else node.title
            _echo("  " * at + title, bold=at == 0, nl=False)
            _echo(f"  {node.kind} {node.start}-{max(node.start, node.end)}", dim=True)


@cli.command()
@_ROOT
@click.option(
    "--transport", default="stdio", show_default=True, type=click.Choice(("stdio", "http")), help="Over what."
)
@click.option("--host", help="For http: the address to listen at.  [default: 127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="For http; 0 for any free.  [default: 8765]")
@_MODE
@_MODEL
@_CORPUS
@_CACHE
def serve(
    root: Path,
    transport: str,
    host: str | None,
    port: int | None,
    mode: str,
    model: str,
    corpus: str,
    cache: str | None,
) -> None:
    """Serve a folder or records to agents over MCP, read-only.

    \b
    rankgate-reference serve docs
    rankgate-reference serve api.jsonl --corpus jsonl
    rankgate-reference serve docs --transport http --port 8765
    """
    from importlib.metadata import version

    from rankgate_reference.documents.changes import state_of
    from rankgate_reference.opening import Opening
    from rankgate_reference.server import make_server, serve_http, serve_stdio

    if transport == "stdio" and not (host is None and port is None):
        name = "--port" if host is None else "--host"
        raise rg.InputError(rg.Problem(name, "a server on standard input and output", "--transport http"))
    place = _checked(_Place(root, corpus, cache))

    def opens(progress: Progress) -> Desk:
        # Vectors of a large folder take minutes: they are made here or not at all, never for a query.
        modes = ("lexical",) if mode == "lexical" else (*(one for one in MODES if one != mode), mode)
        desk = _desk(place, modes, model, (progress, progress))
        # It is closed once there is a new one and the last call that worked with it has ended.
        weakref.finalize(desk, desk.library.close)
        _echo(f"ready: {_size_of(desk.library)}; {_done_in(desk.library)}", err=True)
        return desk

    apart = None if cache is None else Path(cache)
    opening = Opening(opens, lambda: state_of(root, apart), lambda error: _echo(f"error: {error}", err=True))
    server = make_server(opening, place.told, version("rankgate"))
    opening.start()
    if transport == "stdio":
        serve_stdio(server)
    else:
        serve_http(server, "127.0.0.1" if host is None else host, 8765 if port is None else port)


def main() -> None:
    """Run the command line; an error that rankgate raises on purpose is printed without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(standalone_mode=False, prog_name="rankgate-reference")
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read the output has seen enough.
        _let_go_of_output()
        sys.exit(141)
    except OSError as error:
        _let_go_of_output()
        found = error.strerror or str(error)
        place = str(error.filename or "output")
        sys.exit(_refused(rg.InputError(rg.Problem(place, found, "what can be read or written"))))
    except rg.RankgateError as error:
        sys.exit(_refused(error))
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _refused(error: rg.RankgateError) -> int:
    for line in str(error).split("\n"):
        shown = f"{click.style('error:', fg='red', bold=True)} {_plain(line)}"
        click.echo(shown, err=True, color=_COLOUR)
    return error.exit_code


def _let_go_of_output() -> None:
    """Leave nothing to be flushed at exit, where it would fail once more."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


@dataclass(frozen=True, slots=True)
class _Place:
    """What is searched, as it was written."""

    root: Path
    kind: str
    cache: str | None

    @property
    def told(self) -> str:
        """What it is, in words."""
        from rankgate_reference.documents.sources import is_folder

        name = repr(self.root.resolve().name)
        if not is_folder(self.kind):
            return f"the records of {name}, which have ids of their own"
        ids = "with ids such as path, path#Heading/Sub and path::Class.method"
        return f"the files of {name}: sections of documentation and symbols of code, {ids}"


def _opened(place: _Place, mode: str, model: str) -> Desk:
    from rankgate_reference.progress import Bar

    with Bar() as bar:
        return _desk(_checked(place), (mode,), model, (bar.stage("indexing"), bar.stage("embedding")))


def _desk(place: _Place, modes: Sequence[str], model: str, progress: tuple[Progress, Progress]) -> Desk:
    """Open a folder or records to be searched in these ways, the last where nobody says how."""
    from rankgate_reference.library.library import Library
    from rankgate_reference.system import ReferenceOptions, search_by
    from rankgate_reference.tools.tool import Desk

    parsed, embedded = progress
    library = Library.open(place.root, kind=place.kind, cache=place.cache, progress=parsed)
    options = ReferenceOptions(root=str(place.root), model=model)
    ways = {one: search_by(one, library, options, embedded) for one in modes}

    def asked(how: str, query: rg.Query) -> rg.Ranking:
        if how not in ways:
            fix = f"leave it out, or start the server with --mode {how}"
            raise rg.InputError(rg.Problem("mode", repr(how), " or ".join(ways), fix))
        return ways[how](query)

    return Desk(library, asked, modes[-1])


def _checked(place: _Place) -> _Place:
    """Return the place, once it is sure that root and cache are what they should be."""
    from rankgate_reference.documents.sources import checked, is_folder, resolved

    root, cache = place.root, place.cache
    top = checked(root, place.kind)
    if cache is None:
        return place
    if not cache:
        raise rg.InputError(rg.Problem("--cache", "nothing", "a folder"))
    kept = resolved(cache)
    if not is_folder(place.kind) or not kept.is_relative_to(top):
        return place
    inside = kept.relative_to(top)
    if not any(part.startswith(".") for part in inside.parts):
        found = "a folder that would be searched itself"
        fix = f"such as {root / '.cache'}, as what is hidden is not searched"
        raise rg.InputError(rg.Problem(f"--cache {cache}", found, "one outside ROOT, or hidden", fix))
    return place


def _size_of(library: Library) -> str:
    from rankgate_reference.answers import counted

    return (
        f"{counted(len(library.documents_without_text), 'document')}, {counted(len(library.lexical), 'node')}"
    )


def _done_in(library: Library) -> str:
    from rankgate_reference.answers import counted

    if not library.changed and not library.removed:
        return "nothing had changed"
    return f"{counted(len(library.changed), library.unit)} indexed, {len(library.removed):,} removed"


def _filters(given: Iterable[str]) -> dict[str, str | tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for one in given:
        key, equals, value = one.partition("=")
        if not equals or not key:
            raise rg.InputError(rg.Problem("--filter", repr(one), "KEY=VALUE, such as language=python"))
        found[key] = (*found.get(key, ()), value)
    return dict(found)


def _plain(text: str) -> str:
    """Show control characters as escapes, so that no file steers a terminal."""
    return "".join(
        char if char.isprintable() or char == "\t" else char.encode("unicode_escape").decode()
        for char in text
    )


def _echo(text: str, *, nl: bool = True, err: bool = False, **style: object) -> None:
    shown = _plain(text)
    click.echo(click.style(shown, **style) if style else shown, nl=nl, err=err)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
