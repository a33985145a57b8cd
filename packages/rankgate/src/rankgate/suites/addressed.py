"""Reading a suite at an address of an object store: from its copy, and known by its address."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, overload

from rankgate.files.stores.suite_copies import named_by_address, read_copy
from rankgate.model.suite import LazyCases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from rankgate.model.suite import Case, Suite


def read_addressed(path: str | Path, read: Callable[[Path], Suite]) -> Suite:
    """Read the suite at an address, or in the file that is its copy; an address is fetched every time.

    Raises:
        InputError: where it cannot be fetched; what is wrong with it is told with its address.
    """
    copy = read_copy(path)
    with named_by_address():
        suite = read(copy.file)
    named = _Named(str(copy.file), str(copy.address))
    return replace(
        suite,
        path=str(copy.address),
        cases=_NamedCases(suite.cases, named)
        if isinstance(suite.cases, LazyCases)
        else tuple(map(named.case, suite.cases)),
        gates=tuple(replace(gate, where=named(gate.where)) for gate in suite.gates),
        scenarios=tuple(
            replace(
                one,
                where=named(one.where),
                steps=tuple(replace(step, where=named(step.where)) for step in one.steps),
            )
            for one in suite.scenarios
        ),
        invariants=tuple(replace(one, where=named(one.where)) for one in suite.invariants),
    )


@dataclass(frozen=True, slots=True)
class _Named:
    """Puts an address in the place of the file that is its copy."""

    file: str
    address: str

    def __call__(self, where: str) -> str:
        return where.replace(self.file, self.address)

    def case(self, case: Case) -> Case:
        """Name where a case was written."""
        return replace(case, where=self(case.where))


class _NamedCases(LazyCases):
    """Cases that are read as they are needed, with the address in the place of their file."""

    def __init__(self, cases: Sequence[Case], named: _Named) -> None:
        self._cases = cases
        self._named = named

    def __len__(self) -> int:
        return len(self._cases)

    @overload
    def __getitem__(self, index: int) -> Case: ...

    @overload
    def __getitem__(self, index: slice) -> _NamedCases: ...

    def __getitem__(self, index: int | slice) -> Case | _NamedCases:
        if isinstance(index, slice):
            return _NamedCases(self._cases[index], self._named)
        return self._named.case(self._cases[index])

    def __iter__(self) -> Iterator[Case]:
        return map(self._named.case, self._cases)
