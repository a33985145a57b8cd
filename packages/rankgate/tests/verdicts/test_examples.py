"""The worked examples: the reference and rankgate decide them as they state."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from verdicts import reference
from verdicts.examples import EXAMPLES, Example, facts_of
from verdicts.observed import by_command, by_python, differences, run_command
from verdicts.project import SUITE, write_project

TITLES = [example.title for example in EXAMPLES]


@pytest.mark.parametrize("example", EXAMPLES, ids=TITLES)
def test_reference_decides_example(example: Example) -> None:
    outcome = example.state.expected()
    facts = facts_of(outcome, example.state.suite)
    verdict = f"{outcome.exit_code} {outcome.headline}"
    assert re.match(re.escape(example.verdict) + r"(\W| of |$)", verdict), verdict
    assert {name: facts.get(name) for name in example.facts} == dict(example.facts)


@pytest.mark.parametrize("example", EXAMPLES, ids=TITLES)
def test_rankgate_decides_example(example: Example, tmp_path: Path) -> None:
    observed = by_python(tmp_path, example.state)
    assert differences(example.state.expected(), observed) == []


@pytest.mark.parametrize(
    "example", [example for example in EXAMPLES if "printed" in example.facts], ids=lambda one: one.title
)
def test_green_test_lists_regressed_queries(
    example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("RANKGATE_DETAILS", raising=False)
    output = by_command(tmp_path, example.state).output
    shown = example.facts["printed"].removesuffix(" more").split()
    names = [name for name in shown if name.startswith("q")]
    more = [f"{count} more" for count in shown[len(names) :]]
    printed = re.findall(r"^ +(q\d+) |(\d+ more)", output, re.MULTILINE)
    assert [name or count for name, count in printed] == [*names, *more], output


@pytest.mark.parametrize(
    "example", [example for example in EXAMPLES if "written" in example.facts], ids=lambda one: one.title
)
def test_baseline_set_adds_gate(example: Example, tmp_path: Path) -> None:
    suite = write_project(tmp_path, example.state)
    (tmp_path / "baselines").mkdir(exist_ok=True)
    (tmp_path / "baselines" / "search.app.jsonl").unlink(missing_ok=True)
    run_command(tmp_path, "baseline", "set", SUITE, "--system", "app")
    assert example.facts["written"] in suite.read_text(encoding="utf-8")
    run_command(tmp_path, "baseline", "set", SUITE, "--system", "app")
    assert suite.read_text(encoding="utf-8").count("drop(") == 1


def test_reference_imports_nothing_of_rankgate() -> None:
    tree = ast.parse(Path(reference.__file__).read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    assert "rankgate" not in ast.dump(ast.Module(list(imports), []))
