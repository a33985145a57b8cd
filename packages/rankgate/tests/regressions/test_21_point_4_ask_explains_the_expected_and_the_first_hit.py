"""An engine's own explanation of its scores was shown nowhere."""

from __future__ import annotations

import json
from contextlib import chdir
from pathlib import Path

import click
import pytest

from rankgate.errors import SystemFailedError
from rankgate.model.search import Explainer, Hit, Query, Ranking, ScoreExplanation
from rankgate.model.systems import SystemBase, explained_by
from support.commands import rankgate

SUITE = """\
corpus: docs/
metrics: [rr@2]
gates: [rr@2 >= 0.9]
cases:
  - {name: low, query: rotate key, at: low.md}
  - {name: top, query: apple, at: high.md}
  - {name: absent, query: rotate key, at: other.md}
  - {name: nothing, query: zebra, expect: empty}
"""
SYSTEMS = """\
suites = ["search.yaml"]
[systems.built]
kind = "tantivy"
folder = "indexes"
[systems.app]
kind = "function"
target = "app.py:search"
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("explained") / "project"
    (folder / "docs").mkdir(parents=True)
    texts = {f"high{at or ''}.md": "rotate the key, rotate the key, apple\n" for at in range(4)}
    texts |= {"low.md": "a long text of many other words that has the word key once and little more\n"}
    texts |= {"other.md": "nothing of it\n"}
    for name, text in texts.items():
        (folder / "docs" / name).write_text(text, encoding="utf-8")
    (folder / "search.yaml").write_text(SUITE, encoding="utf-8")
    (folder / "app.py").write_text("def search(query, k):\n    return ['low.md']\n", encoding="utf-8")
    (folder / "rankgate.toml").write_text(SYSTEMS, encoding="utf-8")
    return folder


def _asked(project: Path, system: str, case: str) -> list[str]:
    with chdir(project):
        done = rankgate("ask", system, "--case", case, "--explain")
    lines = click.unstyle(done.out).splitlines()
    assert done.err == ""
    return [line.strip() for line in lines[lines.index("scores explained") + 1 :]]


def test_the_expected_hit_beyond_the_asked_depth_stands_beside_the_first(project: Path) -> None:
    told = _asked(project, "built", "low")
    assert told[0].startswith("expected, rank 5: low.md")
    assert told[1].startswith("first, rank 1: high")
    assert told[2].split() == ["expected", "first"]
    rotate = next(line for line in told if 'all:"rotat"' in line)
    key = next(line for line in told if 'all:"key"' in line)
    # low.md has the one word and not the other: that is why it stands where it does.
    assert rotate.split()[0] == "–"
    assert 0 < float(key.split()[0]) < float(key.split()[1])


def test_an_expected_hit_that_is_first_stands_beside_the_second(project: Path) -> None:
    told = _asked(project, "built", "top")
    assert told[0].startswith("expected, rank 1: high.md")
    assert told[1].startswith("second, rank 2: high1.md")


def test_a_target_without_a_score_is_said_to_have_none(project: Path) -> None:
    told = _asked(project, "built", "absent")
    assert told[0].startswith("first, rank 1: high")
    assert told[-1] == "no expected hit is among the first 5: it has no score to explain"


def test_where_nothing_came_nothing_is_explained(project: Path) -> None:
    assert _asked(project, "built", "nothing") == ["nothing was returned"]


def test_a_system_that_does_not_explain_says_so(project: Path) -> None:
    assert _asked(project, "app", "low") == [
        "not explained: this system does not say how its scores come about"
    ]


def test_a_query_of_no_case_is_not_explained(project: Path) -> None:
    with chdir(project):
        assert "--case ID" in rankgate("ask", "built", "rotate", "--explain").refused()


def test_the_report_explains_a_query_that_fell_short(project: Path) -> None:
    with chdir(project):
        done = rankgate("test", "--system", "built", "--details", "-o", "json=report.json")
        stories = {one["case"]: one for one in json.loads(Path("report.json").read_text())["failures"]}
    scores = stories["low"]["scores"]
    assert [(hit["title"], hit["rank"]) for hit in scores["hits"]] == [("expected", 5), ("first", 1)]
    assert next(line for line in scores["lines"] if 'all:"rotat"' in line["words"])["values"][0] == "–"
    # What was not returned, and what came first, has nothing to be compared.
    assert stories["absent"]["scores"] is None
    assert done.out.count("scores explained") == 1
    assert "expected, rank 5: low.md" in done.out


def test_nothing_is_asked_for_it_where_no_further_question_may_be(project: Path) -> None:
    with chdir(project):
        rankgate("test", "--system", "built", "--follow-ups", "0", "-o", "json=report.json")
        failures = json.loads(Path("report.json").read_text())["failures"]
    assert failures
    assert all(one["scores"] is None for one in failures)


class _Explains(SystemBase):
    def __init__(self, found: list[ScoreExplanation | None] | Exception) -> None:
        super().__init__("shop")
        self.mask.add("TOKEN", "s3cret-0123456789")
        self._found = found

    def search(self, query: Query) -> Ranking:  # noqa: ARG002 - as the protocol has it
        return Ranking((Hit("a"),))

    def explain(self, query: Query) -> tuple[Ranking, list[ScoreExplanation | None]]:
        if isinstance(self._found, Exception):
            raise self._found
        return self.search(query), self._found


def test_secrets_are_hidden_in_explanations_and_odd_ones_are_failures() -> None:
    inner = ScoreExplanation(1.0, "of s3cret-0123456789")
    system = _Explains([ScoreExplanation(1.0, "sum", (inner,))])
    assert isinstance(system, Explainer)
    _, (found,) = explained_by(system, Query("x")) or ((), (None,))
    assert found is not None
    assert found.parts[0].words == "of ***"
    with pytest.raises(SystemFailedError, match="2 explanations of 1 hits"):
        explained_by(_Explains([None, None]), Query("x"))
    with pytest.raises(SystemFailedError, match="KeyError"):
        explained_by(_Explains(KeyError("x")), Query("x"))
