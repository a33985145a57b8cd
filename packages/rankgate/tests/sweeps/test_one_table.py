"""A table never mixes corpora, suites, rules or depths: what changed is asked again, else it is refused."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

from support.commands import rankgate
from support.sweep_projects import NAMES, SWEEP, asked, inside_project, rows, swept, write_suite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SMALL = """
metrics = ["rr@5"]
baseline = "second"
[variants.first]
set = { function = "app:first" }
[variants.second]
set = { function = "app:second" }
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    with inside_project(tmp_path) as folder:
        yield folder


def other_corpus(project: Path) -> None:
    (project / "docs" / "topic00.md").write_text("# topic00\n\nMore.\n")


def other_question(project: Path) -> None:
    write_suite(project, cases="  - {query: topic00, id: again, at: topic01.md}\n")


def other_rules(project: Path) -> None:
    write_suite(project, head='map: [{from: "old/(.*)", to: "$1"}]\n')


def other_depth(project: Path) -> None:
    (project / "sweep.toml").write_text("k = 12\n" + SMALL)


CHANGES = {
    "corpus": (other_corpus, "the corpus was changed", 20),
    "questions": (other_question, "1 query was added", 21),
    "map rules": (other_rules, "the map of the suite was changed", 20),
    "k": (other_depth, "k was", 20),
}


@pytest.mark.parametrize("what", CHANGES)
def test_what_is_asked_otherwise_is_asked_again_and_what_was_moved_is_refused(
    project: Path, what: str
) -> None:
    change, said, queries = CHANGES[what]
    (project / "sweep.toml").write_text(SMALL)
    swept()
    assert sorted(asked(project)) == ["first"] * 20 + ["second"] * 20
    (folder,) = (project / ".rankgate" / "sweeps" / "sweep").iterdir()
    before = {run_of(folder, one.name): one for one in (folder / "runs").iterdir()}
    (project / "asked.txt").unlink()
    change(project)
    # One variant is named, and the baseline beside it is asked again as well: no row is of before.
    found = swept("--only", "first")
    assert sorted(asked(project)) == ["first"] * queries + ["second"] * queries
    assert found["family"] == 1
    asked_of = found["provenance"]
    assert (asked_of["queries"], asked_of["k"]) == (str(queries), "12" if what == "k" else "5")
    now = {run_of(folder, one.name): one for one in (folder / "runs").iterdir() if one not in before.values()}
    # The answers of before stand where those of today should be.
    shutil.rmtree(now["first"])
    shutil.copytree(before["first"], now["first"])
    done = rankgate("sweep", "--format", "json")
    assert done.code == 2
    assert said in done.out + done.err
    shown = json.loads(done.out)["sweeps"] if done.out else []
    assert all("first" not in rows(found) for found in shown)


def run_of(folder: Path, name: str) -> str:
    """Return which variant a run is of."""
    return str(json.loads((folder / "variants.json").read_bytes())[name][0])


def test_another_rule_of_matching_is_that_of_every_row(project: Path) -> None:
    cases = "".join(f"  - {{query: {name}, at: '{name}.md:1'}}\n" for name in NAMES)
    (project / "sweep.toml").write_text(SMALL)
    (project / "search.yaml").write_text(f"corpus: docs/\nmetrics: [rr@10]\ncases:\n{cases}")
    before = rows(swept())
    (project / "asked.txt").unlink()
    (project / "search.yaml").write_text(f"corpus: docs/\nmatch: path\nmetrics: [rr@10]\ncases:\n{cases}")
    after = rows(swept())
    assert asked(project) == []
    # A file without lines reaches no line of it, unless files are what is matched.
    assert [before[name]["means"] for name in ("first", "second")] == [[0.0], [0.0]]
    assert [after[name]["means"] for name in ("first", "second")] == [[1.0], [0.5]]


def test_other_judgments_are_those_of_every_row(project: Path) -> None:
    (project / "sweep.toml").write_text(SMALL)
    before = rows(swept())
    (project / "asked.txt").unlink()
    # What is right for a query is now the page that `first` has at rank 2.
    cases = "".join(
        f"  - {{query: {name}, at: {'topic01' if name == 'topic00' else 'topic00'}.md}}\n" for name in NAMES
    )
    (project / "search.yaml").write_text(f"corpus: docs/\nmetrics: [rr@10]\ncases:\n{cases}")
    after = rows(swept())
    assert asked(project) == []
    # By hand: rank 1 before and rank 2 now for `first`; rank 2 before and rank 1 now for `second`.
    assert [before[name]["means"] for name in ("first", "second")] == [[1.0], [0.5]]
    assert [after[name]["means"] for name in ("first", "second")] == [[0.5], [1.0]]


def test_a_run_that_was_made_before_is_no_variant(project: Path) -> None:
    (project / "run.txt").write_text("topic00 Q0 topic00.md 1 1.0 x\n")
    (project / "rankgate.toml").write_text(
        'suites = ["search.yaml"]\n[systems.app]\nfunction = "app:second"\n[systems.old]\nrun = "run.txt"\n'
    )
    (project / "sweep.toml").write_text('system = "app"\n' + SWEEP + '[variants.old]\nsystem = "old"\n')
    done = rankgate("sweep", "--format", "json")
    assert done.code == 2
    assert "old was not asked: " in done.out
    assert "a run that was made before, expected a system that can be asked" in done.out
