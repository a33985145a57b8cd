"""The search of the built documentation site, as a system that rankgate asks: `just site-search`."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

SITE = Path(os.environ.get("SITE", Path(__file__).parents[2] / ".site" / "html"))
"""The folder of the built site."""


class SiteSearch:
    """Asks the program that searches in the browser of a reader; its answer is ten hits at most."""

    def __init__(self) -> None:
        """Start it with the index of the site."""
        if not (SITE / "search.json").is_file():
            raise FileNotFoundError(f"{SITE / 'search.json'} does not exist: run just site")
        client = Path(__file__).with_name("client.mjs")
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(["node", str(client), str(SITE)], stdin=pipe, stdout=pipe, text=True)

    def search(self, query: str, k: int) -> list[str]:
        """Return the addresses that the reader is shown, best first."""
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(f"{json.dumps(query)}\n")
        process.stdin.flush()
        line = process.stdout.readline()
        if not line:
            raise RuntimeError(f"the search ended with exit code {process.wait()}")
        return [str(address) for address in json.loads(line)][:k]

    def close(self) -> None:
        """End it."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(10)
        if self._process.stdout is not None:
            self._process.stdout.close()
