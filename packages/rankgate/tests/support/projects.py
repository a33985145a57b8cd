"""A small project with a search that finds too little: what the commands of reports are tried on."""

from __future__ import annotations

from contextlib import chdir
from typing import TYPE_CHECKING

from support.commands import rankgate

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


def twice_tested(folder: Path) -> Path:
    """Write it and test `app` twice, the second time better."""
    app = write_project(folder) / "app.py"
    with chdir(folder):
        assert rankgate("test").code == 1
        app.write_text(app.read_text().replace("return PLACES[:k]", "return good(query, k)"))
        assert rankgate("test").code == 0
    return folder


_RANKED = """
NAMES = [f"topic{number:02}" for number in range(12)]

def ranked(query, k, lost):
    others = [name + ".md" for name in NAMES if name != query]
    right = [] if NAMES.index(query) < lost else [query + ".md"]
    return (right + others)[:k]

def best(query, k):
    return ranked(query, k, 0)

def middle(query, k):
    return ranked(query, k, 3)

def worst(query, k):
    return ranked(query, k, 7)
"""


def three_systems(folder: Path) -> Path:
    """Write a project of 12 queries and test three systems once each: they lose 0, 3 and 7 of them."""
    (folder / "docs").mkdir(parents=True)
    names = [f"topic{number:02}" for number in range(12)]
    for name in names:
        (folder / "docs" / f"{name}.md").write_text(f"# {name}\n")
    cases = "".join(
        f"  - {{query: {name}, at: {name}.md, category: c{at % 2}}}\n" for at, name in enumerate(names)
    )
    (folder / "search.yaml").write_text(f"corpus: docs/\nmetrics: [rr@10]\ncases:\n{cases}")
    (folder / "app.py").write_text(_RANKED)
    systems = ("worst", "middle", "best")
    tables = "".join(f'[systems.{name}]\nkind = "function"\ntarget = "app:{name}"\n' for name in systems)
    (folder / "rankgate.toml").write_text(f'suites = ["search.yaml"]\n{tables}')
    with chdir(folder):
        for name in systems:
            assert rankgate("test", "--system", name).code == 0
    return folder
