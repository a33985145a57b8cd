"""Scenarios and invariants with the keys that people write, without what holds where nothing is said."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rankgate.model.invariants import Relation
from rankgate.model.scenarios import Action
from rankgate.model.search import Query
from rankgate.suites.corpus_source import RECORDS
from rankgate.suites.invariants import TIMES, usual_name
from rankgate.suites.scenarios import FIRST_HITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.model.invariants import Invariant
    from rankgate.model.places import Location
    from rankgate.model.scenarios import Scenario, Step
    from rankgate.model.suite import CorpusSource


def scenario_keys(scenario: Scenario, corpus: CorpusSource | None) -> dict[str, Any]:
    """Write a scenario."""
    return {"name": scenario.name, "steps": [_step(step, corpus) for step in scenario.steps]}


def invariants_keys(invariants: Sequence[Invariant], corpus: CorpusSource | None) -> list[dict[str, Any]]:
    """Write all invariants; a name that reading makes anew is left out."""
    made = [usual_name(each.relation, each.queries) for each in invariants]
    once = Counter(made)
    return [
        _invariant(each, corpus, named=each.name != name or once[name] > 1)
        for each, name in zip(invariants, made, strict=True)
    ]


def _step(step: Step, corpus: CorpusSource | None) -> dict[str, Any]:
    under: dict[str, list[str]] = {}
    for child, parent in step.under:
        under.setdefault(child, []).append(parent)
    keys: dict[str, Any] = {
        step.action.value: step.query if step.action is Action.SEARCH else str(step.at or ""),
        "k": None if step.k == FIRST_HITS else step.k,
        "filters": _filters(step.filters),
        "finds": _one_or_list(_place(location, corpus) for location in step.finds),
        "has": _one_or_list(step.has),
        "under": {child: _one_or_list(parents) for child, parents in under.items()} or None,
        "contains": _one_or_list(step.contains),
        "excludes": _one_or_list(step.excludes),
        "complete": step.complete or None,
    }
    return {key: value for key, value in keys.items() if value is not None}


def _invariant(invariant: Invariant, corpus: CorpusSource | None, *, named: bool) -> dict[str, Any]:
    relation, queries = invariant.relation, invariant.queries
    first = queries[0] if queries else Query("")
    keys: dict[str, Any] = {
        "name": invariant.name if named else None,
        relation.value: first.text,
        "k": None if first.k == FIRST_HITS else first.k,
        "filters": _filters(first.filters),
        "above": None if invariant.above is None else _place(invariant.above, corpus),
        "below": None if invariant.below is None else _place(invariant.below, corpus),
        "only": _one_or_list(invariant.only),
        "by": None if invariant.by == "place" else invariant.by,
        "order": None if invariant.order else False,
    }
    match relation:
        case Relation.SAME_RESULTS:
            keys[relation.value] = [query.text for query in queries]
        case Relation.EMPTY:
            keys[relation.value] = _one_or_list(query.text for query in queries) or ""
        case Relation.SINGLE_TERM_NO_BONUS:
            keys["beside"] = (queries[1].text if len(queries) > 1 else "").removeprefix(f"{first.text} ")
        case Relation.MONOTONE:
            keys["k"] = [query.k for query in queries]
        case Relation.STABLE:
            keys["times"] = None if len(queries) == TIMES else len(queries)
        case _:
            pass
    return {key: value for key, value in keys.items() if value is not None}


def _place(location: Location, corpus: CorpusSource | None) -> str | dict[str, str]:
    """Write a place or an id bare where reading takes a bare word for it."""
    bare = "id" if corpus is not None and corpus.kind in RECORDS else "at"
    key = "id" if location.id is not None else "at"
    return str(location) if key == bare or corpus is None else {key: str(location)}


def _filters(filters: Mapping[str, str | tuple[str, ...]]) -> dict[str, Any] | None:
    listed = {key: value if isinstance(value, str) else list(value) for key, value in filters.items()}
    return listed or None


def _one_or_list(items: Iterable[Any]) -> Any:
    found = list(items)
    return (found if len(found) > 1 else found[0]) if found else None
