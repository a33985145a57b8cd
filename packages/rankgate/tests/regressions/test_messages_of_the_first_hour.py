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


def test_a_name_that_is_nearly_one_of_the_documents_is_offered_first(project: Path) -> None:
    text = (project / "search.yaml").read_text()
    (project / "search.yaml").write_text(text.replace("#Revocation", "#Revocatoin"))
    lines = rankgate("test", "search.yaml").out.splitlines()
    assert lines[1:3] == [
        "1 target is not in the documents",
        "keys.md#Revocatoin: did you mean keys.md#Revocation or keys.md#Rotation?",
    ]
    steps = [line for line in lines if "  rankgate " in line]
    assert steps[0].split("  ")[0] == "typed wrong? correct the case at line 9, then"
    assert steps[0].endswith("  rankgate test search.yaml --system ours")
    assert steps[1].startswith("update the targets ")


def test_a_name_that_is_like_nothing_is_named_with_how_many_may_be_gone(project: Path) -> None:
    text = (project / "search.yaml").read_text()
    (project / "search.yaml").write_text(text.replace("#Revocation", "#Nonsense"))
    lines = rankgate("test", "search.yaml").out.splitlines()
    assert lines[2] == "keys.md#Nonsense (max_gone allows none)."
    assert not any("typed wrong?" in line for line in lines)


DOCUMENTS = """
class Document:
    def __init__(self, text, metadata):
        self.page_content, self.metadata = text, metadata

def documents(query, k):
    return [Document('Every 90 days.', {'source': 'docs/keys.md'})]
"""


def test_one_query_without_documents_says_what_opens_them_and_names_no_rule_that_nobody_wrote(
    project: Path,
) -> None:
    (project / "rankgate.toml").unlink()
    (project / "app.py").write_text(DOCUMENTS)
    asked = ("ask", "./app.py:documents", "rotate a key")
    said = rankgate(*asked).printed()
    assert "; no documents are open: -S search.yaml locates them\n" in said
    assert "matched nothing" not in said
    opened = rankgate(*asked, "-S", "search.yaml").printed()
    assert "no documents are open" not in opened
    assert "keys.md:" in opened


def test_how_hits_count_that_return_a_judged_page_again_is_said_with_their_number(project: Path) -> None:
    text = (project / "search.yaml").read_text()
    (project / "app.py").write_text("def search(query, k):\n    return ['keys.md'] * 3\n")
    said = "4 hits of documents that hits above them have returned: each keeps its rank and earns nothing"
    assert said not in " ".join(rankgate("test", "search.yaml").out.split())
    whole = text.replace("#Rotation", "").replace("#Revocation", "")
    (project / "search.yaml").write_text(whole)
    done = rankgate("test", "search.yaml")
    assert said in " ".join(done.out.split())
    assert "ndcg@10" in done.out
