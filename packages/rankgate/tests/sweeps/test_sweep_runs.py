"""A sweep asks each variant once for what it is, says what is the same, and never claims by raw p."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from support.commands import rankgate
from support.sweep_projects import APP, SWEEP, asked, inside_project, rows, swept, write_suite

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

MORE = ("topic03", "topic07", "topic11")


@pytest.fixture
def project(tmp_path: Path) -> Iterator[Path]:
    with inside_project(tmp_path) as folder:
        yield folder


def test_the_better_variant_is_first_and_claimed_by_holm(project: Path) -> None:
    found = swept()
    best = found["rows"][0]
    compared = best["compared"]
    assert best["name"] == "first"
    assert compared["finding"] == "better"
    # By hand: the right page is first instead of second for all 20 queries.
    assert best["means"] == [1.0]
    assert compared["difference"] == pytest.approx(0.5)
    assert (compared["wins"], compared["losses"], compared["ties"]) == (20, 0, 0)
    # Two distinct others: first, and the one whose last hit differs.
    assert found["family"] == 2
    assert compared["holm"] == pytest.approx(min(1.0, 2 * compared["p"]))
    text = rankgate("sweep").printed()
    assert "first is better than second in rr@10: +0.5" in text
    assert "Holm's rule for 2 variants" in text
    assert len(asked(project)) == 20 * 4


def test_a_second_run_asks_nothing_and_says_the_same(project: Path) -> None:
    before = swept()
    (project / "asked.txt").unlink()
    after = swept()
    assert asked(project) == []
    for found in (before, after):
        for row in found["rows"]:
            row.pop("index_seconds")
    assert before == after


def test_times_are_not_measured_on_several_machines(project: Path) -> None:
    assert asked(project) == []


def test_only_the_queries_of_the_named_categories_are_asked(project: Path) -> None:
    more = "".join(
        f"  - {{query: {name}, at: {name}.md, name: more-{name}, category: more}}\n" for name in MORE
    )
    write_suite(project, cases=more)
    (project / "sweep.toml").write_text('categories = ["more"]\n' + SWEEP)
    found = swept()
    assert found["notes"] == ["only queries of these categories were asked: more"]
    assert found["provenance"]["queries"] == "3"
    assert len(asked(project)) == len(MORE) * 4
    (project / "sweep.toml").write_text('categories = ["mroe"]\n' + SWEEP)
    assert "did you mean more" in rankgate("sweep").refused()


def test_what_is_the_same_is_said_to_be(project: Path) -> None:
    found = rows(swept())
    assert found["again"]["same_as"] == "same options as second"
    # Nobody knows what a function searches.
    assert found["also"]["same_as"] == "same answers as second"
    assert found["first"]["same_as"] == found["second"]["same_as"] == ""
    # The 10th hit alone is another one.
    assert found["tail"]["same_as"] == ""
    assert found["tail"]["compared"]["difference"] == 0.0


def test_only_does_not_make_the_family_smaller(project: Path) -> None:
    whole = rows(swept())
    some = swept("--only", "first")
    assert [row["name"] for row in some["rows"]] == ["first", "second"]
    assert (some["family"], some["hidden"]) == (2, 1)
    assert rows(some)["first"]["compared"]["holm"] == whole["first"]["compared"]["holm"]
    assert len(asked(project)) == 20 * 4


def test_a_changed_module_is_asked_again_beside_the_old_run(project: Path) -> None:
    swept("--only", "first")
    (project / "app.py").write_text(APP + "\n# changed\n")
    (project / "asked.txt").unlink()
    swept("--only", "first")
    assert sorted(set(asked(project))) == ["first", "second"]
    (folder,) = (project / ".rankgate" / "sweeps" / "sweep").iterdir()
    assert len(list((folder / "runs").iterdir())) == 4


def test_changed_documents_make_another_table(project: Path) -> None:
    swept()
    (project / "docs" / "topic00.md").write_text("# topic00\n\nMore.\n")
    (project / "asked.txt").unlink()
    found = swept("--only", "first")
    assert found["family"] == 1
    assert len(asked(project)) == 40


def test_a_variant_that_cannot_be_asked_is_told_and_the_others_are_compared(project: Path) -> None:
    text = SWEEP + '[variants.absent]\nset = { function = "app:nothing_of_that_name" }\n'
    (project / "sweep.toml").write_text(text)
    done = rankgate("sweep", "--format", "json")
    assert done.code == 2
    (found,) = json.loads(done.out)["sweeps"]
    assert len(found["rows"]) == 5
    assert any("absent was not asked" in note for note in found["notes"])


def test_errors_are_counted_in_their_row_and_told_once(project: Path) -> None:
    (project / "sweep.toml").write_text(SWEEP + '[variants.down]\nset = { function = "app:broken" }\n')
    report = swept()
    found = rows(report)
    (note,) = (note for note in report["notes"] if "error" in note)
    assert note.startswith("20 queries ended in an error in 1 variant, counted as 0: ")
    assert found["down"]["errors"] == 20
    assert found["down"]["means"] == [0.0]


def test_a_try_keeps_nothing_and_a_dry_run_asks_nothing(project: Path) -> None:
    said = rankgate("sweep", "--dry-run").printed()
    assert "5 variants of sweep.toml, in use: second" in said
    assert "20 queries, 100 questions at most" in said
    assert asked(project) == []
    said = rankgate("sweep", "--limit", "3").printed()
    assert "first: 3 queries in" in said
    assert "nothing was kept" in said
    assert len(asked(project)) == 15
    assert not (project / ".rankgate" / "sweeps").exists()


def test_parts_of_the_variants_together_are_the_whole(project: Path) -> None:
    whole_parts = [rankgate("sweep", "--shard", f"{part}/3", "--format", "json") for part in (1, 2, 3)]
    assert all(done.code == 0 for done in whole_parts)
    (project / "asked.txt").unlink()
    assert len(swept()["rows"]) == 5
    assert asked(project) == []


@pytest.mark.parametrize("style", ["terminal", "markdown"])
@pytest.mark.usefixtures("project")
def test_the_table_is_laid_out_for_people(style: str) -> None:
    said = rankgate("sweep", "--format", style).printed()
    assert "second (baseline)" in said
    assert "same options as second" in " ".join(said.split())


def test_the_test_of_a_variant_is_worked_out_once(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from rankgate.scoring import comparison
    from rankgate.scoring.paired.compare import compare_paired

    worked_out = []

    def counted(*args: Any, **named: Any) -> Any:
        worked_out.append(args)
        return compare_paired(*args, **named)

    monkeypatch.setattr(comparison, "compare_paired", counted)
    (project / "sweep.toml").write_text("held_out = 0.4\n" + SWEEP)
    swept()
    # Two distinct others in one metric, and the winner on what was held out.
    assert len(worked_out) == 3


@pytest.mark.parametrize("width", [80, 200])
def test_no_name_and_no_figure_is_cut_in_a_terminal_of_any_width(
    monkeypatch: pytest.MonkeyPatch, width: int
) -> None:
    from rankgate.reports.compare import ComparedMetric, Finding
    from rankgate.reports.sweep import SweepReport, SweepRow, render

    def row(number: int) -> SweepRow:
        compared = ComparedMetric(
            metric="ndcg@10",
            before=0.5,
            after=0.5 + number / 10,
            difference=number / 10 + 0.001,
            low=-0.111,
            high=0.222 + number / 10,
            p=0.04 + number / 1000,
            exact=True,
            wins=3,
            losses=2,
            ties=1,
            finding=Finding.NO_DIFFERENCE,
        )
        name = f"chunks=window-{number}0, title=3"
        return SweepRow(name=name, means=(0.01234 + number / 10,), compared=compared, latency=50.1 + number)

    report = SweepReport(
        sweep="sweep",
        suite="search",
        baseline="now",
        metrics=("ndcg@10",),
        units=("",),
        rows=tuple(map(row, range(5))),
        family=5,
        hidden=0,
    )
    monkeypatch.setenv("COLUMNS", str(width))
    said = render([report], "terminal")
    assert "…" not in said
    words = said.replace(",", " ").replace("(", " ").replace(")", " ").split()
    for number in range(5):
        figures = (f"0.{number}12", f"+0.{number}01", f"+0.{number + 2}22", f"0.04{number}", f"5{number}.1")
        for part in (f"chunks=window-{number}0", "title=3", "−0.111", *figures):
            assert part in words
    rows, _, _ = said.partition("p values")
    assert max(map(len, rows.splitlines())) <= width


def test_the_winner_is_measured_on_what_it_was_not_chosen_by(project: Path) -> None:
    (project / "sweep.toml").write_text("held_out = 0.4\nseed = 3\n" + SWEEP)
    found = swept()
    held = found["held_out"]
    assert held["winner"] == "first"
    counts = [sum(held[part][key] for key in ("wins", "losses", "ties")) for part in ("seen", "measured")]
    assert sum(counts) == 20
    assert min(counts) > 0
    assert held["uses"] == 1
    # The same figures again are the same look.
    assert swept()["held_out"]["uses"] == 1
    assert held["shrinkage"] == pytest.approx(0.0)
    (project / "app.py").write_text(APP + "\n# another winner\n")
    again = swept()
    assert again["held_out"]["uses"] == 2
    assert "This is look 2 at the held-out queries: exploratory." in rankgate("sweep").printed()


def test_a_case_that_is_added_moves_no_other_to_the_held_out_part(project: Path) -> None:
    from dataclasses import replace

    from rankgate.suites.formats import load_suite
    from rankgate.sweeps.held_out import split

    suite = load_suite(project / "search.yaml")
    fewer = replace(suite, cases=suite.cases[:-5])
    held = {case.id for case in split(suite, 0.4, 3).held_out.cases}
    assert {case.id for case in split(fewer, 0.4, 3).held_out.cases} == held & {one.id for one in fewer.cases}
    grouped = replace(suite, cases=tuple(replace(one, group=one.id[:6]) for one in suite.cases))
    parts = split(grouped, 0.4, 3)
    assert not {one.group for one in parts.seen.cases} & {one.group for one in parts.held_out.cases}
