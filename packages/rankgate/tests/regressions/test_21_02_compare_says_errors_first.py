"""`compare` hid errors: 14 queries that ended in an error were a large difference, without a word of them."""

from __future__ import annotations

import json
from contextlib import chdir
from typing import TYPE_CHECKING, Any

import pytest

from support.commands import rankgate

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

NAMES = [f"topic{number:02}" for number in range(20)]
ERRORED = NAMES[:5]
APP = """
NAMES = [f"topic{number:02}" for number in range(20)]

def steady(query, k):
    return [query + ".md", *(name + ".md" for name in NAMES if name != query)][:k]

def broken(query, k):
    number = NAMES.index(query)
    if number < 5:
        raise RuntimeError("connection refused")
    found = steady(query, k)
    return found if number > 5 else found[1:2] + found[:1] + found[2:]
"""


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    """A project whose second system fails on five of twenty queries and loses one rank of another."""
    (tmp_path / "docs").mkdir()
    for name in NAMES:
        (tmp_path / "docs" / f"{name}.md").write_text(f"# {name}\n")
    cases = "".join(f"  - {{query: {name}, at: {name}.md}}\n" for name in NAMES)
    (tmp_path / "search.yaml").write_text(f"corpus: docs/\nmetrics: [rr@10]\ncases:\n{cases}")
    (tmp_path / "app.py").write_text(APP)
    systems = "".join(
        f'[systems.{name}]\nkind = "function"\ntarget = "app:{name}"\n' for name in ("steady", "broken")
    )
    (tmp_path / "rankgate.toml").write_text(f'suites = ["search.yaml"]\n{systems}')
    with chdir(tmp_path):
        rankgate("test", "--system", "steady")
        rankgate("test", "--system", "broken")
        yield tmp_path


def compared(*options: str) -> dict[str, Any]:
    found = json.loads(rankgate("compare", "steady", "broken", "--format", "json", *options).printed())
    (one,) = found["comparisons"]
    return dict(one)


@pytest.mark.usefixtures("project")
@pytest.mark.parametrize("style", ["terminal", "markdown"])
def test_errors_are_said_before_any_figure_and_both_figures_stand(style: str) -> None:
    said = rankgate("compare", "steady", "broken", "--format", style).printed()
    flat = " ".join(said.replace("\\", "").split())
    errors = flat.index("5 of 20 queries ended in an error in broken, counted as 0")
    assert "connection refused" in flat[errors : errors + 200]
    # Five queries fall from 1 to 0 and one from 1 to 1/2: -5.5/20 of all, -0.5/15 of those answered.
    both = [flat.index(text) for text in ("−0.2750", "−0.0333")]
    assert errors < min(both)


@pytest.mark.usefixtures("project")
def test_the_first_sentence_names_the_errors_as_the_main_cause() -> None:
    assert compared()["headline"] == (
        "broken is worse than steady (significant), rr@10 1.0000 → 0.7250 (−0.2750); main cause: "
        "5 queries changed by an error (−0.2500); without errors −0.0333, too few changed queries (1, need 6)"
    )


@pytest.mark.usefixtures("project")
def test_no_errored_query_is_an_example() -> None:
    one = compared()
    assert [moved["case"] for moved in one["moved"]] == ["topic05"]
    assert one["unmoved"] == ""


@pytest.mark.usefixtures("project")
def test_the_figures_without_errors_are_those_of_the_queries_that_both_answered() -> None:
    errors = compared()["errors"]
    assert (errors["before"], errors["after"]) == (0, 5)
    (row,) = errors["rows"]
    assert row["numbers"]["difference"] == pytest.approx(-0.5 / 15)
    assert (row["worse"], row["better"], row["same"]) == (1, 0, 14)
