"""A search over combinations by Optuna: which is tried next, from how well the others did.

Every choice follows from the seed and from what was measured before, so that a search that was stopped is
replayed: what was asked is measured again from its answers, and the next choice is what it would have been.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Point: TypeAlias = tuple[int, ...]
"""A combination: the number of a value of each axis."""
_STARTUP = 10
"""How many combinations are drawn by chance before the others follow from them."""


class Searched(Protocol):
    """What is searched."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """How many values each axis has."""
        ...

    @property
    def ordered(self) -> tuple[bool, ...]:
        """For each axis: whether its values are numbers."""
        ...

    def allows(self, point: Point) -> bool:
        """Check that a combination may be tried."""
        ...

    def points(self) -> Iterator[Point]:
        """Go through all combinations that may be tried."""
        ...


@dataclass(frozen=True, slots=True)
class TrialValue:
    """How well a combination did."""

    value: float | None
    """The metric that decides; None where it could not be asked."""
    pruned: bool = False
    """True where it was stopped after some of the queries, of which the value is."""


Measure: TypeAlias = "Callable[[Point], TrialValue]"
"""Measures a combination."""


def search(
    space: Searched,
    measure: Measure,
    trials: int,
    seed: int,
    *,
    less: bool = False,
    first: Sequence[Point] = (),
) -> dict[Point, TrialValue]:
    """Try so many distinct combinations, and return how well each did, in the order in which they were tried.

    Where there are no more combinations than trials, each is tried. Otherwise Optuna's TPE proposes them,
    numbers by their order; where it proposes what was tried, a neighbour of the best is tried.

    Args:
        space: What is searched.
        measure: Measures a combination.
        trials: How many are tried.
        seed: What chance is drawn with.
        less: Whether less is better.
        first: Combinations that are tried before all others.

    Raises:
        InputError: where Optuna is not installed.
    """
    few = _few(space, trials)
    if few is not None:
        return {point: measure(point) for point in dict.fromkeys([*first, *few])}
    found: dict[Point, TrialValue] = {}
    proposals = _Proposals(space, seed, less=less)
    for point in dict.fromkeys(first):
        found[point] = measure(point)
        proposals.learn(point, found[point])
    while len(found) < trials:
        following = proposals.next(found)
        if following is None:
            break
        found[following] = measure(following)
        proposals.learn(following, found[following])
    return found


def _few(space: Searched, trials: int) -> list[Point] | None:
    """Return all combinations, where they are no more than the trials."""
    every: list[Point] = []
    for point in space.points():
        every.append(point)
        if len(every) > trials:
            return None
    return every


class _Proposals:
    """What Optuna proposes, and what is tried where that was tried before."""

    def __init__(self, space: Searched, seed: int, *, less: bool) -> None:
        self._optuna = _optuna()
        self._space, self._less, self._chance = space, less, random.Random(seed)  # noqa: S311 - no secret
        kinds = self._optuna.distributions
        self._distributions: dict[str, Any] = {
            str(axis): kinds.IntDistribution(0, size - 1)
            if ordered
            else kinds.CategoricalDistribution(tuple(range(size)))
            for axis, (size, ordered) in enumerate(zip(space.sizes, space.ordered, strict=True))
        }
        self._study = self._optuna.create_study(
            direction="minimize" if less else "maximize",
            sampler=self._optuna.samplers.TPESampler(seed=seed, n_startup_trials=_STARTUP),
        )

    def next(self, found: dict[Point, TrialValue]) -> Point | None:
        """Return a combination that was not tried; None where nothing is left near what was."""
        trial = self._study.ask(self._distributions)
        point = tuple(int(trial.params[str(axis)]) for axis in range(len(self._space.sizes)))
        # Only what `learn` adds counts: one that was tried, or may not be, is told to have failed.
        self._study.tell(trial, state=self._optuna.trial.TrialState.FAIL)
        if point not in found and self._space.allows(point):
            return point
        return self._neighbour(found)

    def learn(self, point: Point, measured: TrialValue) -> None:
        """Take in how well a combination did."""
        if measured.value is None:
            return
        states = self._optuna.trial.TrialState
        self._study.add_trial(
            self._optuna.trial.create_trial(
                state=states.PRUNED if measured.pruned else states.COMPLETE,
                params={str(axis): at for axis, at in enumerate(point)},
                distributions=self._distributions,
                value=None if measured.pruned else measured.value,
                intermediate_values={0: measured.value} if measured.pruned else {},
            )
        )

    def _neighbour(self, found: dict[Point, TrialValue]) -> Point | None:
        """Draw a combination that differs in one axis from the best that has such a one left."""
        sign = 1 if self._less else -1
        known = sorted((sign * one.value, point) for point, one in found.items() if one.value is not None)
        for _, best in known:
            near = [
                (*best[:axis], at, *best[axis + 1 :])
                for axis, size in enumerate(self._space.sizes)
                for at in range(size)
            ]
            left = [point for point in near if point not in found and self._space.allows(point)]
            if left:
                return self._chance.choice(left)
        return next((point for point in self._space.points() if point not in found), None)


def _optuna() -> Any:
    try:
        import optuna
    except ModuleNotFoundError as error:
        said, fix = "--search needs an extra", "pip install 'rankgate[search]'"
        raise InputError(
            Code.MISSING_EXTRA("--search", "no optuna", "it to be installed", fix, said)
        ) from error
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    return optuna
