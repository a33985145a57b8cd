"""The combinations of the axes of a sweep, as a search goes through them: far too many to list."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod
from typing import TYPE_CHECKING

from rankgate.errors import Code, InputError
from rankgate.sweeps.variants import Variants, combined, is_excluded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.evaluation.configuration import Configuration
    from rankgate.sweeps.searching.search import Point
    from rankgate.sweeps.sweep_file import Axis, Sweep
    from rankgate.sweeps.variants import Variant


@dataclass(frozen=True)
class SearchSpace:
    """All combinations of the axes of a sweep."""

    sweep: Sweep
    """What the file says."""
    configuration: Configuration
    """What systems are made of."""

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values each axis has."""
        return tuple(len(axis.values) for axis in self.sweep.axes)

    @property
    def size(self) -> int:
        """How many combinations there are, also those that `exclude` leaves out."""
        return prod(self.sizes)

    @cached_property
    def ordered(self) -> tuple[bool, ...]:
        """For each axis: whether its values are numbers in their order, of which the next is alike."""
        return tuple(_is_ordered(axis) for axis in self.sweep.axes)

    def points(self) -> Iterator[Point]:
        """Go through all combinations that are not left out."""
        return (point for point in product(*map(range, self.sizes)) if self.allows(point))

    def allows(self, point: Point) -> bool:
        """Check that `exclude` does not leave a combination out."""
        return not is_excluded(self.sweep, self._labels(point))

    def variant(self, point: Point) -> Variant:
        """Return the variant of a combination."""
        values = tuple(axis.values[at] for axis, at in zip(self.sweep.axes, point, strict=True))
        return combined(self.sweep, self.configuration, values)

    def named(self, name: str) -> Point | None:
        """Find the combination of a name, such as ``title=1, coverage=0.5``; None where it is none."""
        return next(self._read(name, 0), None) if self.sweep.axes else None

    def _labels(self, point: Point) -> dict[str, str]:
        return {axis.name: axis.values[at].label for axis, at in zip(self.sweep.axes, point, strict=True)}

    def _read(self, rest: str, number: int) -> Iterator[Point]:
        """Go through the ways to read a name from one of the axes on; labels may hold commas."""
        axis, last = self.sweep.axes[number], number + 1 == len(self.sweep.axes)
        for at, value in enumerate(axis.values):
            said = f"{axis.name.rpartition('.')[2]}={value.label}"
            if last and rest == said:
                yield (at,)
            elif not last and rest.startswith(f"{said}, "):
                yield from ((at, *more) for more in self._read(rest[len(said) + 2 :], number + 1))


def search_space(sweep: Sweep, configuration: Configuration) -> SearchSpace:
    """Return what is searched.

    Raises:
        InputError: for a sweep without axes, and for one without a held-out part, which claims need.
    """
    problems = []
    if not sweep.axes:
        problems.append(
            Code.WRONG_SWEEP(
                f"{sweep.path}", "no axes", "axes to search over", "add [axes], or leave out --search"
            )
        )
    if not sweep.held_out:
        fix = "add held_out = 0.3: the winner of a search is judged by queries that it was not chosen by"
        problems.append(Code.WRONG_SWEEP(f"{sweep.path}: held_out", "none", "a share of the queries", fix))
    if problems:
        raise InputError(problems)
    return SearchSpace(sweep, configuration)


def with_baseline(sweep: Sweep, variants: Variants, space: SearchSpace) -> Variants:
    """Return the variants that have a name, and the combination that is in use, where it is one."""
    if any(one.name == sweep.baseline for one in variants.every):
        return variants
    point = space.named(sweep.baseline) if sweep.baseline else next(space.points(), None)
    return variants if point is None else Variants((space.variant(point), *variants.every))


def _is_ordered(axis: Axis) -> bool:
    values = [value.settings.get(axis.name) for value in axis.values]
    numbers = [one for one in values if isinstance(one, (int, float)) and not isinstance(one, bool)]
    return len(numbers) == len(values) and numbers in (sorted(numbers), sorted(numbers, reverse=True))
