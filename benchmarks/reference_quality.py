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
from collections import defaultdict
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING, Any

from reference_support.semble_queries import METRIC, SIX, measure
from release_documents import fetch as fetch_releases
from support.sdists import unpacked

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

THREE = {"aiohttp": "3.13.5", "httpx": "0.28.1", "model2vec": "0.8.1"}
KEPT = Path(__file__).parent.parent / ".benchmarks" / "development"


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
    releases = THREE if wanted.development else SIX
    where = (lambda release: fetch(release, shared)) if wanted.development else unpacked
    options = {"mode": wanted.mode, **({"model": wanted.model} if wanted.model else {})}
    scores = {
        name: measure(name, where(f"{name}-{version}"), folder, options) for name, version in releases.items()
    }
    report(scores, folder, f"rankgate, {wanted.mode}")
    if wanted.misses:
        for name, found in scores.items():
            for (category, query), value in sorted(found.items(), key=lambda item: item[1]):
                if value < 0.7:
                    print(f"  {value:.2f}  {name:10} {category:12} {query}")


def fetch(release: str, shared: Path) -> Path:
    """Have the sdist of a repository of the development set."""
    name, _, version = release.rpartition("-")
    pinned = json.loads((shared / "sdists.json").read_text(encoding="utf-8"))
    sha256 = next(one["sha256"] for one in pinned if one["file"] == f"{release}.tar.gz")
    KEPT.mkdir(parents=True, exist_ok=True)
    if not (KEPT / release).is_dir():
        listed = KEPT / "releases.txt"
        listed.write_text(f"{name}=={version} --hash=sha256:{sha256}\n", encoding="utf-8")
        fetch_releases(listed, KEPT)
        with tarfile.open(KEPT / f"{release}.tar.gz") as tar:
            tar.extractall(KEPT, filter="data")
    return KEPT / release


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
