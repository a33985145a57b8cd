"""What every query of a page scored, as numbers and for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from rankgate.gates.wording import figure
from rankgate.reports.model import ESTIMATED, NOTHING
from rankgate.reports.moves import signed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.scoring.scores import Scores


class Values(NamedTuple):
    """What every query scored, and how it ended."""

    numbers: dict[str, int]
    """Where each query stands in the lists."""
    values: list[tuple[float | None, ...]]
    """A value a metric."""
    shown: list[tuple[str, ...]]
    """The same for people."""
    ends: list[str]
    """How each query ended, as `Answer` says."""
    units: tuple[str, ...]
    """What the values count."""

    @classmethod
    def of(cls, scores: Scores) -> Values:
        """Take the values of scores."""
        columns, texts = [], []
        for metric in scores.metrics:
            column, marked = scores.columns[metric.label], scores.marked(metric.label).tolist()
            values = [
                value if known else None
                for value, known in zip(column.values.tolist(), column.defined.tolist(), strict=True)
            ]
            columns.append(values)
            texts.append(
                [
                    NOTHING if value is None else (ESTIMATED if mark else "") + figure(value, metric.unit)
                    for value, mark in zip(values, marked, strict=True)
                ]
            )
        names = scores.queries.to_list()
        return cls(
            {name: number for number, name in enumerate(names)},
            list(zip(*columns, strict=True)) or [()] * len(names),
            list(zip(*texts, strict=True)) or [()] * len(names),
            scores.status.to_list(),
            tuple(metric.unit for metric in scores.metrics),
        )


def differences(
    before: Sequence[float | None], after: Sequence[float | None], units: Sequence[str]
) -> tuple[str, ...]:
    """Write what each value is more or less than before.

    >>> differences([0.5, None], [0.25, 1.0], ["", ""])
    ('−0.2500', '–')
    """
    return tuple(
        signed(None if was is None or now is None else now - was, unit)
        for was, now, unit in zip(before, after, units, strict=False)
    )
