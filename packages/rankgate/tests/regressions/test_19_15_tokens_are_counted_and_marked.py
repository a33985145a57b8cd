"""A budget of tokens holds where systems return locations alone, and estimates are marked everywhere."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from rankgate.evaluation.flow import evaluate
from rankgate.model import Hit, Query, Ranking
from rankgate.runs.store.run_folder import StoredRun
from rankgate.suites.formats import load_suite
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

# 40 and 400 bytes of ASCII: 10 and 100 tokens by four bytes.
SHORT, LONG = "word " * 7 + "end.\n", "text " * 79 + "end.\n"
METRICS = ["r@50tokens", "tokens_to(recall=1)@500tokens", "hit@1"]
SUITE = f"""\
corpus: docs/
metrics: {json.dumps(METRICS)}
gates: [r@50tokens >= 0.9]
cases:
  - {{query: word, at: 'a.md:1', category: short}}
  - {{query: text, at: 'a.md:2', category: long}}
"""
REPORTS = ("terminal", "markdown", "json", "github-comment")


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RANKGATE_CACHE", str(tmp_path / "cache"))
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "a.md").write_text(SHORT + LONG)
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "rankgate.toml").write_text(
        "[systems.app]\nkind = 'support.memory_engine:open_memory'\nchunks = { by = 'window', lines = 1 }\n"
    )
    return tmp_path


def lines(query: str, _k: int) -> list[dict[str, object]]:
    return [{"path": "a.md", "start": 1 if query == "word" else 2, "end": 1 if query == "word" else 2}]


def counted(query: str, k: int) -> list[dict[str, object]]:
    return [{**hit, "tokens": 7} for hit in lines(query, k)]


def test_the_text_of_the_lines_is_counted(project: Path) -> None:
    result = evaluate(load_suite(project / "search.yaml"), lines, metrics=METRICS)
    # The short line fits into 50 tokens, the long one does not; both are read by the end of 10 and 100.
    assert result["r@50tokens"] == 0.5
    assert result["tokens_to(recall=1)@500tokens"] == (10 + 100) / 2


def test_a_budget_of_tokens_holds_on_built_engines(project: Path) -> None:
    done = rankgate("test", "search.yaml", *(f"--report={one}=report.{one}" for one in REPORTS))
    assert done.code == 1, done.err
    manifest = StoredRun.open(project / ".rankgate" / "search" / "app" / "run").manifest
    assert manifest.estimated
    for one in REPORTS:
        shown = (project / f"report.{one}").read_text(encoding="utf-8")
        assert "≈0.5000" in shown, one
        assert "≈55" in shown, one
        assert "tokens are estimated" in shown, one
    report = json.loads((project / "report.json").read_text())
    marked = [(row["value"][0], row["tokens_estimated"]) for row in report["metrics"]]
    assert marked == [("≈", True), ("≈", True), ("1", False)]
    assert all(value.startswith("≈") for row in report["slices"]["rows"] for value in row["values"][:2])


def test_what_the_system_counted_is_not_marked(project: Path) -> None:
    result = evaluate(load_suite(project / "search.yaml"), counted, metrics=METRICS)
    assert result["tokens_to(recall=1)@500tokens"] == 7
    assert "≈" not in str(result)
    assert "estimated" not in str(result)


def test_records_are_counted_by_their_text(project: Path) -> None:
    (project / "beir").mkdir()
    (project / "beir" / "corpus.jsonl").write_text(json.dumps({"_id": "d1", "title": "", "text": "w" * 40}))
    (project / "search.yaml").write_text("corpus: {beir: beir/}\ncases:\n  - {query: word, id: d1}\n")

    class Found:
        name = "found"

        def search(self, _query: Query) -> Ranking:
            return Ranking((Hit("d1"),))

    metric = "tokens_to(recall=1)@500tokens"
    assert evaluate(load_suite(project / "search.yaml"), Found(), metrics=[metric])[metric] == 10


def test_score_and_compare_mark_estimates(project: Path) -> None:
    assert rankgate("test", "search.yaml").code == 1
    kept = project / ".rankgate" / "search" / "app"
    files = ("--qrels", kept / "judgments", "--run", kept / "run")
    scored = rankgate("score", *files, *(f"--metric={one}" for one in METRICS)).printed()
    assert "≈0.5000" in scored
    assert "tokens are estimated" in scored
    assert rankgate("score", *files, "--metric", METRICS[0], "--format", "trec").code == 2
    compared = rankgate("compare", kept / "run", kept / "run", "--suite", "search.yaml", "-m", METRICS[0])
    assert "≈0.5000" in compared.out, compared.out + compared.err
    assert not re.search(r"(?<!≈)0\.5000", compared.out), compared.out
    assert "tokens are estimated" in compared.out


def test_hits_without_text_or_lines_are_named(project: Path) -> None:
    with pytest.raises(Exception, match=r"2 of 2 hits without a token count.*lines of the suite's corpus"):
        evaluate(load_suite(project / "search.yaml"), lambda _query, _k: ["a.md"], metrics=METRICS[:1])
