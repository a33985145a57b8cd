"""`just tune`: the same budget for each system, the first of the best wins, and its row is set as it is."""

from __future__ import annotations

import doctest
from typing import TYPE_CHECKING

import pytest

import tuned_winners
from page_tables import read_tables, rows_of
from rankgate.evaluation.configuration import configuration_for
from rankgate.suites.asked_suite import asked_suite
from rankgate.suites.formats import load_suite
from rankgate.sweeps.flow import OpenedSweep
from rankgate.sweeps.sweep_file import read_sweep
from rankgate.sweeps.variants import Variant
from suite_halves import halves
from suite_results import PAGE, TUNED
from suite_systems import CONTENDERS, DEFAULTS
from tune import BUDGET, SERVER, SWEPT, winner_of
from tuned_winners import FOLDER, read_winners, write_winners

if TYPE_CHECKING:
    from pathlib import Path


def report(**means: float) -> dict[str, tuple[float | None, float | None]]:
    return {name: (mean, 0.5 + mean) for name, mean in means.items()}


def variants(*names: str) -> list[Variant]:
    return [Variant(name, table={"kind": "tantivy", "boost": at}) for at, name in enumerate(names)]


def test_the_highest_mean_over_suites_wins_and_the_first_of_equals() -> None:
    reports = {"code": report(a=0.25, b=0.5, c=0.125), "docs": report(a=0.25, b=0.25, c=0.625)}
    winner = winner_of(reports, variants("a", "b", "c"), {"kind": "tantivy", "boost": 0}, "a")
    assert (winner.variant, winner.options, winner.variants) == ("b", {"boost": 1}, 3)
    assert (winner.means, winner.default) == ({"code": 0.5, "docs": 0.25}, {"code": 0.25, "docs": 0.25})
    assert winner.judged == {"code": 0.625, "docs": 0.75}


def test_a_default_that_wins_sets_nothing() -> None:
    reports = {"code": report(a=0.25, b=0.5), "docs": report(a=0.25, b=0.25)}
    winner = winner_of(reports, variants("a", "b"), {"kind": "tantivy"}, "b")
    assert (winner.variant, winner.options) == ("b", {})


def test_a_variant_that_was_not_asked_ends_it() -> None:
    reports = {"code": report(a=0.25, b=0.5), "docs": report(a=0.25)}
    with pytest.raises(SystemExit, match="without a mean: b"):
        winner_of(reports, variants("a", "b"), {"kind": "tantivy"}, "a")


@pytest.mark.parametrize("name", SWEPT)
def test_every_system_has_the_same_budget_over_the_development_halves(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(SERVER, "http://localhost:1")
    opened = OpenedSweep.of(read_sweep(FOLDER / f"{name}.toml"))
    assert len(opened.variants.asked) == BUDGET
    assert len({one.made_of for one in opened.variants.asked}) == BUDGET
    assert {one.system for one in opened.variants.asked} == {name}
    assert [path.stem for path in opened.suites] == list(tuned_winners.SUITES)
    for path in opened.suites:
        suite = load_suite(path)
        which = halves(suite)
        assert {which[case.id] for case in asked_suite(suite).cases} == {"development"}


def test_what_was_chosen_is_measured_and_on_the_page() -> None:
    winners = read_winners()
    assert list(winners) == list(SWEPT)
    systems = configuration_for(FOLDER / "rankgate.toml").systems
    labels = {one.name: one.label for one in DEFAULTS}
    rows = {row["system"]: row for row in rows_of(read_tables(PAGE.read_text(encoding="utf-8"))[TUNED])}
    assert list(rows) == [labels[name] for name in winners]
    for name, winner in winners.items():
        assert winner.variants == BUDGET
        assert rows[labels[name]]["winner"] == (winner.variant if winner.options else "the default")
        found = [one for one in CONTENDERS if one.name == f"{name}-tuned"]
        assert len(found) == bool(winner.options)
        for one in found:
            assert one.kind == systems[name].target
            assert {**one.options, **winner.options} == one.options
            assert one.suites == ("code", "docs", "ratings")


def test_winners_are_read_as_they_were_written(tmp_path: Path) -> None:
    kept = read_winners()
    write_winners(kept, tmp_path / "winners.json")
    assert read_winners(tmp_path / "winners.json") == kept
    assert read_winners(tmp_path / "none.json") == {}


def test_the_examples_hold() -> None:
    assert doctest.testmod(tuned_winners).failed == 0
