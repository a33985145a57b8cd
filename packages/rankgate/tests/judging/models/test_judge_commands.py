"""``rankgate judge ask``: the cost first, labels at once, nothing twice, people's word."""

from __future__ import annotations

import shutil
from contextlib import chdir
from dataclasses import replace
from typing import TYPE_CHECKING

import polars as pl
import pytest
from click.testing import CliRunner

from rankgate.cli.judge import judge
from rankgate.errors import InputError
from rankgate.project.opening import open_corpus
from rankgate.suites.formats import load_suite
from rankgate.truth.judgments.labels import Label, LabelLog, read_labels
from rankgate.truth.resolve import resolve
from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from click.testing import Result

TOPICS = 40
PARTS = ("Start", "Use", "Limits")
PROMPT = "Grade {scale} by this:\n{guidelines}\nQuery: {query}\n{path} {outline}\n{passage}\n"
GUIDELINES = "- 0: wrong\n- 1: related\n- 2: answers it\n"
SYSTEMS = """\
def place(topic, part):
    return {"path": f"t{topic % 40}.md", "lines": [3 + 4 * part, 5 + 4 * part]}
def near(query, k):
    topic = int(query.split()[-1])
    return [place(topic + at // 3, at % 3) for at in range(k)]
def far(query, k):
    topic = int(query.split()[-1])
    return [place(topic + 5 * (at // 3), at % 3) for at in range(k)]
"""
JUDGE = """\
import json, re
def judge(query, passage, prompt):
    topic = query.split()[-1]
    with open("calls", "a") as file:
        print(topic, file=file)
    right = f"topic {topic}." in passage
    return {"grade": 2 if right and "Use" in passage else int(right), "reason": "read it"}
"""
CONFIGURATION = """\
suites = ["search.yaml"]
[systems.near]
function = "./app.py:near"
[systems.far]
function = "./app.py:far"
[judges.reader]
prompt = "prompt.md"
function = "./judge.py:judge"
retries = 0
cost_per_call = 0.5
"""


