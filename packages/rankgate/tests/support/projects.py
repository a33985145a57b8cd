"""A small project with a search that finds too little: what the commands of reports are tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path


SUITE = """\
corpus: docs/
gates: [rr >= 0.9, ndcg@10 >= 0.1]
cases:
  - query: revoke a leaked key
    at: keys.md#Revocation
    category: keys
  - query: what happens to failed deliveries
    at: webhooks.md#Retries
  - query: blockchain
    expect: empty
"""
APP = """\
PLACES = ["keys.md#Rotation", "keys.md#Revocation", "webhooks.md#Retries"]
def search(query, k):
    return PLACES[:k]
def good(query, k):
    return [place for place in PLACES if place.split("#")[1][:3].lower() in query.replace("failed", "retr")]
"""
CONFIGURATION = """\
suites = ["search.yaml"]
system = "app"
[systems.app]
function = "./app.py:search"
[systems.good]
function = "./app.py:good"
"""


def write_project(folder: Path) -> Path:
    """Write it: the system `app` fails its gates, `good` passes."""
    docs = folder / "docs"
    docs.mkdir(parents=True)
    keys = "# Keys\n\n## Rotation\nEvery 90 days.\n\n## Revocation\nEnd a leaked key at once.\n"
    (docs / "keys.md").write_text(keys)
    (docs / "webhooks.md").write_text("# Webhooks\n\n## Retries\nTried again for a day.\n")
    for name, text in {"search.yaml": SUITE, "app.py": APP, "rankgate.toml": CONFIGURATION}.items():
        (folder / name).write_text(text)
    return folder
