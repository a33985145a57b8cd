"""The texts that every layout of a sweep shows: the heads and cells of its tables, and its sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.reports.sweep.report import SweepReport, SweepRow

_COMPARED = ("difference", "95 % interval", "p (Holm)", "improved", "regressed", "unchanged")


def heads(report: SweepReport) -> tuple[str, ...]:
    """Return the heads of the table of variants: name, figures, words."""
    return ("variant", *report.metrics, *_COMPARED, *report.measures, "")


def cells(row: SweepRow) -> tuple[str, ...]:
    """Return the cells of a variant, in the order of `heads`."""
    counts = ("", "", "") if row.baseline else tuple(map(str, (row.wins, row.losses, row.ties)))
    compared = (row.difference, row.interval, row.p, *counts)
    return (name_words(row), *row.means, *compared, *row.measures, row_words(row))


def name_words(row: SweepRow) -> str:
    """Return what a variant is called, and whether it is in use."""
    return f"{row.name} (baseline)" if row.baseline else row.name


def row_words(row: SweepRow) -> str:
    """Return what is said of a variant: that it is the same as another, or what its difference allows."""
    errors = f"{row.errors:,} errors" if row.errors else ""
    found = f"significantly {row.finding}" if row.finding in ("better", "worse") else row.finding
    return "; ".join(filter(None, (row.same_as or found, errors)))


def asked_words(report: SweepReport) -> str:
    """Return in words what every variant was asked, over which corpus, and how deep."""
    return "all rows: " + ", ".join(f"{name} {value}" for name, value in report.provenance)


def held_out_lines(report: SweepReport) -> Iterator[str]:
    """Say what the winner does on the queries that were held out; nothing where none were."""
    found = report.held_out
    if found is None:
        return
    yield f"Held out: {found.winner} is {found.seen}, and {found.measured}; {found.shrinkage}."
    yield found.detectable
    if found.exploratory:
        yield f"This is look {found.uses} at the held-out queries: exploratory."
