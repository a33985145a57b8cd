"""`just bench-reference-quality`: how well the reference system finds the files that semble's queries want.

The queries and the published results are semble's; the code is in pinned sdists, each searched only under the
folder that semble searched. A file counts once, by its best rank, primary and secondary ones alike; nDCG@10,
and the mean over repositories. The six repositories are for reporting. Whatever is tuned is tuned on three
others, with ``--development``; they are fetched into .benchmarks when they are first needed.

    python benchmarks/reference_quality.py [--development] [--misses] [--mode MODE]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tarfile
import tempfile
from collections import defaultdict
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

import rankgate as rg
from rankgate.corpora.sdist import Release
from rankgate.model.suite import MatchBy
from rankgate.reference.system import open_reference
from sdists import unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

SIX = {
    "click": "8.3.2",
    "fastapi": "0.135.3",
    "flask": "3.1.3",
    "pydantic": "2.13.0",
    "requests": "2.33.1",
    "starlette": "1.0.0",
}
THREE = {"aiohttp": "3.13.5", "httpx": "0.28.1", "model2vec": "0.8.1"}
METRIC = "ndcg@10"
KEPT = Path(__file__).parent.parent / ".benchmarks" / "development"


class Under:
    """A system whose paths are seen from the repository's root."""

    def __init__(self, system: rg.System, folder: str) -> None:
        self._system, self._folder = system, folder

    def search(self, query: rg.Query) -> rg.Ranking:
        """Ask it, and put the folder before every path; lines are left out, as files are what counts."""
        found = self._system.search(query)
        hits = (rg.Hit(path=f"{self._folder}/{hit.path}", score=hit.score) for hit in found.hits)
        return rg.Ranking(tuple(hits))


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--development", action="store_true", help="the three that may be tuned on")
    parser.add_argument("--misses", action="store_true", help="show the queries below 0.7")
    parser.add_argument("--mode", default="lexical")
    parser.add_argument("--model", default="")
    wanted = parser.parse_args()
    shared = Path(os.environ.get("RANKGATE_SHARED_DATA", ""))
    folder = shared / "code" / "semble"
    if not folder.is_dir():
        sys.exit("RANKGATE_SHARED_DATA names no folder with code/semble in it")
    if wanted.development:
        releases = THREE
        for name, version in THREE.items():
            fetch(name, version, shared)
    else:
        releases = SIX
    options = {"mode": wanted.mode, **({"model": wanted.model} if wanted.model else {})}
    scores = {
        name: measure(name, version, folder, options, development=wanted.development)
        for name, version in releases.items()
    }
    report(scores, folder, f"rankgate, {wanted.mode}")
    if wanted.misses:
        for name, found in scores.items():
            for (category, query), value in sorted(found.items(), key=lambda item: item[1]):
                if value < 0.7:
                    print(f"  {value:.2f}  {name:10} {category:12} {query}")


def fetch(name: str, version: str, shared: Path) -> None:
    """Have the sdist of a repository of the development set."""
    pinned = json.loads((shared / "sdists.json").read_text(encoding="utf-8"))
    sha256 = next(one["sha256"] for one in pinned if one["file"] == f"{name}-{version}.tar.gz")
    KEPT.mkdir(parents=True, exist_ok=True)
    if not (KEPT / f"{name}-{version}").is_dir():
        archive = Release(name, version, "sdists.json", sha256).fetch(KEPT, print)
        with tarfile.open(archive) as tar:
            tar.extractall(KEPT, filter="data")


def measure(
    name: str, version: str, folder: Path, options: Mapping[str, object], *, development: bool
) -> dict[tuple[str, str], float]:
    """Ask every query about one repository; give nDCG@10 by category and query."""
    repos = json.loads((folder / "repos.json").read_text(encoding="utf-8"))
    under = next(repo["benchmark_root"] for repo in repos if repo["name"] == name)
    root = KEPT / f"{name}-{version}" if development else unpacked(f"{name}-{version}")
    suite = files_only(folder / "annotations" / f"{name}.json")
    with tempfile.TemporaryDirectory() as cache:
        system = open_reference(name, {"root": str(root / under), "cache": cache, **options})
        found = rg.evaluate(suite, Under(system, under), metrics=[METRIC])
        system.close()
    values = found.scores.per_query(METRIC)
    return {(case.category or "", case.query): values[case.id] or 0.0 for case in suite.cases}


def files_only(path: Path) -> rg.Suite:
    """Read semble's queries, each file that one wants once, all with the grade 1."""
    reading = rg.Reading(grades={"relevant": 1.0, "secondary": 1.0, "related": 1.0})
    suite = rg.load_suite(path, "annotations", reading)
    cases = []
    for case in suite.cases:
        paths = dict.fromkeys(target.location.path or "" for target in case.targets)
        cases.append(replace(case, targets=tuple(rg.Target(rg.Location(path=one)) for one in paths)))
    return replace(suite, cases=tuple(cases), matching=rg.Matching(by=MatchBy.PATH))


def published(folder: Path) -> Iterator[tuple[str, dict[str, tuple[float, dict[str, float]]]]]:
    """Go through the stored results: what each tool scored, by repository, and there by category."""
    for file in sorted((folder / "results").glob("*.json")):
        stored: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
        tools: dict[str, dict[str, tuple[float, dict[str, float]]]] = defaultdict(dict)
        for repo in stored["repos"]:
            if isinstance(repo, dict) and "ndcg10" in repo:
                tool = " ".join((stored.get("tool", "semble"), repo.get("mode", "")))
                tools[tool.strip()][repo["repo"]] = (repo["ndcg10"], repo.get("by_category", {}))
        yield from tools.items()


def report(scores: Mapping[str, Mapping[tuple[str, str], float]], folder: Path, label: str) -> None:
    """Print a line for rankgate, and one for every tool with results for the same repositories."""
    count = sum(map(len, scores.values()))
    categories = sorted({category for found in scores.values() for category, _ in found})
    print(f"{METRIC} of files, {count} queries; the mean is over repositories\n")
    print(f"{'':34}{'mean':>7}  " + "".join(f"{name[:9]:>10}" for name in scores))
    ours = {name: fmean(found.values()) for name, found in scores.items()}
    rows = [(label, ours)]
    for tool, repos in published(folder):
        if all(name in repos for name in scores):
            rows.append((tool, {name: repos[name][0] for name in scores}))
    for tool, row in [rows[0], *sorted(rows[1:], key=lambda one: -fmean(one[1].values()))]:
        print(f"{tool:34}{fmean(row.values()):7.3f}  " + "".join(f"{row[name]:10.3f}" for name in scores))
    print(f"\n{label}, by category")
    for category in categories:
        values = [
            value for found in scores.values() for (kind, _), value in found.items() if kind == category
        ]
        print(f"  {category:14} {fmean(values):.3f}  {len(values)} queries")


if __name__ == "__main__":
    main()
