"""``rankgate view``: the evaluations of a project in the browser, over time and side by side."""

from __future__ import annotations

from pathlib import Path

import click

from rankgate.cli.options import PATH
from rankgate.cli.serving import no_browser_option, port_option, serve


@click.command()
@click.argument("folder", required=False, type=PATH)
@port_option
@no_browser_option
def view(folder: Path | None, port: int, no_browser: bool) -> None:
    """Look at what `rankgate test` kept: every evaluation over time, each as a page, any two compared.

    \b
    rankgate view
    rankgate view ../other-project --port 8000 --no-browser

    By default this project's; a folder of results will do as well. Only this machine can see it, by the
    address that is printed: it has a token, which ends with the command.
    """
    from rankgate.evaluation.configuration import find_configuration
    from rankgate.reports.page.document import own_assets
    from rankgate.web.catalogue import Catalogue
    from rankgate.web.evaluations import EvaluationSite

    catalogue = Catalogue.of(find_configuration(Path.cwd()).root if folder is None else folder)
    shown = click.format_filename(catalogue.home)
    serve(EvaluationSite(catalogue, own_assets()), port, shown, no_browser=no_browser)