@pytest.fixture(scope="module")
def tested(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose two systems were tested once."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "docs").mkdir()
    for topic in range(TOPICS):
        sections = (f"## {part}\n{part} of topic {topic}.\nMore.\n\n" for part in PARTS)
        (folder / "docs" / f"t{topic}.md").write_text(f"# Topic {topic}\n\n{''.join(sections)}")
    cases = (f"  - query: about {topic}\n    at: t{topic}.md#Limits\n" for topic in range(TOPICS))
    suite = "corpus: docs/\nscale: 2\nguidelines: guidelines.md\nmetrics: [ndcg@6]\ncases:\n"
    files = {"search.yaml": suite + "".join(cases), "prompt.md": PROMPT, "guidelines.md": GUIDELINES}
    files |= {"app.py": SYSTEMS, "judge.py": JUDGE, "rankgate.toml": CONFIGURATION}
    for name, text in files.items():
        (folder / name).write_text(text)
    with chdir(folder):
        for system in ("near", "far"):
            assert rankgate("test", "--system", system).code == 0
    return folder


@pytest.fixture(scope="module")
def asked(tested: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same project, all of whose first six hits a model judge graded."""
    folder = tmp_path_factory.mktemp("asked") / "project"
    shutil.copytree(tested, folder)
    with chdir(folder):
        assert _called("ask", "--depth", "6", "--yes").return_value == 0
    return folder


@pytest.fixture
def graded(asked: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of that, which is where commands are run."""
    folder = tmp_path / "graded"
    shutil.copytree(asked, folder)
    with chdir(folder):
        yield folder


@pytest.fixture
def project(tested: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of it, which is where commands are run."""
    folder = tmp_path / "project"
    shutil.copytree(tested, folder)
    with chdir(folder):
        yield folder


def _called(*args: str, **env: str | None) -> Result:
    without_ci = {"CI": None, **env}
    return CliRunner().invoke(judge, list(args), standalone_mode=False, env=without_ci)


def _calls(project: Path) -> int:
    file = project / "calls"
    return len(file.read_text().splitlines()) if file.exists() else 0


def _labels(project: Path, judge: str = "reader") -> tuple[Label, ...]:
    return read_labels(project / "search.yaml").of(judge)


@pytest.mark.parametrize("ci", [None, "true"])
def test_nothing_is_asked_before_somebody_agreed_to_the_cost(project: Path, ci: str | None) -> None:
    called = _called("ask", "--judge", "reader", "--depth", "3", CI=ci)
    assert isinstance(called.exception, InputError)
    assert "add --yes" in str(called.exception)
    assert _calls(project) == 0
    assert not (project / "judgments").exists()
    # Two of the three sections that each system finds first are not judged, and both find the same.
    assert f"{2 * TOPICS} passages, {2 * TOPICS} calls" in called.output
    assert f"cost: about {TOPICS}" in called.output
    assert "tokens of prompts (estimated: bytes/4" in called.output


def test_judge_with_guidelines_outside_the_project_calls_no_model(project: Path) -> None:
    suite = project / "search.yaml"
    suite.write_text(suite.read_text().replace("guidelines.md", "/etc/passwd"))
    called = _called("ask", "--judge", "reader", "--depth", "3", "--yes")
    assert isinstance(called.exception, InputError)
    assert "guidelines: /etc/passwd is outside the project" in str(called.exception)
    assert _calls(project) == 0


def test_labels_are_written_with_what_they_are_made_of_and_not_asked_again(project: Path) -> None:
    called = _called("ask", "--depth", "3", "--yes")
    assert (called.exception, called.return_value) == (None, 0)
    labels = _labels(project)
    assert len(labels) == _calls(project) == 2 * TOPICS
    assert {label.grade for label in labels} == {1.0, 2.0}
    assert {(label.source, label.comment) for label in labels} == {("model", "read it")}
    assert len({(label.prompt, label.guidelines) for label in labels}) == 1
    assert f"{2 * TOPICS} labels (1: {TOPICS}, 2: {TOPICS})" in called.output

    again = _called("ask", "--depth", "3", "--yes")
    assert "nothing to ask" in again.output
    assert _calls(project) == 2 * TOPICS

    (project / "prompt.md").write_text(PROMPT + "Be strict.\n")
    other = _called("ask", "--depth", "3", "--yes")
    assert other.return_value == 0
    assert _calls(project) == 4 * TOPICS
    assert not {label.prompt for label in _labels(project)} & {label.prompt for label in labels}


def test_a_call_that_was_stopped_is_continued_by_the_next(project: Path) -> None:
    good = (project / "judge.py").read_text()
    # The source is part of the identity: what fails must not be written in it.
    (project / "judge.py").write_text(good + BREAKS)
    (project / "rankgate.toml").write_text(CONFIGURATION.replace(':judge"', ':fragile"'))
    (project / "broken").touch()
    first = _called("ask", "--depth", "3", "--yes")
    assert first.return_value == 3
    assert "passages have no label; run the command again to ask for them:" in first.output
    assert "× RuntimeError: out of order" in first.output
    made = len(_labels(project))
    assert made == 10
    assert "stopped after several failures in a row" in first.output
    (project / "broken").unlink()
    second = _called("ask", "--depth", "3", "--yes")
    assert second.return_value == 0
    assert f"{made} graded before by the same prompt and judge: not asked again" in second.output
    assert len(_labels(project)) == 2 * TOPICS


BREAKS = """
import os
from pathlib import Path
def fragile(query, passage, prompt):
    answer = judge(query, passage, prompt)
    if os.path.exists("broken") and len(Path("calls").read_text().splitlines()) > 10:
        raise RuntimeError("out of order")
    return answer
"""


def test_a_log_of_a_person_is_not_written_to_by_a_model(project: Path) -> None:
    LabelLog("search.yaml", "reader").append(Label("reader", "about-1", "about 1", at="t1.md:3-5", grade=1))
    called = _called("ask", "--yes")
    assert isinstance(called.exception, InputError)
    assert "labels of a person" in str(called.exception)
    assert _calls(project) == 0


def test_zeros_of_a_model_are_judgments_where_the_suite_names_models(graded: Path) -> None:
    zeros = sum(label.grade == 0 for label in _labels(graded))
    assert zeros > 0
    text = (graded / "search.yaml").read_text()

    def counted(sources: str) -> tuple[int, str]:
        (graded / "search.yaml").write_text(f"gating_sources: {sources}\n{text}")
        suite = load_suite("search.yaml")
        truth = resolve(suite, open_corpus(suite, graded))
        return truth.judgments.targets.filter(pl.col("grade") <= 0).height, "\n".join(truth.notes)

    assert counted("[model]")[0] == zeros
    assert counted("[person, model]")[0] == zeros
    assert "of a model, which gating_sources does not name: not counted" in counted("[person]")[1]
    one = next(label for label in _labels(graded) if label.grade == 0)
    LabelLog("search.yaml", "ada").append(replace(one, judge="ada", source="person", prompt=None, grade=1.0))
    count, notes = counted("[person, model]")
    assert count == zeros - 1
    assert "1 label of the model judge reader on passages that people graded: not counted" in notes
