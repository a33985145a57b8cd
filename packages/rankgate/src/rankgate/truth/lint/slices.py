"""Gates over slices with too few cases to judge by.

`gates` stands above this layer and reads a gate in full; here only its slice is of interest.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

from rankgate.errors import did_you_mean
from rankgate.truth.lint.context import LintRemark, Severity, rule, slices

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.model.suite import Case
    from rankgate.truth.lint.context import LintContext

    Slice = tuple[str, str]
    """A key and a value, such as category and exact."""


_WORST = re.compile(r"\s*worst\s*\(\s*([^()=\s]+)\s*\)\s*(.*)", re.DOTALL)
_WHERE = re.compile(r"\swhere\s+([^\s=]+)\s*=\s*(\S.*?)\s*\Z", re.DOTALL)
_OTHER = ("errors", "checks", "latency")
_MOST_SHOWN = 8


@rule("thin-slice", Severity.WARNING, "a gate is over a slice with too few queries")
def thin_slice(context: LintContext) -> Iterator[LintRemark]:
    """Count, for every slice that a gate names or ranges over, the cases that the gate counts."""
    gates = [(gate, *scope(gate.text)) for gate in context.suite.gates]
    keys = {worst for _, worst, _ in gates} | {only[0] for *_, only in gates if only is not None}
    if not keys - {None}:
        return
    cases = [
        ({each for each in slices(case) if each[0] in keys}, _relevant(case), _counted(case, context))
        for case in context.cases
    ]
    known: dict[str, set[str]] = {}
    for key, value in {each for found, *_ in cases for each in found}:
        known.setdefault(key, set()).add(value)
    for gate, worst, only in gates:
        where = gate.where or f"gate {gate.text!r}"
        if wrong := _unknown(worst, only, known):
            yield LintRemark(*wrong, where=where, severity=Severity.ERROR)
        elif worst is not None or only is not None:
            within = [case for case in cases if only is None or only in case[0]]
            had = Counter(each for found, relevant, _ in within if relevant for each in found)
            counted = Counter(each for found, _, counts in within if counts for each in found)
            ranged = [only] if worst is None else sorted(each for each in had if each[0] == worst)
            thin = [
                f"{counted[each]} in {each[0]} = {each[1]}"
                for each in ranged
                if each is not None and counted[each] < context.min_n
            ]
            if thin:
                found = f"{_first(thin)} scored and reviewed for the gate {' '.join(gate.text.split())!r}"
                fix = "add cases, review those there are, or widen the slice"
                yield LintRemark(found, f"{context.min_n} in every slice", fix, where=where)


def scope(gate: str) -> tuple[str | None, Slice | None]:
    """Parse over which slices a gate takes the worst, and which slice it is about.

    >>> scope("worst(language) ndcg@10 >= 0.6 where category = exact")
    ('language', ('category', 'exact'))
    >>> scope("errors = 0 where category = exact")
    (None, None)
    """
    found = _WORST.fullmatch(gate)
    worst, rest = (None, gate) if found is None else (found[1], found[2])
    if rest.lstrip().startswith(_OTHER):
        return None, None
    where = _WHERE.search(rest)
    if where is None:
        return worst, None
    value = where[2]
    quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "'\""
    return worst, (where[1], value[1:-1] if quoted else value)


def _relevant(case: Case) -> bool:
    return any(target.grade > 0 for target in case.targets)


def _counted(case: Case, context: LintContext) -> bool:
    """Check whether a gate counts a case: something relevant is reviewed, and no miss is known."""
    known_miss = case.xfail is not None and case.xfail.active(context.today)
    reviewed = any(target.reviewed for target in case.targets if target.grade > 0)
    return reviewed and not known_miss


def _unknown(
    worst: str | None, only: Slice | None, known: Mapping[str, set[str]]
) -> tuple[str, str, str] | None:
    for key in (worst, only[0] if only else None):
        if key is not None and key not in known:
            return f"a gate over {key}, which no case has", "a category, a group or a tag of the cases", ""
    if only is not None and only[1] not in known[only[0]]:
        values = sorted(known[only[0]])
        found = f"a gate over {only[0]} = {only[1]}, which no case has"
        return found, f"one of {_first(values)}", did_you_mean(only[1], values, cutoff=0.5)
    return None


def _first(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_SHOWN} more" if len(names) > _MOST_SHOWN else ""
    return ", ".join(names[:_MOST_SHOWN]) + more
