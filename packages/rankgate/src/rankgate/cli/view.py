"""``rankgate view``: the evaluations of a project in the browser, over time and side by side."""

from __future__ import annotations

from pathlib import Path

import click

from rankgate.cli.options import PATH, echo_names
from rankgate.errors import InputError, Problem


@click.command()
@click.argument("folder", required=False, type=PATH)
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Where to listen; by default at a port that is free.",
)
@click.option("--no-browser", is_flag=True, help="Print the address, and open nothing.")
def view(folder: Path | None, port: int, no_browser: bool) -> None:
    """Look at what `rankgate test` kept: every evaluation over time, each as a page, any two compared.

    \b
    rankgate view
    rankgate view ../other-project --port 8000 --no-browser

    By default this project's; a folder of results will do as well. Only this machine can see it, by the
    address that is printed: it has a token, which ends with the command.
    """  # noqa: D301 - click wants the character itself
    from rankgate.evaluation.configuration import find_configuration
    from rankgate.reports.page.document import own_assets
    from rankgate.web.catalogue import Catalogue
    from rankgate.web.evaluations import EvaluationSite
    from rankgate.web.server import Server

    catalogue = Catalogue.of(find_configuration(Path.cwd()).root if folder is None else folder)
    try:
        server = Server(EvaluationSite(catalogue, own_assets()), port)
    except OSError as error:
        fix = "leave --port out for one that is free"
        raise InputError(
            Problem(f"--port {port}", error.strerror or str(error), "a free port", fix)
        ) from error
    with server:
        echo_names(f"{server.url} shows {click.format_filename(catalogue.home)}; Ctrl+C ends it")
        if not no_browser:
            click.launch(server.access.ticket())
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("", err=True)
