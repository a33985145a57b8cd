"""The two promises that every change keeps: a suite and one command, and seven lines of Python."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

SUITE = """\
corpus: docs/
gates: [ndcg@10 >= 0.65]
cases:
  - query: rotate an API key
    at: auth/keys.md#Rotation
  - query: retry failed webhooks
    at: {webhooks.md#Retries: 3, errors.md:40-62: 1}
  - query: blockchain
    expect: empty
"""

COMMAND = "rankgate test search.yaml --system app.search:search"

PYTHON = """\
import rankgate as rg
def search(query: str, k: int) -> list[str]:      # or dicts, (id, score) pairs, rg.Hit
    return [d.metadata["source"] for d in retriever.invoke(query)[:k]]
result = rg.evaluate(rg.load_suite("search.yaml"), search, metrics=["ndcg@10", "r@5"])
print(result)                                     # the terminal table
assert result["ndcg@10"] >= 0.65
[failed] = [case for case in result.report.cases if case.state == "failed"]
"""

SYSTEM = """\
ANSWERS = {answers!r}

def search(query, k):
    return ANSWERS.get(query, [])[:k]
"""

GOOD = {
    "rotate an API key": ["auth/keys.md#Rotation"],
    "retry failed webhooks": ["webhooks.md#Retries", "errors.md:45-50"],
}
BAD = {query: ["errors.md:1-9", *hits] for query, hits in GOOD.items()} | {"blockchain": ["errors.md:1-9"]}


@dataclass
class Found:
    metadata: dict[str, str]


@dataclass
class Retriever:
    """What a retriever of a popular framework looks like from outside."""

    answers: dict[str, list[str]]

    def invoke(self, query: str) -> list[Found]:
        return [Found({"source": place}) for place in self.answers.get(query, [])]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "docs" / "auth").mkdir(parents=True)
    (tmp_path / "docs/auth/keys.md").write_text(
        "# Keys\n\n## Rotation\n\nEvery 90 days.\n\n## Expiry\n\nNever.\n"
    )
    (tmp_path / "docs/webhooks.md").write_text("# Webhooks\n\n## Retries\n\nFor a day.\n")
    (tmp_path / "docs/errors.md").write_text("".join(f"line {number}\n" for number in range(1, 81)))
    (tmp_path / "search.yaml").write_text(SUITE)
    (tmp_path / "app").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(("answers", "code"), [(GOOD, 0), (BAD, 1)], ids=["green", "red"])
def test_one_command_passes_or_fails(project: Path, answers: dict[str, list[str]], code: int) -> None:
    (project / "app/search.py").write_text(SYSTEM.format(answers=answers))
    call = [sys.executable, "-m", *COMMAND.split()]
    done = subprocess.run(call, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (code, "")
    passed, failed = (
        "✓ search · app.search:search · 3 queries passed",
        "✗ search · app.search:search · failed",
    )
    assert done.stdout.startswith(passed if code == 0 else failed)


def test_python_of_seven_lines_runs(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    answers = GOOD | {"blockchain": ["errors.md:1-9"]}
    space: dict[str, object] = {"__name__": "__main__", "retriever": Retriever(answers)}
    exec(PYTHON, space)
    printed = capsys.readouterr().out
    assert "ndcg@10" in printed
    assert "failed    expect: empty: 1 result" in printed
    assert space["failed"].query == "blockchain"  # type: ignore[attr-defined]
