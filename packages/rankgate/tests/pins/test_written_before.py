"""What rankgate 0.1.0 wrote is read by every later version: runs, baselines, anchors, results, history."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from contextlib import chdir
from typing import TYPE_CHECKING

import polars as pl
import pytest

from rankgate import load_judgments, load_run, score
from rankgate.reports.evaluation.json_report import SCHEMA
from rankgate.reports.page.document import checked, read_page
from rankgate.web.catalogue import Catalogue
from support.commands import rankgate
from support.repository import WRITTEN_BEFORE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """The project as 0.1.0 left it, with its results where they were."""
    folder = shutil.copytree(WRITTEN_BEFORE, tmp_path / "project")
    (folder / "results").rename(folder / ".rankgate")
    with chdir(folder):
        yield folder


def test_its_baseline_is_enforced(project: Path) -> None:
    done = rankgate("test")
    assert done.code == 0
    assert "0 of 9 queries lost" in done.out
    assert "no baseline yet" not in done.out
    (project / "app.py").write_text((project / "app.py").read_text().replace("[:k]", "[1:k]"))
    done = rankgate("test")
    assert done.code == 1
    assert "❌  lost(1 -> absent@10) = 0" in done.out


def test_its_baseline_is_shown(project: Path) -> None:
    assert rankgate("baseline", "show").printed().startswith("search: 10 rankings of good\n")


def test_its_runs_are_compared(project: Path) -> None:
    told = rankgate("compare", "good", "poor").out
    assert "good → poor" in told
    assert "0.6779" in told
    assert "10 queries compared" in rankgate("compare", "baseline", "good").printed()


def test_its_run_and_judgments_give_the_scores_it_wrote(project: Path) -> None:
    for system in ("good", "poor"):
        folder = project / ".rankgate" / "search" / system
        wrote = pl.read_parquet(folder / "scores.parquet").filter(pl.col("metric") == "ndcg@10")
        run = load_run(folder / "run", order="returned")
        now = score(load_judgments(folder / "judgments"), run, ["ndcg@10"])
        assert wrote.height == 10
        assert dict(wrote.select("query", "value").iter_rows()) == now.per_query("ndcg@10")


def test_its_results_are_reported_with_the_figures_it_reported(
    project: Path, golden: Callable[[str, str], None]
) -> None:
    """The layout is today's; every figure, gate and query is the one that was written then."""
    for system in ("good", "poor"):
        folder = project / ".rankgate" / "search" / system
        told = rankgate("report", folder / "report.json", "--format", "markdown")
        golden(f"pins/written_before_{system}", told.out)
        wrote = (folder / "report.md").read_text(encoding="utf-8")
        for words in (r"[−+]?\d+\.\d{4}", r"`[^`]+`"):
            assert set(re.findall(words, wrote)) <= set(re.findall(words, told.out))


def test_its_anchors_are_checked(project: Path) -> None:
    assert "keys.md#Revocation'" in (before := rankgate("suite", "lint").out)
    assert "1 warning in 10 cases" in before
    keys = project / "docs" / "keys.md"
    keys.write_text(keys.read_text().replace("End a leaked key at once.", "Something else."))
    assert "2 errors in 10 cases of 1 suite (changed-anchor 2)" in rankgate("suite", "lint").out


def test_its_history_is_kept_and_goes_on(project: Path) -> None:
    rankgate("test")
    listed = [entry for entry in Catalogue.of(project).entries().values() if entry.record.system == "good"]
    assert sorted(entry.record.number for entry in listed) == [1, 2, 3]
    assert all(entry.page.is_file() for entry in listed)


def test_its_pages_are_shown_as_todays_page_reads_them(project: Path) -> None:
    pages = sorted((project / ".rankgate").rglob("pages/*.json.gz"))
    assert len(pages) == 3
    for path in pages:
        before = json.loads(gzip.decompress(path.read_bytes()))
        served = json.loads(gzip.decompress(checked(path)))
        assert (before["schema"], served["schema"]) == (1, SCHEMA)
        found = [[hit["place"] for hit in query["hits"]] for query in before["queries"]]
        assert any(found)
        assert [[hit["location"] for hit in query["hits"]] for query in served["queries"]] == found
        assert [[hit.location for hit in query.hits] for query in read_page(path).queries] == found


def test_a_field_that_it_does_not_know_is_named(project: Path) -> None:
    path = project / ".rankgate" / "search" / "good" / "report.json"
    report = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**report, "tomorrow": 1}), encoding="utf-8")
    assert "tomorrow: found an unknown field" in rankgate("report", path, "--format", "markdown").err


def test_a_field_of_a_run_that_it_does_not_know_is_named_once(project: Path) -> None:
    assert "unknown" not in rankgate("compare", "good", "poor").out
    path = project / ".rankgate" / "search" / "good" / "run" / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps({**manifest, "tomorrow": 1}), encoding="utf-8")
    said = "good: unknown field of manifest.json ignored: 'tomorrow'"
    assert rankgate("compare", "good", "poor").printed().count(said) == 1
    judged = project / ".rankgate" / "search" / "good" / "judgments"
    assert (
        "unknown field of manifest.json"
        in rankgate("score", "--qrels", judged, "--run", path.parent).printed()
    )


def test_a_field_of_a_baseline_that_it_does_not_know_is_named_once(project: Path) -> None:
    assert "unknown" not in rankgate("test").out + rankgate("baseline", "show").out
    path = project / "baselines" / "search.good.jsonl"
    head, rest = path.read_text(encoding="utf-8").split("\n", 1)
    path.write_text(f"{json.dumps({**json.loads(head), 'tomorrow': 1})}\n{rest}", encoding="utf-8")
    said = "unknown field of search.good.jsonl ignored: 'tomorrow'"
    done = rankgate("test")
    assert (done.code, done.out.count(said)) == (0, 1)
    assert rankgate("baseline", "show").printed().count(said) == 1
    assert rankgate("compare", "baseline", "good").printed().count(said) == 1
