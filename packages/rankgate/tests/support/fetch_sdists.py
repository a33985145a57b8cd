"""Fetch the sdists that the tests read, as rankgate itself fetches one; what is there is only checked.

python tests/support/fetch_sdists.py requirements/fixtures.txt .fixtures
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

from rankgate.corpora.releases.sdist import Release
from rankgate.errors import RankgateError

_PINNED = re.compile(r"([\w.-]+)==(\S+) --hash=sha256:([0-9a-f]{64})")


def pinned(requirements: Path) -> list[Release]:
    """Read the releases and hashes that a requirements file pins."""
    releases = []
    for number, line in enumerate(requirements.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not line.startswith("#"):
            found = _PINNED.fullmatch(line.strip())
            if found is None:
                raise SystemExit(f"{requirements}:{number}: expected name==version --hash=sha256:…")
            releases.append(Release(found[1], found[2], f"{requirements}:{number}", found[3]))
    return releases


def main(requirements: str, folder: str) -> int:
    """Fetch every release; the exit code is 1 if one could not be had."""
    failed = 0
    for release in pinned(Path(requirements)):
        try:
            release.fetch(Path(folder), lambda words: print(words, flush=True))  # noqa: T201 - a program
        except RankgateError as error:
            print(error, file=sys.stderr)  # noqa: T201 - as above
            failed = 1
    return failed


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3]))
