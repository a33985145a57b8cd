"""The server of OpenSearch that benchmarks ask."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import pytest

from support.opensearch_server import Cluster

if TYPE_CHECKING:
    from collections.abc import Iterator


class NotHereError(Exception):
    """An engine that this machine does not have; says why."""


@contextmanager
def opensearch_options() -> Iterator[dict[str, object]]:
    """Start a server, and give the options that say where it is.

    Raises:
        NotHereError: where it cannot be started.
    """
    with ExitStack() as stack:
        try:
            cluster = stack.enter_context(Cluster(brief=False, heap="2g"))
        except (pytest.skip.Exception, pytest.fail.Exception) as error:
            # What starts a server for the tests skips them, or fails, where it cannot be had.
            raise NotHereError(str(error)) from None
        yield {"hosts": cluster.urls}
