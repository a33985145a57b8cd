"""What readers of the first hour stumbled on: each message says what is so, and offers what works."""

from __future__ import annotations

from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from rankgate.evaluation.suite_run import retried
from support.commands import rankgate

if TYPE_CHECKING:
    from pathlib import Path

SUITE = """corpus: docs/
metrics:
  - ndcg@10
  - METRIC
gates: ['hit@5 >= 0.5']
cases:
  - query: rotate a key
    at: keys.md#Rotation
  - query: end a key
    at: keys.md#Revocation
"""
PAGE = "# Keys\n\n## Rotation\n\nEvery 90 days.\n\n## Revocation\n\nAt once.\n"
SEARCH = "def search(query, k):\n    return ['keys.md#Rotation', 'keys.md#Revocation']\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs/keys.md").write_text(PAGE)
    (tmp_path / "app.py").write_text(SEARCH)
    (tmp_path / "search.yaml").write_text(SUITE.replace("METRIC", "rr"))
    (tmp_path / "rankgate.toml").write_text('[systems.ours]\nfunction = "./app.py:search"\n')
    return tmp_path


@pytest.mark.parametrize(
    "arguments",
    [
        ("test", "search.yaml"),
        ("compare", "ours", "baseline", "-u", "search.yaml"),
        ("suite", "lint", "search.yaml"),
    ],
)
def test_a_metric_that_is_not_installed_is_named_with_its_line_and_how_one_s_own_is_installed(
    project: Path, arguments: tuple[str, ...]
) -> None:
    (project / "search.yaml").write_text(SUITE.replace("METRIC", "files@5"))
    done = rankgate(*arguments)
    said = " ".join((done.out + done.err).split())
    assert "search.yaml:4:5: " in said
    assert "found metric 'files', expected one of `rankgate list metrics`; one of your own must be" in said
    assert "installed, as an entry point of rankgate.metrics" in said


def test_what_unknown_metric_means_has_how_one_s_own_is_installed() -> None:
    assert (
        "as an entry point of the group rankgate.metrics" in rankgate("explain", "unknown-metric").printed()
    )


def asked_again(*errors: str | None) -> tuple[str, ...]:
    status = ["ok" if error is None else "error" for error in errors]
    rows = pl.DataFrame(
        {"status": status, "attempts": [3] * len(errors), "error": errors},
        schema_overrides={"error": pl.String},
    )
    run: Any = SimpleNamespace(shards=lambda: [SimpleNamespace(queries=rows)])
    return retried(run)


REFUSED, BUSY = (
    "api: Connection refused [no-connection]",
    "api: found status 503, expected status 200 [status]",
)


@pytest.mark.parametrize(
    ("errors", "why"),
    [
        ((REFUSED, REFUSED), "could not be reached, 4 retries; 2 failed all the same"),
        ((BUSY, BUSY), "was busy, 4 retries; 2 failed all the same"),
        ((BUSY, REFUSED), "was busy or out of reach, 4 retries; 2 failed all the same"),
        ((None, None), "was busy or out of reach, 4 retries"),
    ],
)
def test_why_queries_were_asked_again_is_said_as_far_as_it_is_known(
    errors: tuple[str | None, ...], why: str
) -> None:
    assert asked_again(*errors) == (f"2 queries asked again where the system {why}",)


def test_the_help_does_not_name_a_page_of_the_readers_own_folder() -> None:
    said = rankgate("--help").printed()
    assert "docs/index.md" not in said
    assert "Guides and reference: rankgate's documentation." in " ".join(said.split())
