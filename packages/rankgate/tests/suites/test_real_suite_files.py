"""The formats over files that people made: every one is known, and nothing in it is lost in silence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from rankgate.files.compressed import read_start
from rankgate.plugins import listed
from rankgate.suites.formats import START, ReadOptions, format_named, format_of, load_suite

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.model import Suite

FILES = {
    "code/octocode/code.csv": ("cells", 127, 163),
    "code/octocode/docs.csv": ("cells", 127, 147),
    "code/buildbuddy/ratings.json": ("ratings", 3, 9),
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
    suite = load_suite(shared_data / name)
    assert (len(suite.cases), count(suite)) == (cases, targets)


@pytest.mark.parametrize("name", FILES)
def test_a_real_file_is_of_one_foreign_format_alone(shared_data: Path, name: str) -> None:
    path = shared_data / name
    start = b"" if path.is_dir() else read_start(path, START)
    claims = [
        known for known in listed("rankgate.suite_formats") if format_named(known).recognise(path, start)
    ]
    assert [known for known in claims if known not in {"native", "jsonl"}] == [FILES[name][0]]


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
        foreign = [known for known in listed("rankgate.suite_formats") if known not in {"native", "jsonl"}]
        assert [known for known in foreign if format_named(known).recognise(shared_data / name, start)] == []


def test_the_pooled_columns_of_individual_raters_are_chosen_by_name(shared_data: Path) -> None:
    path = shared_data / "relevance/chorus-electronics/Broad_Query_Set_individual_ratings.csv"
    suite = load_suite(path, reading=ReadOptions(options={"rating": "final_rating"}))
    assert (len(suite.cases), count(suite)) == (135, 3188)
