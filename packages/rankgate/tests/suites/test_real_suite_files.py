"""The formats over files that people made: every one is known, and nothing in it is lost in silence."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from rankgate.corpora.folder import FolderCorpus
from rankgate.files.compressed import read_start
from rankgate.plugins import listed
from rankgate.suites.formats import START, ReadOptions, format_named, format_of, load_suite
from rankgate.truth.locations.resolve import resolve
from support.sdists import unpacked

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model import Suite

SEMBLE = ReadOptions({"relevant": 2, "secondary": 1}, options={"skip": "related"})
READINGS = {
    "annotations": SEMBLE,
    "codesearchnet": ReadOptions(options={"judges": "mean"}),
}
FILES = {
    "code/octocode/code.csv": ("cells", 127, 163),
    "code/octocode/docs.csv": ("cells", 127, 147),
    "code/buildbuddy/ratings.json": ("ratings", 3, 9),
    "code/contextbench/gold_ranges.jsonl": ("spans", 50, 391 - 2 - 2),
    "code/swebench/swe-bench-lite.localisation.jsonl": ("spans", 300, 447),
    "code/codesearchnet/annotationStore.csv": ("codesearchnet", 573, 2914),
    "code/semble/annotations/axios.json": ("annotations", 20, 25),
    "beir/scifact": ("beir", 300, 339),
    "docs/tldr-suite/qrels.tsv.gz": ("beir", 28447, 32134),
    "trec/qrels/qrels.cacm.txt": ("trec", 52, 796),
    "trec/trec_eval-tests/qrels.test.with-comments": ("trec", 3, 3681),
    "relevance/chorus-electronics/Broad_Query_Set_rated.csv": ("quepid", 135, 3668),
    "relevance/chorus-electronics/Chorus_Electronics_basic.csv": ("quepid", 2, 207),
    "relevance/chorus-electronics/Broad_Query_Set_unrated.csv": ("quepid", 1, 6),
    "relevance/esci-sample/esci_us_judgments.json": ("judgment_list", 150, 6678),
}


def count(suite: Suite) -> int:
    return sum(len(case.targets) for case in suite.cases)


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_is_recognised_and_read_whole(shared_data: Path, name: str) -> None:
    format_name, cases, targets = FILES[name]
    assert format_of(shared_data / name).name == format_name
    suite = load_suite(shared_data / name, reading=READINGS.get(format_name))
    assert (len(suite.cases), count(suite)) == (cases, targets)


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_is_of_one_foreign_format_alone(shared_data: Path, name: str) -> None:
    path = shared_data / name
    start = b"" if path.is_dir() else read_start(path, START)
    claims = [
        known for known in listed("rankgate.suite_formats") if format_named(known).recognise(path, start)
    ]
    assert [known for known in claims if known not in {"native", "jsonl", "parquet"}] == [FILES[name][0]]


def test_other_real_files_are_taken_for_no_suite(shared_data: Path) -> None:
    names = [
        "trec/trec_eval-tests/results.test",
        "trec/trec_eval-tests/prefs.test",
        "code/swebench/locagent-claude35.run.jsonl",
        "relevance/esci-sample/esci_us_queryset.json",
        "relevance/esci-sample/schema.json",
        "code/semble/repos.json",
        "code/octocode/RESULTS.json",
    ]
    for name in names:
        start = read_start(shared_data / name, START)
        foreign = [
            known for known in listed("rankgate.suite_formats") if known not in {"native", "jsonl", "parquet"}
        ]
        assert [known for known in foreign if format_named(known).recognise(shared_data / name, start)] == []


def test_all_of_contextbench_is_accounted_for(shared_data: Path) -> None:
    suite = load_suite(shared_data / "code/contextbench/gold_ranges.jsonl")
    assert "2 spans of absolute paths left out, which no repository has" in suite.notes
    assert "2 repeated judgments, merged" in suite.notes


def test_the_pooled_columns_of_individual_raters_are_chosen_by_name(shared_data: Path) -> None:
    path = shared_data / "relevance/chorus-electronics/Broad_Query_Set_individual_ratings.csv"
    suite = load_suite(path, reading=ReadOptions(options={"rating": "final_rating"}))
    assert (len(suite.cases), count(suite)) == (135, 3188)


def test_the_63_files_of_semble_hold_1251_queries(shared_data: Path) -> None:
    queries = grades = 0
    for path in sorted((shared_data / "code/semble/annotations").glob("*.json")):
        assert format_of(path).name == "annotations"
        suite = load_suite(path, reading=SEMBLE)
        queries += len(suite.cases)
        grades += count(suite)
    assert (queries, grades) == (1251, 1253 + 238)


@pytest.mark.parametrize(
    "sdist",
    [
        "fastapi-0.135.3",
        "click-8.3.2",
        "pydantic-2.13.0",
        "requests-2.33.1",
        "flask-3.1.3",
        "starlette-1.0.0",
    ],
)
def test_the_files_that_semble_names_are_in_the_sdists(shared_data: Path, sdist: str) -> None:
    name = sdist.rpartition("-")[0]
    repos = json.loads((shared_data / "code/semble/repos.json").read_text())
    (root,) = (repo["benchmark_root"] for repo in repos if repo["name"] == name)
    folder = unpacked(sdist)
    suite = load_suite(shared_data / f"code/semble/annotations/{name}.json", reading=SEMBLE)
    truth = resolve(suite, FolderCorpus.open(folder, root=folder))
    assert truth.judgments.targets.height == count(suite) > 15
    assert all(path.startswith(f"{root}/") for path in truth.judgments.targets["path"].drop_nulls())
