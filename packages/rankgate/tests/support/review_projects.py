"""A project whose suite has something of every kind to change, and its latest test."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from support.commands import Done

KEYS = "# Keys\n\n## Rotation\nEvery 90 days.\n\n## Revocation\nEnd a leaked key at once.\n"
HOOKS = "# Webhooks\n\n## Retries\nTried again for a day.\n"
SUITE = """\
# What our search must find
corpus: docs/
gates: [rr >= 0.7]   # our bar
cases:
  - query: revoke a leaked key
    at: keys.md#Revocation    # read by Ann
  - query: rotate keys        # nobody has judged it
  - query: what happens to failed deliveries
    at: [webhooks.md:3-4,   # the section
         old.md:3-3]
    xfail: {reason: no synonyms, until: 2099-01-01}  # soon
  - query: blockchain
    expect: empty
  # the same again
  - name: again
    query: revoke a leaked key
    at: keys.md#Revocation
  -   query: how often
      at:
      -   keys.md:3-4
      - keys.md:4-4
      -   {at: "keys.md:3-4", source: proposed by app}
"""
APP = """\
def search(query, k):
    if "failed" in query:
        return ["webhooks.md#Retries"]
    return ["keys.md#Rotation", "keys.md#Revocation", "webhooks.md#Retries"][:k]
def down(query, k):
    if "failed" in query:
        raise RuntimeError("out of order")
    return search(query, k)
"""
CONFIGURATION = """\
suites = ["search.yaml"]
system = "app"
max_errors = 5
[systems.app]
function = "./app.py:search"
[systems.down]
function = "./app.py:down"
"""


def write_reviewed_project(folder: Path, suite: str = SUITE) -> Path:
    """Write it, and be in it."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    (docs / "keys.md").write_text(KEYS)
    (docs / "webhooks.md").write_text(HOOKS)
    (docs / "old.md").write_text("# Old\n\nlegacy notes\nsecond line\n")
    for name, text in {"search.yaml": suite, "app.py": APP, "rankgate.toml": CONFIGURATION}.items():
        (folder / name).write_bytes(text.encode())
    return folder


def at_home(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Be in a folder where a person works, and not CI."""
    monkeypatch.chdir(folder)
    for name in [name for name in os.environ if name == "CI" or name.endswith(("_CI", "_BUILD"))]:
        monkeypatch.delenv(name)
    return folder


def latest_test(*args: str) -> Done:
    """Test the project's suite, whatever comes of it."""
    return rankgate("test", *args)
