"""The public names: these, each where it says, and nothing heavy to get at them."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rankgate

NAMES = [
    "OUTLINE_LIBRARIES",
    "BatchSystem",
    "Case",
    "Column",
    "Corpus",
    "CorpusSource",
    "Cut",
    "Document",
    "Evaluation",
    "ExpressionError",
    "FormatError",
    "Hit",
    "Indexer",
    "InputError",
    "Judgments",
    "Lines",
    "Location",
    "LocationError",
    "Matches",
    "Matching",
    "Metric",
    "Navigator",
    "Node",
    "OpenContext",
    "Pace",
    "Pieces",
    "PluginError",
    "Problem",
    "Query",
    "RankgateError",
    "Ranking",
    "ReadOptions",
    "RecordsCorpus",
    "Report",
    "RetriableError",
    "Scores",
    "Suite",
    "SuiteFormat",
    "System",
    "SystemBase",
    "SystemFailedError",
    "SystemIndex",
    "SystemKind",
    "Target",
    "ValueRange",
    "evaluate",
    "load_judgments",
    "load_run",
    "load_suite",
    "open_source",
    "read_options",
    "read_outline",
    "score",
    "score_ranking",
]

HEAVY = ("numpy", "polars", "click", "rich", "duckdb", "scipy", "pandas", "asyncio", "yaml", "jmespath")


def test_the_public_names_are_these() -> None:
    assert list(rankgate.__all__) == NAMES


def test_the_public_names_are_sorted_and_said_once() -> None:
    constants_first = sorted(set(rankgate.__all__), key=lambda name: (not name.isupper(), name))
    assert list(rankgate.__all__) == constants_first


@pytest.mark.parametrize("name", rankgate.__all__)
def test_every_public_name_is_there(name: str) -> None:
    found = getattr(rankgate, name)
    assert found is not None
    assert getattr(found, "__name__", name) == name


def test_dir_lists_the_public_names() -> None:
    assert dir(rankgate) == sorted(rankgate.__all__)


def test_another_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        rankgate.nonsense  # noqa: B018


@pytest.mark.parametrize(
    "code",
    [
        "import rankgate",
        "import rankgate.model, rankgate.errors",
        "from rankgate import Hit, Suite, RankgateError",
    ],
)
def test_the_package_and_its_types_import_nothing_heavy(code: str) -> None:
    script = f"{code}\nimport sys\nprint(*sorted({{name.partition('.')[0] for name in sys.modules}}))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()).isdisjoint(HEAVY)
