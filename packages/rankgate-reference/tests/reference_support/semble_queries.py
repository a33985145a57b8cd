"""semble's queries over a repository, as nDCG@10 of files: what the reference system is measured by.

Each repository is searched only under the folder that semble searched. A file counts once, by its best rank,
primary and secondary ones alike; so files are ranked, and not nodes.
"""

from __future__ import annotations

import json
import tempfile
from typing import TYPE_CHECKING

import rankgate as rg
from rankgate.model import MatchBy
from rankgate_reference.system import open_reference

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

METRIC = "ndcg@10"
SIX = {
    "click": "8.3.2",
    "fastapi": "0.135.3",
    "flask": "3.1.3",
    "pydantic": "2.13.0",
    "requests": "2.33.1",
    "starlette": "1.0.0",
}


class Under:
    """A system whose paths are seen from the repository's root."""

    def __init__(self, system: rg.System, folder: str) -> None:
        self._system, self._folder = system, folder

    def search(self, query: rg.Query) -> rg.Ranking:
        """Ask it, and put the folder before every path; lines are left out, as files are what counts."""
        found = self._system.search(query)
        hits = (rg.Hit(path=f"{self._folder}/{hit.path}", score=hit.score) for hit in found.hits)
        return rg.Ranking(tuple(hits))


def measure(
    name: str, repository: Path, folder: Path, options: Mapping[str, object]
) -> dict[tuple[str, str], float]:
    """Ask every query about a repository; give nDCG@10 by category and query.

    Args:
        name: What semble calls the repository.
        repository: Where it is.
        folder: semble's queries and results.
        options: Those of the system.
    """
    repos = json.loads((folder / "repos.json").read_text(encoding="utf-8"))
    under = next(repo["benchmark_root"] for repo in repos if repo["name"] == name)
    suite = files_only(folder / "annotations" / f"{name}.json")
    with tempfile.TemporaryDirectory() as cache:
        system = open_reference(
            name, {"root": str(repository / under), "cache": cache, "ranked": "files", **options}
        )
        found = rg.evaluate(suite, Under(system, under), metrics=[METRIC])
        system.close()
    values = found.scores.per_query(METRIC)
    return {(case.category or "", case.query): values[case.id] or 0.0 for case in suite.cases}


def files_only(path: Path) -> rg.Suite:
    """Read semble's queries, each file that one wants once, all with the grade 1."""
    cases = []
    for number, item in enumerate(json.loads(path.read_text(encoding="utf-8")), 1):
        places = [place for name in ("relevant", "secondary", "related") for place in item.get(name, ())]
        paths = dict.fromkeys(place if isinstance(place, str) else place["path"] for place in places)
        targets = tuple(rg.Target(rg.Location(path=one)) for one in paths)
        cases.append(rg.Case(f"q{number}", item["query"], targets, category=item.get("category")))
    return rg.Suite(path.stem, tuple(cases), matching=rg.Matching(by=MatchBy.PATH))
