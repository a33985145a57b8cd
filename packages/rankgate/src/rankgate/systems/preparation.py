"""What must be done before a system can be asked, as a configuration says it, of whichever kind it is.

prepare = "build-index {corpus} index/"     # makes what is searched, once
start = "search-server --port 8123 index/"  # runs while the system is asked
ready = 8123                                # a URL that answers, a port, or a line that it prints
"""

from __future__ import annotations

from dataclasses import dataclass

CORPUS = "{corpus}"
"""What becomes the folder of the suite's corpus in a command line, an argument or a variable."""
INDEX = "{index}"
"""What becomes the folder that `prepare` writes to: one for everything that it is made of."""
PREPARE_SECONDS = 600.0
"""How long a preparation may take where nothing is said."""
READY_SECONDS = 60.0
"""How long a server may take to be ready where nothing is said."""


@dataclass(frozen=True, slots=True)
class Preparation:
    """What must be done before a system can be asked."""

    prepare: tuple[str, ...] = ()
    """A program and its arguments that make what is searched; run once for what it is made of."""
    prepare_timeout: float = PREPARE_SECONDS
    """Seconds until that is ended."""
    start: tuple[str, ...] = ()
    """A program and its arguments that run while the system is asked, such as a server."""
    ready: str = ""
    """What says that it is ready: a URL that answers, a port, or a regular expression for a printed line."""
    ready_timeout: float = READY_SECONDS
    """Seconds until it must be ready."""
