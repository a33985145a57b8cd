"""Queries drawn from logs: what is counted, how likely each is drawn, and what means over them estimate."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

import rankgate as rg
from rankgate.errors import InputError
from rankgate.model import Sampled
from rankgate.suites.sample import LONGEST, choose, draw_log, inclusion_probabilities
from support.commands import rankgate

if TYPE_CHECKING:
    from rankgate.suites.sample import By

WORDS = [f"query {number}" for number in range(60)]
ROWS = ["Rotate  keys", "rotate keys", "ROTATE\tKEYS ", "ports", "", "x" * (LONGEST + 1), "ports"]


def write(path: Path) -> None:
    frame = pl.DataFrame({"query": ROWS, "market": ["de", "de", "us", "us", "us", "us", "de"]})
    if path.name.endswith(".parquet"):
        frame.write_parquet(path)
    elif path.name.endswith(".tsv"):
        path.write_text("market\tquery\n" + "".join(f"de\t{row.replace(chr(9), ' ')}\n" for row in ROWS))
    elif path.name.endswith(".csv.gz"):
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    elif path.name.endswith(".jsonl"):
        path.write_text("".join(json.dumps({"query": row}) + "\n" for row in ROWS))
    else:
        path.write_text("".join(f"{row}\n" for row in ROWS))


@pytest.mark.parametrize("name", ["log.parquet", "log.tsv", "log.csv.gz", "log.jsonl", "log.txt"])
def test_queries_are_folded_and_counted_and_what_is_left_out_is_counted_too(
    tmp_path: Path, name: str
) -> None:
    write(tmp_path / name)
    drawn = draw_log([tmp_path / name], 10)
    assert {one.text: one.seen for one in drawn.queries} == {"rotate keys": 3, "ports": 2}
    assert (drawn.rows, drawn.empty, drawn.long) == (7, 1, 1)


def test_a_column_tells_queries_apart_and_several_files_are_one_log(tmp_path: Path) -> None:
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for path in files:
        write(path)
    drawn = draw_log(files, 10, stratify="market")
    assert {(one.text, one.stratum): one.seen for one in drawn.queries} == {
        ("rotate keys", "de"): 4,
        ("rotate keys", "us"): 2,
        ("ports", "us"): 2,
        ("ports", "de"): 2,
    }
    assert (drawn.rows, drawn.empty, drawn.long, drawn.different) == (14, 2, 2, 4)


def test_a_column_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet")
    with pytest.raises(InputError, match=r"found the columns query, market, expected a column 'markt'; did"):
        draw_log([tmp_path / "a.parquet"], 10, stratify="markt")
    pl.DataFrame({"words": ["a"]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="name it with --column"):
        draw_log([tmp_path / "b.parquet"], 10)


@pytest.mark.parametrize("by", ["traffic", "queries"])
def test_the_mean_over_what_is_chosen_estimates_the_mean_over_all(by: By) -> None:
    """Over many draws, the Horvitz-Thompson mean is that of the log, of any value that queries have."""
    seen = np.array([900, 300, 200] + [20] * 20 + [1] * 37)
    values = np.sin(np.arange(len(seen))) + 1
    truth = float(np.average(values, weights=seen if by == "traffic" else None))
    random, found = np.random.default_rng(7), []
    for _ in range(3000):
        chosen = choose(random.random(len(seen)), seen, np.zeros_like(seen), 20, by)
        assert len(chosen.rows) == 20
        found.append(float(np.average(values[chosen.rows], weights=chosen.weight)))
    error = np.std(found) / np.sqrt(len(found))
    # The mean is a ratio, so that a small bias remains beside the error of the simulation.
    assert abs(np.mean(found) - truth) < 4 * error + 0.005


def test_each_is_chosen_as_likely_as_is_said() -> None:
    seen = np.array([400, 100] + [10] * 30 + [1] * 28)
    chosen, random = np.zeros(len(seen)), np.random.default_rng(3)
    for _ in range(4000):
        chosen[choose(random.random(len(seen)), seen, np.zeros_like(seen), 15).rows] += 1
    said = inclusion_probabilities(seen.astype(float), 15)
    assert said.sum() == pytest.approx(15)
    assert np.abs(chosen / 4000 - said).max() < 0.03
    assert (chosen[said == 1] == 4000).all()


def write_counts(path: Path, seen: list[int]) -> Path:
    rows = [query for query, times in zip(WORDS, seen, strict=False) for _ in range(times)]
    pl.DataFrame({"query": rows}).sample(fraction=1, shuffle=True, seed=5).write_parquet(path)
    return path


def test_a_log_that_grew_shares_most_of_its_sample(tmp_path: Path) -> None:
    before = write_counts(tmp_path / "a.parquet", [50, 40] + [5] * 48)
    after = write_counts(tmp_path / "b.parquet", [60, 44] + [6] * 48 + [2] * 10)

    def drawn(path: Path, seed: int) -> set[str]:
        return {one.text for one in draw_log([path], 20, seed=seed).queries}

    assert len(drawn(before, 3) & drawn(after, 3)) >= 17 > len(drawn(before, 3) & drawn(before, 4))


def test_strata_have_as_many_each_as_far_as_they_can(tmp_path: Path) -> None:
    log = write_counts(tmp_path / "log.parquet", [100, 90] + [10] * 15 + [4] * 43)
    sizes = Counter(one.stratum for one in draw_log([log], 12, stratify="frequency").queries)
    assert sizes == {"head": 2, "torso": 5, "tail": 5}


def test_a_column_of_ids_is_no_stratum(tmp_path: Path) -> None:
    pl.DataFrame({"query": ["a"] * 1500, "user": range(1500)}).write_parquet(tmp_path / "log.parquet")
    with pytest.raises(InputError, match="at most 1000"):
        draw_log([tmp_path / "log.parquet"], 10, stratify="user")


@pytest.mark.parametrize("name", ["s.yaml", "s.suite.jsonl"])
def test_the_suite_keeps_weights_and_probabilities_in_every_format(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    frame = pl.DataFrame({"query": [one for at, one in enumerate(WORDS) for _ in range(1 + 300 // (at + 1))]})
    frame.write_parquet("log.parquet")
    done = rankgate("suite", "sample", "log.parquet", "-n", "12", "--stratify", "frequency", "-o", name)
    assert done.code == 0, done.err
    assert "different queries" in done.out
    assert "weighted, means are over all searches" in done.out
    suite = rg.load_suite(tmp_path / name)
    assert len(suite.cases) == 12
    for case in suite.cases:
        assert isinstance(case.sampled, Sampled)
        assert 0 < case.sampled.inclusion <= 1
        assert any(tag.startswith("traffic=") for tag in case.tags) or any(
            "frequency=" in t for t in case.tags
        )
    weights = [case.weight for case in suite.cases]
    assert np.mean(weights) == pytest.approx(1, abs=1e-4)
    found = np.array([case.sampled.seen / case.sampled.inclusion for case in suite.cases if case.sampled])
    assert np.allclose(weights, found / found.mean(), rtol=1e-4)
    again = rankgate("suite", "sample", "log.parquet", "-o", name)
    assert (again.code, "--force" in again.err) == (2, True)


def test_rare_queries_are_left_out_and_counted_and_none_left_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("log.txt").write_text("keys\nkeys\nmy name is Dana\n")
    done = rankgate("suite", "sample", "log.txt", "--least", "2", "-o", "s.yaml")
    assert (done.code, "1 query asked fewer than 2 times left out" in done.out) == (0, True)
    assert "Dana" not in Path("s.yaml").read_text()
    done = rankgate("suite", "sample", "log.txt", "--least", "5", "-o", "t.yaml")
    assert (done.code, "none in 3 rows" in done.err) == (2, True)


@pytest.mark.parametrize(
    ("sampled", "said"),
    [
        ("{seen: 3}", "inclusion"),
        ("{seen: 0, inclusion: 0.5}", "1 or more"),
        ("{seen: 1, inclusion: 2}", "up to 1"),
    ],
)
def test_what_cannot_have_been_drawn_is_refused(tmp_path: Path, sampled: str, said: str) -> None:
    path = tmp_path / "s.yaml"
    path.write_text(f"cases:\n  - {{query: keys, id: a, sampled: {sampled}}}\n")
    with pytest.raises(InputError, match=said):
        rg.load_suite(path)


@pytest.mark.parametrize("name", ["x.trec", "x.qrels", "x"])
def test_a_name_that_is_no_suite_is_refused_with_names_that_are(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "log.parquet")
    done = rankgate("suite", "sample", "log.parquet", "-o", name)
    assert done.code == 2
    assert "name it search.yaml or search.suite.jsonl" in done.err
    assert "--to" not in done.err, "which this command does not have"
    assert not (tmp_path / name).exists()


def test_a_column_called_frequency_can_be_drawn_by_and_is_not_hidden(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    market = ["weekly" if at % 2 else "daily" for at in range(len(WORDS))]
    pl.DataFrame({"query": WORDS, "frequency": market}).write_parquet("log.parquet")
    sample = ("suite", "sample", "log.parquet", "-n", "12", "--force", "-o", "s.yaml", "--stratify")
    done = rankgate(*sample, "frequency")
    assert done.code == 0, done.err
    assert "the log has a column 'frequency': --stratify column:frequency draws by that" in done.out
    done = rankgate(*sample, "column:frequency")
    assert (done.code, "note" in done.out) == (0, False)
    tags = Counter(tag for case in rg.load_suite("s.yaml").cases for tag in case.tags)
    assert tags == {"frequency=daily": 6, "frequency=weekly": 6}
    done = rankgate(*sample, "column:nosuch")
    assert (done.code, "a column 'nosuch'" in done.err) == (2, True)
