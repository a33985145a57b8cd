"""``rankgate-reference``: index, search, serve and look at a folder."""

from __future__ import annotations

import io
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

import rankgate as rg

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from rankgate.reference.library import Library
    from rankgate.reference.tools.tool import Desk

MODES = ("lexical", "vector", "hybrid")
"""As in `system.py`, which is not imported to write a help text."""

_CACHE = click.option(
    "--cache", type=click.Path(path_type=Path), help="Where the index is kept.  [default: the user's cache]"
)
_MODE = click.option(
    "--mode", default="lexical", show_default=True, type=click.Choice(MODES), help="How to search."
)
_MODEL = click.option("--model", default="", help="The embedder, for vector and hybrid.")
_ROOT = click.argument("root", type=click.Path(path_type=Path))


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="rankgate", message="%(prog)s %(version)s")
def cli() -> None:
    """Search a folder of documentation and code, and serve it to agents over MCP."""


@cli.command()
@_ROOT
@_CACHE
@_MODE
@_MODEL
def index(root: Path, cache: Path | None, mode: str, model: str) -> None:
    """Index a folder, or bring its index up to date.

    Only files that changed are parsed anew.
    """
    begun = time.monotonic()
    desk = _opened(root, cache, mode, model)
    library, seconds = desk.library, time.monotonic() - begun
    _echo(f"{len(library.documents_without_text):,} documents, {len(library.lexical):,} nodes", bold=True)
    done = f"{len(library.changed):,} files indexed, {len(library.removed):,} removed"
    _echo(f"{done if library.changed or library.removed else 'nothing had changed'}, in {seconds:.1f} s")
    for note in library.notes:
        _echo(f"note: {note}", dim=True)


@cli.command()
@_ROOT
@click.argument("query")
@click.option(
    "--k", default=10, show_default=True, type=click.IntRange(1, 1000), help="How many hits to want."
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
@_CACHE
def search(
    root: Path,
    query: str,
    k: int,
    filters: tuple[str, ...],
    explain: bool,
    mode: str,
    model: str,
    cache: Path | None,
) -> int:
    """Search a folder.

    \b
    rankgate-reference search docs "rotate an API key"
    rankgate-reference search . "retry" --filter language=python --filter kind=class --explain
    """  # noqa: D301 - click wants the character itself
    from rankgate.reference.excerpts import excerpt

    asked = rg.Query(query, k, _filters(filters))
    desk = _opened(root, cache, mode, model)
    for warning in desk.library.warnings(asked):
        _echo(f"warning: {warning}", err=True, fg="yellow")
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
        for line in excerpt(node, query, 600).split("\n") if not explain else ():
            _echo(f"    {line}")
        if explain:
            for line in desk.library.explain(query, node.id).split("\n"):
                _echo(f"    {line}")
    if not hits:
        _echo("nothing found")
    return 0


@cli.command()
@_ROOT
@click.argument("document", required=False)
@click.option("--depth", default=0, type=click.IntRange(min=0), help="How many levels; 0 for all.")
@_CACHE
def tree(root: Path, document: str | None, depth: int, cache: Path | None) -> None:
    """Show what a document is made of; without one, list the documents."""
    from rankgate.reference.finding import Finder
    from rankgate.reference.library import depth_first

    library = _library(root, cache)
    if document is None:
        for node in library.documents_without_text:
            _echo(node.path, nl=False)
            _echo(f"  {node.title}" if node.title != Path(node.path).name else "", dim=True)
        return
    top = Finder(library).node(document)
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
@click.option("--host", default="127.0.0.1", show_default=True, help="For http: the address to listen at.")
@click.option(
    "--port", default=8765, show_default=True, type=click.IntRange(0, 65535), help="For http; 0 for any free."
)
@_MODE
@_MODEL
@_CACHE
def serve(
    root: Path, transport: str, host: str, port: int, mode: str, model: str, cache: Path | None
) -> None:
    """Serve a folder to agents over MCP, read-only.

    \b
    rankgate-reference serve docs
    rankgate-reference serve docs --transport http --port 8765
    """  # noqa: D301 - click wants the character itself
    from importlib.metadata import version

    from rankgate.reference.opening import Opening
    from rankgate.reference.server import make_server, serve_http, serve_stdio

    _check(root)
    opening = Opening(lambda progress: _desk(root, cache, mode, model, progress))
    server = make_server(opening, f"the files of {root.resolve().name!r}", version("rankgate"))
    opening.start()
    if transport == "stdio":
        serve_stdio(server)
    else:
        serve_http(server, host, port)


def main() -> None:
    """Run the command line; an error that rankgate raises on purpose is printed without a traceback."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = cli.main(standalone_mode=False, prog_name="rankgate-reference")
    except BrokenPipeError:
        # Whoever read the output has seen enough; nothing is left to flush at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(141)
    except rg.RankgateError as error:
        for line in str(error).split("\n"):
            click.echo(f"{click.style('error:', fg='red', bold=True)} {_plain(line)}", err=True)
        sys.exit(error.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    sys.exit(code if isinstance(code, int) else 0)


def _opened(root: Path, cache: Path | None, mode: str, model: str) -> Desk:
    from rankgate.reference.progress import Bar

    _check(root)
    with Bar() as bar:
        return _desk(root, cache, mode, model, bar)


def _library(root: Path, cache: Path | None) -> Library:
    return _opened(root, cache, "lexical", "").library


def _desk(
    root: Path, cache: Path | None, mode: str, model: str, progress: Callable[[int, int], None]
) -> Desk:
    from rankgate.reference.library import Library
    from rankgate.reference.system import ReferenceOptions, search_by
    from rankgate.reference.tools.tool import Desk

    library = Library.open(root, cache=cache, progress=progress)
    options = ReferenceOptions(root=str(root), mode=mode, model=model)
    # Vectors of a large folder take minutes: they are made here or not at all, never for a query.
    modes = MODES if mode != "lexical" else ("lexical",)
    ways = {one: search_by(one, library, options, progress) for one in modes}

    def asked(how: str, query: rg.Query) -> rg.Ranking:
        if how not in ways:
            fix = f"leave it out, or start the server with --mode {how}"
            raise rg.InputError(rg.Problem("mode", repr(how), " or ".join(ways), fix))
        return ways[how](query)

    return Desk(library, asked, mode)


def _check(root: Path) -> None:
    if not root.is_dir():
        raise rg.InputError(rg.Problem(str(root), "no folder", "the folder to search"))


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
    click.echo(click.style(_plain(text), **style), nl=nl, err=err)  # type: ignore[arg-type]


if __name__ == "__main__":
    main()
