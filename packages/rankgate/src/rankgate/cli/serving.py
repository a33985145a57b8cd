"""How a command shows a site in the browser until it is interrupted; `judge` does so."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankgate.cli.options import echo_names
from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from rankgate.web.server import Site

port_option = click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=0,
    metavar="N",
    help="Where to listen; by default at a port that is free.",
)
no_browser_option = click.option("--no-browser", is_flag=True, help="Print the address, and open nothing.")


def serve(site: Site, port: int, what: str, *, no_browser: bool) -> None:
    """Print the address of a site with its token, open it in the browser, and serve until Ctrl+C.

    Raises:
        InputError: for a port that is taken.
    """
    from rankgate.web.server import Server

    try:
        server = Server(site, port)
    except OSError as error:
        fix = "leave --port out for one that is free"
        raise InputError(
            Code.PORT_TAKEN(f"--port {port}", error.strerror or str(error), "a free port", fix)
        ) from error
    with server:
        echo_names(f"{server.url} shows {what}; Ctrl+C ends it")
        if not no_browser:
            click.launch(server.access.ticket())
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            click.echo("", err=True)
