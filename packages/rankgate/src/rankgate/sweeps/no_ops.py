"""Variants that are no variants: the same system twice, or two that cannot be told apart by their answers."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from rankgate.model.fingerprints import fingerprint
from rankgate.runs.store.hits import answer_digests

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rankgate.runs.store.tables import Run
    from rankgate.sweeps.asking import AskedVariant


class SameAs(StrEnum):
    """In which way a variant is the same as another."""

    OPTIONS = "same options"
    """Its options, and all that they name, are those of the other: one system under two names."""
    INDEX = "same index and answers"
    """It searches the same index with other options, and every answer is the same."""
    ANSWERS = "same answers"
    """It searches another index, or one that is not known, and every answer is the same."""


@dataclass(frozen=True, slots=True)
class NoOp:
    """A variant that is the same as another."""

    variant: str
    other: str
    """The first that is the same."""
    how: SameAs
    """In which way."""

    def __str__(self) -> str:
        return f"{self.how} as {self.other}"


def no_ops(asked: Sequence[AskedVariant], first: str) -> dict[str, NoOp]:
    """Find the variants that are the same as another, by name.

    Args:
        asked: The variants with their answers.
        first: The variant that others are said to be the same as where it is one of them: the baseline.
    """
    ordered = sorted(asked, key=lambda one: one.variant.name != first)
    seen: list[tuple[AskedVariant, str]] = []
    found: dict[str, NoOp] = {}
    for one in ordered:
        answers = answers_fingerprint(one.run)
        other = next((before for before in seen if before[1] == answers), None)
        if other is None:
            seen.append((one, answers))
            continue
        name, same = one.variant.name, other[0]
        found[name] = NoOp(name, same.variant.name, _how(one, same))
    return found


def _how(one: AskedVariant, other: AskedVariant) -> SameAs:
    if one.run.folder == other.run.folder:
        return SameAs.OPTIONS
    index = _index(one)
    return SameAs.INDEX if index and index == _index(other) else SameAs.ANSWERS


def _index(one: AskedVariant) -> str | None:
    """Name what a variant searches; None where nobody knows, of which nothing is the same."""
    if one.index is not None:
        return one.index.name
    contents: Mapping[str, str] = one.identity.contents or {}
    return contents.get("prepare")


def answers_fingerprint(run: Run) -> str:
    """Name all answers of a run: two that are equal have the same hits in the same order for every query."""
    answers = answer_digests(run).sort("query")
    return fingerprint([answers["query"].to_list(), list(map(str, answers["answer"].to_list()))])
