"""Five formats of hand-made benchmarks, run unchanged, with the values that their own formulas give.

Each file was written by hand in the format of its project. The formulas are those of the projects, written
again here; only credit is rankgate's: a target is credited once.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import log2
from typing import TYPE_CHECKING, Any

import pytest

import rankgate as rg
from rankgate.suites.formats import format_named, format_of, load_suite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

OCTOCODE = """\
query,result1,result2,result3
rotate an API key,src/keys.rs:10-50:2,src/store.rs:20-30:1,
retry a failed delivery,src/hooks.rs:7:2,,
parse the settings file,src/settings.rs:1-90:2,src/main.rs:12-14:1,docs/settings.md:3-9:1
skip unchanged files,src/index.rs:117-166:2,src/index.rs:215-242:1,
clean JSON from a model,src/llm.rs:40-44:2,,
watch the working folder,src/watch.rs:1-400:2,,
"""
CODE = {
    "rotate an API key": ["src/a.rs:10-50", "src/keys.rs:30-60", "src/store.rs:25-35"],
    "retry a failed delivery": ["src/hooks.rs:8-30", "src/hooks.rs:1-7"],
    "parse the settings file": ["docs/settings.md:9-12", "src/settings.rs:90-120", "src/main.rs:15-20"],
    "skip unchanged files": ["src/index.rs:215-220", "src/index.rs:100-117", "src/keys.rs:117-166"],
    "clean JSON from a model": ["src/llm.rs:45-60", "docs/llm.rs:40-44"],
    # Three chunks of one target: the project credits each, which gives an nDCG above 2.
    "watch the working folder": ["src/watch.rs:1-100", "src/watch.rs:101-200", "src/watch.rs:201-300"],
}

BUILDBUDDY: dict[str, Any] = {
    "repos": [{"repo": {"repo_url": "github.com/example/shop"}, "repo_state": {"commit_sha": "1a2b3c4"}}],
    "cases": [
        {
            "query": {"term": "AddDocument"},
            "penalize_unmatched": True,
            "ideal_results": [
                {"owner": "o", "repo": "r", "filename": "index/index.go", "match_count": 2, "relevance": 3.0},
                {"owner": "o", "repo": "r", "filename": "index/index_test.go", "relevance": 0.5},
            ],
        },
        {
            "query": {"term": "Scorer"},
            "idealResults": [{"owner": "o", "repo": "r", "filename": "score.go", "relevance": "1.5"}],
        },
        {
            "query": {"term": "ParseFlagSet"},
            "penalizeUnmatched": True,
            "idealResults": [
                {"owner": "o", "repo": "r", "filename": "cli/arg.go", "relevance": 2},
                {"owner": "o", "repo": "r", "filename": "cli/old.go"},
            ],
        },
        {
            "query": {"term": "rotate"},
            "ideal_results": [
                {"owner": "o", "repo": "r", "filename": "keys.go", "relevance": 2, "notes": "definition"},
                {"owner": "o", "repo": "r", "filename": "keys_test.go", "relevance": 0.5},
                {"owner": "o", "repo": "r", "filename": "store.go", "relevance": 1},
            ],
        },
        {
            "query": {"term": "unused"},
            "penalize_unmatched": True,
            "ideal_results": [{"owner": "o", "repo": "r", "filename": "unused.go", "relevance": 1}],
        },
    ],
}
FILES = {
    "AddDocument": ["main.go", "index/index.go", "index/index_test.go"],
    "Scorer": ["main.go", "score.go"],
    "ParseFlagSet": ["cli/old.go", "cli/arg.go"],
    "rotate": ["keys_test.go", "keys.go"],
    "unused": ["a.go", "b.go"],
}

TREENAV: list[dict[str, Any]] = [
    {
        "id": "E1",
        "query": "oauth",
        "category": "exact",
        "relevant": [
            {"doc_id": "auth/oauth.md", "node_id": "auth/oauth.md:n1", "relevance": 3},
            {"doc_id": "auth/oauth.md", "node_id": "auth/oauth.md:n3", "relevance": 2},
        ],
        "mustBeInTop": {"node_id": "auth/oauth.md:n1", "k": 3},
    },
    {
        "id": "E2",
        "query": "rate limiting",
        "category": "exact",
        "relevant": [{"doc_id": "api/rate.md", "node_id": "api/rate.md:n1", "relevance": 3}],
        "mustBeInTop": {"node_id": "api/rate.md:n1", "k": 1},
    },
    {
        "id": "M1",
        "query": "token lifetime",
        "category": "multi-term",
        "relevant": [
            {"doc_id": "auth/jwt.md", "node_id": "auth/jwt.md:n4", "relevance": 3},
            {"doc_id": "auth/oauth.md", "node_id": "auth/oauth.md:n5", "relevance": 1},
            {"doc_id": "auth/session.md", "node_id": "auth/session.md:n2", "relevance": 2},
        ],
    },
    {
        "id": "F1",
        "query": "deploy",
        "category": "facet-filtered",
        "filter": {"type": ["runbook"]},
        "relevant": [{"doc_id": "run/deploy.md", "node_id": "run/deploy.md:n1", "relevance": 3}],
    },
    {"id": "Z1", "query": "blockchain", "category": "zero", "relevant": []},
]
NODES = {
    "oauth": ["auth/oauth.md:n1", "auth/jwt.md:n1", "auth/oauth.md:n2", "auth/oauth.md:n3"],
    "rate limiting": ["api/pages.md:n1", "api/rate.md:n1"],
    "token lifetime": ["auth/oauth.md:n5", "auth/session.md:n2", "auth/session.md:n1", "auth/jwt.md:n4"],
    "deploy": ["run/deploy.md:n1"],
    "blockchain": [],
}

EXPECTED: list[dict[str, Any]] = [
    {"query": "create an issue", "expectedIds": ["createIssue", "createIssues", "editIssue", "getIssue"]},
    {"query": "delete a comment", "expectedIds": ["deleteComment"]},
    {"query": "crete issue", "expectedIds": ["createIssue", "createIssues"]},
    {"query": "move an issue to a sprint", "expectedIds": ["moveIssues", "addToSprint", "getSprint"]},
    {"query": "list boards", "expectedIds": ["getBoards", "getBoard"]},
]
OPERATIONS = {
    "create an issue": ["createIssues", "createIssue", "getBoards", "getIssue", "deleteComment"],
    "delete a comment": ["getComment", "deleteComments", "deleteComment"],
    "crete issue": ["getBoards", "getBoard", "moveIssues", "addToSprint", "getSprint", "createIssue"],
    "move an issue to a sprint": ["moveIssues"],
    "list boards": ["getBoard", "getBoards"],
}

RELEVANT: list[dict[str, Any]] = [
    {"question": "When do keys expire?", "metadata": {"relevantIds": ["keys.md:1", "keys.md:4", "faq.md:2"]}},
    {"question": "Who may rotate a key?", "metadata": {"relevantIds": ["keys.md:2"]}},
    {"question": "How are deliveries retried?", "metadata": {"relevantIds": ["hooks.md:3", "hooks.md:7"]}},
    {"question": "What is in an event?", "metadata": {"relevantIds": ["hooks.md:1"], "source": "hand"}},
    {"question": "Can I undo a deploy?", "metadata": {"relevantIds": ["deploy.md:9", "faq.md:5"]}},
]
CHUNKS = {
    "When do keys expire?": ["keys.md:4", "hooks.md:1", "keys.md:1"],
    "Who may rotate a key?": ["auth.md:2", "keys.md:2"],
    "How are deliveries retried?": [
        "hooks.md:3",
        "hooks.md:4",
        "faq.md:2",
        "keys.md:1",
        "a.md:1",
        "hooks.md:7",
    ],
    "What is in an event?": ["oauth-hooks.md:1"],
    "Can I undo a deploy?": ["deploy.md:9", "faq.md:5"],
}

Answers = dict[str, list[str]]


@dataclass(frozen=True)
class Seed:
    """A benchmark: its file, a system, and what its own formulas give for each query."""

    file: str
    text: str
    answers: Answers
    judged: dict[str, dict[str, float]]
    values: Mapping[str, Callable[[list[float], list[float]], float]]


def dcg(gains: Sequence[float]) -> float:
    return sum(gain / log2(rank + 1) for rank, gain in enumerate(gains, 1))


def ndcg(k: int) -> Callable[[list[float], list[float]], float]:
    return lambda gains, judged: dcg(gains[:k]) / dcg(sorted(judged, reverse=True)[:k])


def hit(k: int) -> Callable[[list[float], list[float]], float]:
    return lambda gains, _: float(any(gain > 0 for gain in gains[:k]))


def recall(k: int) -> Callable[[list[float], list[float]], float]:
    return lambda gains, judged: sum(gain > 0 for gain in gains[:k]) / sum(one > 0 for one in judged)


def precision(k: int) -> Callable[[list[float], list[float]], float]:
    return lambda gains, _: sum(gain > 0 for gain in gains[:k]) / k


def reciprocal(gains: list[float], _: list[float]) -> float:
    return next((1 / rank for rank, gain in enumerate(gains, 1) if gain > 0), 0.0)


def weighted(gains: list[float], judged: list[float]) -> float:
    first = gains[:5]
    return (
        0.4 * precision(5)(first, judged) + 0.3 * recall(5)(first, judged) + 0.3 * reciprocal(first, judged)
    )


def parts(location: str) -> tuple[str, int, int]:
    path, _, lines = location.rpartition(":")
    first, _, last = lines.partition("-")
    return path, int(first), int(last or first)


def overlap(one: str, other: str) -> bool:
    (path, first, last), (other_path, start, end) = parts(one), parts(other)
    return path == other_path and first <= end and start <= last


def cells(text: str) -> dict[str, dict[str, float]]:
    rows = [line.split(",") for line in text.splitlines()[1:]]
    return {
        query: {cell.rpartition(":")[0]: float(cell.rpartition(":")[2]) for cell in row if cell}
        for query, *row in rows
    }


SEEDS = {
    "octocode": Seed(
        "code.csv",
        OCTOCODE,
        CODE,
        cells(OCTOCODE),
        {"hit@5": hit(5), "rr": reciprocal, "ndcg@10": ndcg(10), "r@10": recall(10)},
    ),
    "buildbuddy": Seed(
        "ratings.json",
        json.dumps(BUILDBUDDY),
        FILES,
        {
            case["query"]["term"]: {
                one["filename"]: float(one.get("relevance", 0))
                for one in case.get("ideal_results") or case["idealResults"]
            }
            for case in BUILDBUDDY["cases"]
        },
        {"ndcg@10": ndcg(10)},
    ),
    "treenav": Seed(
        "qrels.json",
        json.dumps(TREENAV),
        NODES,
        {one["query"]: {each["node_id"]: each["relevance"] for each in one["relevant"]} for one in TREENAV},
        {"ndcg@10": ndcg(10), "rr": reciprocal, "p@1": precision(1)},
    ),
    "expectedIds": Seed(
        "expected.json",
        json.dumps(EXPECTED),
        OPERATIONS,
        {one["query"]: dict.fromkeys(one["expectedIds"], 1.0) for one in EXPECTED},
        {
            "p@5": precision(5),
            "r@5": recall(5),
            "rr@5": lambda gains, judged: reciprocal(gains[:5], judged),
            "0.4 * p@5 + 0.3 * r@5 + 0.3 * rr@5": weighted,
        },
    ),
    "relevantIds": Seed(
        "memory.jsonl",
        "".join(json.dumps(one) + "\n" for one in RELEVANT),
        CHUNKS,
        {one["question"]: dict.fromkeys(one["metadata"]["relevantIds"], 1.0) for one in RELEVANT},
        {"ndcg@5": ndcg(5), "p@5": precision(5), "r@5": recall(5), "rr": reciprocal},
    ),
}
"""By the name of the preset."""


def own_values(seed: Seed, *, lines: bool) -> dict[str, dict[str, float]]:
    """Compute the values of each metric by query, with each target credited once."""
    found: dict[str, dict[str, float]] = {metric: {} for metric in seed.values}
    for query, judged in seed.judged.items():
        left, gains = dict(judged), list[float]()
        for result in seed.answers[query]:
            reached = [one for one in left if (overlap(one, result) if lines else one == result)]
            gains.append(left.pop(max(reached, key=lambda one: left[one])) if reached else 0.0)
        for metric, formula in seed.values.items():
            if judged:
                found[metric][query] = formula(gains, list(judged.values()))
    return found


def scored(
    suite: rg.Suite, answers: Answers, metrics: Sequence[str], key: str
) -> dict[str, dict[str, float]]:
    """Run a suite against fixed answers, and return the values of each metric by query."""

    def search(query: str, k: int, filters: object = None) -> list[dict[str, str]]:
        del filters
        return [{key: one} for one in answers[query]][:k]

    result = rg.evaluate(suite, search, metrics=list(metrics), gates=[])
    queries = {case.id: case.query for case in suite.cases}
    every = {metric: result.scores.per_query(metric) for metric in metrics}
    return {
        metric: {queries[case]: value for case, value in values.items() if value is not None}
        for metric, values in every.items()
    }


@pytest.mark.parametrize("name", SEEDS)
@pytest.mark.parametrize("converted", [False, True], ids=["as it is", "converted"])
def test_seed_file_scores_by_its_own_formula(tmp_path: Path, name: str, converted: bool) -> None:
    seed = SEEDS[name]
    (tmp_path / seed.file).write_text(seed.text)
    assert format_of(tmp_path / seed.file).name == name
    suite = load_suite(tmp_path / seed.file)
    if converted:
        write: Any = format_named("native").write
        write(suite, tmp_path / "search.yaml")
        suite = load_suite(tmp_path / "search.yaml")
    assert suite.corpus is None
    found = scored(suite, seed.answers, list(seed.values), "id")
    expected = own_values(seed, lines=name == "octocode")
    assert found == {metric: pytest.approx(values, abs=1e-9) for metric, values in expected.items()}


def test_real_octocode_file_scores_alike_after_its_conversion(shared_data: Path, tmp_path: Path) -> None:
    suite = load_suite(shared_data / "code" / "octocode" / "code.csv")
    write: Any = format_named("native").write
    write(suite, tmp_path / "code.yaml")
    # Every second query finds its first target at rank 2, the others another file first and nothing else.
    answers = {
        case.query: ["src/other.rs:1-9", *([str(case.targets[0].location)] if number % 2 else [])]
        for number, case in enumerate(suite.cases)
    }
    found = scored(suite, answers, ["ndcg@10", "rr"], "id")
    assert scored(load_suite(tmp_path / "code.yaml"), answers, ["ndcg@10", "rr"], "id") == found
    assert sum(found["rr"].values()) == 63 * 0.5


def test_octocode_target_in_three_chunks_is_credited_once() -> None:
    values = own_values(SEEDS["octocode"], lines=True)
    assert values["ndcg@10"]["watch the working folder"] == 1
    assert values["ndcg@10"]["rotate an API key"] == pytest.approx(1.76 / 2.63, abs=0.001)


def test_buildbuddy_unmatched_results_cost_their_rank(tmp_path: Path) -> None:
    (tmp_path / "ratings.json").write_text(json.dumps(BUILDBUDDY))
    suite = load_suite(tmp_path / "ratings.json")
    assert suite.metrics == ("ndcg@10", "pndcg(cost=1)@10")
    assert [case.exhaustive for case in suite.cases] == [True, False, True, False, True]
    found = scored(suite, FILES, ["pndcg(cost=1)@10"], "path")["pndcg(cost=1)@10"]
    # An unmatched result of an exhaustive case costs a gain of 1, discounted by its rank.
    assert found["AddDocument"] == pytest.approx(dcg([-1, 3, 0.5]) / dcg([3, 0.5]))
    assert found["unused"] == pytest.approx(dcg([-1, -1]) / dcg([1]))


def test_treenav_filters_checks_and_zero_queries_are_read(tmp_path: Path) -> None:
    (tmp_path / "qrels.json").write_text(json.dumps(TREENAV))
    suite = load_suite(tmp_path / "qrels.json")
    cases = {case.id: case for case in suite.cases}
    assert cases["F1"].filters == {"type": ("runbook",)}
    assert cases["Z1"].expect_empty
    assert [(str(top.location), top.within) for top in cases["E1"].top] == [("auth/oauth.md:n1", 3)]
    assert [case.category for case in suite.cases] == [
        "exact",
        "exact",
        "multi-term",
        "facet-filtered",
        "zero",
    ]

    def search(query: str, k: int, filters: object = None) -> list[str]:
        del filters
        return NODES[query][:k]

    result = rg.evaluate(suite, search, metrics=["ndcg@10"])
    assert result.exit_code == 1
    assert [one.query for one in result.report.cases if one.state == "failed"] == ["rate limiting"]
