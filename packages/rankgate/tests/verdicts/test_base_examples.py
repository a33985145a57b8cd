"""Worked examples of verdicts with ``--base``: a base commit and a change, in a real repository.

The notation is that of `examples.py`; `base` is the state of the base commit. In it, `a!` is a target whose
document the change removed. Facts are stated by example, because the reference has no documents.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from verdicts.examples import CHECKS, EMPTY, HEAVY, LAST, state_of
from verdicts.observed import Observed, by_command_in
from verdicts.project import GONE, SUITE, State, document_text, write_project

YARDSTICK = {"settings": {"yardstick": "base"}}
WORSE: dict[str, Any] = {"now": "0 9 0 1", "was": "0 9 . 1", "cases": {"q3": None}}
FIRST = {"q2": "x1"}
LESS = {"q2": None}
SLICE = {"q2": {"targets": "a!", "tags": ("x",)}}


@dataclass(frozen=True)
class BaseExample:
    title: str
    exit_code: int
    facts: Mapping[str, str]
    """By the name of a case or a gate: what is expected. `changes`: what the list has, in this order."""
    head: Mapping[str, Any]
    base: Mapping[str, Any] | None


EXAMPLES: list[BaseExample] = []


def example(
    title: str, exit_code: int, facts: str = "", *, base: Mapping[str, Any] | None, **head: Any
) -> None:
    found = dict(fact.split(": ", 1) for fact in facts.split(" | ") if fact)
    EXAMPLES.append(BaseExample(title, exit_code, found, head, base))


example("the base has no configuration", 0, "changes: ", base=None, now="1", was="1")
example(
    "3 broken: 2 renewed, 1 removed",
    0,
    "changes: 1 case removed: q3; baseline renewed: 2 changed, 1 removed of 4 queries; "
    "2 queries regressed against main: q1: rank 1 → not found, q2: rank 1 → 9",
    **WORSE,
    base={"was": "1*4"},
)
example(
    "the first result is the new target",
    0,
    "changes: 1 case changed: q2: at; 1 query regressed against main: q2: rank 1 → not found",
    now="1 0",
    was="1 1",
    cases=FIRST,
    base={"was": "1 1"},
)
example(
    "gates in another order",
    0,
    "changes: 1 case changed: q1: weight",
    now="1",
    gates="rr>=1; zero=0",
    cases=HEAVY,
    base={"gates": "zero = 0; rr >= 1"},
)
example(
    "base: 3 broken, 2 renewed, 1 removed",
    1,
    "q1: failed regressed | q2: passed regressed | q3: failed regressed",
    **WORSE,
    base=YARDSTICK | {"was": "1*4"},
)
example(
    "base: what comes first becomes the target",
    1,
    "q2: failed regressed",
    now="1 0",
    was="1 0",
    cases=FIRST,
    base=YARDSTICK | {"was": "1 1"},
)
example(
    "base: page and case go",
    0,
    "changes: 1 case removed: q2; baseline removed; 1 case removed with the document: q2 (gone-a.md)",
    now="1 0",
    cases=LESS,
    base=YARDSTICK | {"was": "1 1", "cases": LAST},
)
example(
    "base: the only case of a slice goes",
    0,
    "rr >= 1 where tag = x: not enforced",
    now="1 0",
    cases=LESS,
    base=YARDSTICK | {"was": "1 1", "cases": SLICE, "gates": "rr >= 1 where tag = x"},
)
example(
    "base: a page goes, its case stays",
    2,
    "q2: failed",
    now="1 0",
    was="1",
    cases=LAST,
    base=YARDSTICK | {"was": "1 1", "cases": LAST},
)
for now, code, fact in [
    ("1 b", 0, "passed 0 of 2"),
    ("1 x+b", 0, "passed 0.25 of 2"),
    ("3 b", 1, "failed 0.3333 of 2 q1"),
]:
    example(
        f"base: heading a of q2 is renamed b, ranks 1 a become {now}",
        code,
        f"drop(rr) <= 0.3: {fact}",
        now=now,
        cases={"q2": "b"},
        base=YARDSTICK | {"was": "1 a", "cases": LAST, "gates": "drop(rr) <= 0.3"},
    )
example(
    "base: 2 headings are renamed",
    0,
    "drop(r@10) <= 0.1: passed 0 of 1",
    now="c",
    cases={"q1": "c d"},
    base=YARDSTICK | {"was": "a", "cases": {"q1": "a! b!"}, "gates": "drop(r@10) <= 0.1"},
)
example(
    "base: 1 heading becomes 2, of which the result reaches 1",
    0,
    "drop(r@10) <= 0.1: passed 0 of 1",
    now="c",
    cases={"q1": "c d"},
    base=YARDSTICK | {"was": "a", "cases": {"q1": "a!"}, "gates": "drop(r@10) <= 0.1"},
)
example(
    "base: a new check fails",
    1,
    "checks >= 50%: passed 1 of 1 | q2: failed new",
    now="1 0",
    was="1",
    cases=CHECKS,
    base=YARDSTICK | {"was": "1", "gates": "checks >= 50%", "cases": CHECKS, "n": 1},
)
example(
    "base: its gate is invalid, and the change corrects it",
    0,
    "changes: ",
    now="1",
    gates="rr >= 0.5",
    base=YARDSTICK | {"gates": "rr >= 50", "was": "1"},
)
example(
    "base: a removed case expects nothing, and still does",
    1,
    "q2: failed",
    now="1 0",
    cases=LESS,
    base=YARDSTICK | {"was": "1 1", "cases": {"q2": EMPTY}},
)


def commit(folder: Path, *arguments: str) -> None:
    name = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
    subprocess.run(["git", *name, *arguments], cwd=folder, check=True, capture_output=True)


def write_both(folder: Path, example: BaseExample) -> State:
    """Write the base, commit it, and write the change; return its state."""
    folder.mkdir(exist_ok=True)
    keys = {name: value for name, value in (example.base or {}).items() if name in ("gates", "settings")}
    head = state_of(**(keys | dict(example.head)))
    (folder / "README").write_text("")
    if example.base is not None:
        base = replace(state_of(now=example.head["now"], **example.base), settings=_settings(example.base))
        missing = {t.id for case in base.suite.cases for t in case.targets if t.missing}
        queries = {case.query for case in base.suite.cases if any(t.missing for t in case.targets)}
        if base.baseline is not None:
            entries = tuple(
                replace(
                    one,
                    hits=tuple(GONE * (hit in missing and one.query in queries) + hit for hit in one.hits),
                )
                for one in base.baseline.entries
            )
            base = replace(base, baseline=replace(base.baseline, entries=entries))
        corpus = bool(missing) or head.has_corpus
        write_project(folder, base, corpus=corpus)
        for name in missing:
            (folder / "docs" / f"{GONE}{name}.md").write_text(document_text(f"{GONE}{name}"))
    else:
        corpus = False
    commit(folder, "init", "-q")
    commit(folder, "add", "-f", ".")
    commit(folder, "commit", "-q", "-m", "base")
    commit(folder, "checkout", "-q", "-b", "change")
    write_project(folder, replace(head, settings=_settings(keys)), corpus=corpus)
    return head


def _settings(keys: Mapping[str, Any]) -> Any:
    from verdicts.reference import Settings

    return replace(Settings(), **keys.get("settings", {}))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.title)
def test_rankgate_decides_example_with_base(example: BaseExample, tmp_path: Path) -> None:
    write_both(tmp_path / "project", example)
    observed = by_command_in(tmp_path / "project", "--system", "app", "--base", "main")
    assert observed.exit_code == example.exit_code, observed.output
    facts = _facts(observed)
    assert {name: facts.get(name) for name in example.facts} == dict(example.facts), observed.output


def _facts(observed: Observed) -> dict[str, str]:
    assert observed.report is not None, observed.output
    facts = observed.cases()
    for gate in observed.gates():
        value = [f"{gate.value + 0:.4g} of {gate.n}"] * bool(gate.n)
        facts[gate.gate] = " ".join([gate.verdict, *value, *gate.queries])
    changes = [
        ": ".join(filter(None, (one["change"], ", ".join(one["details"]))))
        for one in observed.report["changes"]
    ]
    return facts | {"changes": "; ".join(changes)}


@pytest.mark.parametrize("gone", [False, True])
def test_removed_suite_is_tested_as_it_was(gone: bool, tmp_path: Path) -> None:
    folder = tmp_path / "project"
    write_both(folder, BaseExample("", 0, {}, {"now": "1 0"}, YARDSTICK | {"was": "1 1"}))
    (folder / SUITE).unlink()
    (folder / "rankgate.toml").write_text("" if gone else (folder / "rankgate.toml").read_text())
    observed = by_command_in(folder, "--base", "main")
    # Without its system, it can't be tested.
    assert observed.exit_code == (2 if gone else 1), observed.output
    if not gone:
        assert "suite removed: search.yaml, 2 cases" in observed.output
        assert json.loads((folder / "report.json").read_text())["cases"][1]["change"] == "regressed"
    shutil.rmtree(folder)
