"""Queries drawn from logs: what is counted, how likely each is drawn, and what means over them estimate."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import rankgate as rg
from rankgate.errors import InputError
from rankgate.model.suite import Sampled
from rankgate.suites.sampling.draw import draw, inclusion_probabilities, with_frequencies
from rankgate.suites.sampling.query_log import LONGEST, count_log
from support.commands import rankgate

WORDS = [f"query {number}" for number in range(60)]


def counts_of(seen: list[int]) -> pl.DataFrame:
    return pl.DataFrame(
        {"query": WORDS[: len(seen)], "stratum": None, "seen": seen},
        schema={"query": pl.String, "stratum": pl.String, "seen": pl.UInt32},
    )


ROWS = ["Rotate  keys", "rotate keys", "ROTATE\tKEYS ", "ports", "", "x" * (LONGEST + 1), "ports"]


def write(path: Path, name: str) -> None:
    frame = pl.DataFrame({"query": ROWS, "market": ["de", "de", "us", "us", "us", "us", "de"]})
    if name.endswith(".parquet"):
        frame.write_parquet(path)
    elif name.endswith(".tsv"):
        path.write_text("market\tquery\n" + "".join(f"de\t{row.replace(chr(9), ' ')}\n" for row in ROWS))
    elif name.endswith(".csv.gz"):
        path.write_bytes(gzip.compress(frame.write_csv().encode()))
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps({"query": row}) + "\n" for row in ROWS))
    else:
        path.write_text("".join(f"{row}\n" for row in ROWS))


@pytest.mark.parametrize("name", ["log.parquet", "log.tsv", "log.csv.gz", "log.jsonl", "log.txt"])
def test_queries_are_folded_and_counted_and_what_is_left_out_is_counted_too(
    tmp_path: Path, name: str
) -> None:
    write(tmp_path / name, name)
    found = count_log([tmp_path / name])
    assert dict(found.queries.select("query", "seen").iter_rows()) == {"rotate keys": 3, "ports": 2}
    assert (found.rows, found.empty, found.long) == (7, 1, 1)


def test_a_column_tells_queries_apart_and_several_files_are_one_log(tmp_path: Path) -> None:
    for name in ("a.parquet", "b.parquet"):
        write(tmp_path / name, name)
    found = count_log([tmp_path / "a.parquet", tmp_path / "b.parquet"], stratum="market")
    rows = {(query, stratum): seen for query, stratum, seen in found.queries.iter_rows()}
    assert rows == {
        ("rotate keys", "de"): 4,
        ("rotate keys", "us"): 2,
        ("ports", "us"): 2,
        ("ports", "de"): 2,
    }


def test_a_column_that_is_not_there_is_refused_with_those_that_are(tmp_path: Path) -> None:
    write(tmp_path / "a.parquet", "a.parquet")
    with pytest.raises(InputError, match=r"found the columns query, market, expected a column 'markt'; did"):
        count_log([tmp_path / "a.parquet"], stratum="markt")
    pl.DataFrame({"words": ["a"]}).write_parquet(tmp_path / "b.parquet")
    with pytest.raises(InputError, match="name it with --column"):
        count_log([tmp_path / "b.parquet"])


@pytest.mark.parametrize("by", ["traffic", "queries"])
def test_the_mean_over_what_is_drawn_estimates_the_mean_over_all(by: str) -> None:
    """Over many seeds, the Horvitz-Thompson total is that of the log, of any value that queries have."""
    seen = [900, 300, 200] + [20] * 20 + [1] * 37
    counts, values = counts_of(seen), np.sin(np.arange(len(seen))) + 1
    value = dict(zip(WORDS, values, strict=True))
    size = np.array(seen, dtype=float) if by == "traffic" else np.ones(len(seen))
    truth = float((size * values).sum() / size.sum())
    found = []
    for seed in range(300):
        rows = draw(counts, 20, seed=seed, by=by).queries  # type: ignore[arg-type]
        assert rows.height == 20
        weights = rows["weight"].to_numpy()
        found.append(float(np.average([value[one] for one in rows["query"]], weights=weights)))
    error = np.std(found) / np.sqrt(len(found))
    # The mean is a ratio, so that a small bias remains beside the error of the simulation.
    assert abs(np.mean(found) - truth) < 4 * error + 0.005


def test_each_is_drawn_as_likely_as_is_said() -> None:
    seen = [400, 100] + [10] * 30 + [1] * 28
    counts = counts_of(seen)
    drawn = np.zeros(len(seen))
    place = {query: at for at, query in enumerate(WORDS)}
    for seed in range(600):
        for query in draw(counts, 15, seed=seed).queries["query"]:
            drawn[place[query]] += 1
    said = inclusion_probabilities(np.array(seen, dtype=float), 15)
    assert said.sum() == pytest.approx(15)
    assert np.abs(drawn / 600 - said).max() < 0.09
    assert (drawn[said == 1] == 600).all()


def test_a_log_that_grew_shares_most_of_its_sample() -> None:
    before = counts_of([50, 40] + [5] * 48)
    after = counts_of([60, 44] + [6] * 48 + [2] * 10)
    first, again = (set(draw(one, 20, seed=3).queries["query"]) for one in (before, after))
    other = set(draw(before, 20, seed=4).queries["query"])
    assert len(first & again) >= 17 > len(first & other)


def test_strata_have_as_many_each_and_a_third_of_the_searches() -> None:
    counts = with_frequencies(counts_of([100, 90] + [10] * 15 + [4] * 43))
    shares = counts.group_by("stratum").agg(pl.col("seen").sum() / counts["seen"].sum())
    assert all(0.2 < share < 0.5 for share in shares["seen"])
    rows = draw(counts, 12, seed=1).queries
    sizes = dict(rows.group_by("stratum").agg(pl.len()).iter_rows())
    assert sizes == {"head": 2, "torso": 5, "tail": 5}


@pytest.mark.parametrize("name", ["s.yaml", "s.suite.jsonl", "s.suite.parquet"])
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
    stands_for = [case.sampled.seen / case.sampled.inclusion for case in suite.cases if case.sampled]
    assert np.allclose(weights / np.mean(weights), stands_for / np.mean(stands_for), rtol=1e-4)
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
