"""Targets, scenarios and invariants with the keys that people write, each in its shortest form."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rankgate.files.tree.yaml_text import LONGEST_KEY
from rankgate.model.locations import Location
from rankgate.model.probes import Action, Relation
from rankgate.model.search import Query
from rankgate.model.suite import Target, Top
from rankgate.suites.native.probes import FIRST_HITS, TIMES, default_k, usual_name
from rankgate.suites.native.settings import RECORDS
from rankgate.suites.native.targets import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.model.probes import Invariant, Scenario, Step, XFail
    from rankgate.model.suite import Case, CorpusSource, GoneTarget


def target_keys(case: Case, corpus: CorpusSource | None) -> dict[str, Any]:
    """Write the targets of a case by their keys, and the source and review that all of them share."""
    targets = case.targets
    gone = [each for each in case.gone if isinstance(each.was, Target)]
    if not targets:
        return _with_gone({}, gone, _Forms(corpus, "person", reviewed=True))
    said: dict[str, Any] = {}
    shared = targets[0]
    if shared.source != "person" and all(target.source == shared.source for target in targets):
        said["source"] = shared.source
    if not any(target.reviewed for target in targets):
        said["reviewed"] = False
    forms = _Forms(corpus, str(said.get("source", "person")), bool(said.get("reviewed", True)))
    return {**_with_gone(forms.keys(targets), gone, forms), **said}


def _with_gone(keys: dict[str, Any], gone: Sequence[GoneTarget], forms: _Forms) -> dict[str, Any]:
    """Add what is marked gone behind the targets that are named in the same way."""
    for each in gone:
        if isinstance(each.was, Target):
            key, full = forms.gone(each.was)
            known = keys.get(key, [])
            if isinstance(known, dict):
                known = [{key: word, "grade": grade} for word, grade in known.items()]
            elif not isinstance(known, list):
                known = [known]
            keys[key] = [*known, {**full, "gone": each.reason}]
    return keys


def top_keys(case: Case, corpus: CorpusSource | None) -> Any:
    """Return the value of `top`: None, a mapping or a list."""
    found: list[dict[str, Any]] = [
        location_keys(top.location, corpus) | ({} if top.within == 1 else {"within": top.within}) | gone
        for top, gone in _tops(case)
        if not top.never
    ]
    if case.targets_within is not None:
        found.insert(0, {"within": case.targets_within})
    return _one_or_list(found)


def never_keys(case: Case, corpus: CorpusSource | None) -> Any:
    """Return the value of `never`: None, a mapping or a list."""
    return _one_or_list(
        location_keys(top.location, corpus) | ({} if top.within is None else {"within": top.within}) | gone
        for top, gone in _tops(case)
        if top.never
    )


def xfail_keys(xfail: XFail) -> str | dict[str, str]:
    """Return the value of `xfail`: the reason, or a mapping if it expires."""
    if xfail.until is None:
        return xfail.reason
    return {"reason": xfail.reason, "until": xfail.until.isoformat()}


def _tops(case: Case) -> list[tuple[Top, dict[str, str]]]:
    """List the checks of the first hits, and those that are marked gone with their reason."""
    gone = [(each.was, {"gone": each.reason}) for each in case.gone if isinstance(each.was, Top)]
    return [*((top, {}) for top in case.top), *gone]


def location_keys(location: Location, corpus: CorpusSource | None) -> dict[str, Any]:
    """Write a location with the keys of a target."""
    if location.quote is None:
        return {_key(location, corpus): str(location)}
    path = None if location.path is None else str(Location(path=location.path))
    keys = {"quote": location.quote, "path": path, "start_char": location.start_char}
    return {key: value for key, value in keys.items() if value is not None}


def number(value: float) -> int | float:
    """Write 2.0 as 2; reading gives the same number, which -0 would not."""
    whole = float(value).is_integer() and abs(value) < 1e15 and str(value) != "-0.0"
    return int(value) if whole else value


class _Forms:
    """Writes targets, knowing what holds for those that do not say otherwise."""

    def __init__(self, corpus: CorpusSource | None, source: str, reviewed: bool) -> None:
        self._corpus = corpus
        self._source = source
        self._reviewed = reviewed
        # What a list of alternatives takes a bare word for.
        self._bare = "at" if corpus is not None and corpus.kind not in RECORDS else "id"

    def keys(self, targets: Sequence[Target]) -> dict[str, Any]:
        """Write all targets of a case."""
        alone = [target for target in targets if target.group is None]
        groups = _groups(targets[len(alone) :])
        if list(targets[: len(alone)]) != alone or groups is None:
            # Groups of other names, or among the other targets, are said target by target.
            return {self._key(targets[0]): [self._full(target) for target in targets]}
        found: dict[str, Any] = {}
        keys = [self._key(target) for target in alone]
        if len(targets) == 1 and (quote := targets[0].location).quote and quote.path and not groups:
            # A lone quote has its path beside it in the case.
            pathless = replace(targets[0], location=replace(quote, path=None))
            if self._says_only_grade(targets[0]) and targets[0].grade == 1 and quote.start_char is None:
                return {**self.keys([pathless]), "path": location_keys(quote, self._corpus)["path"]}
        if keys == sorted(keys):
            for key in sorted(set(keys)):
                found[key] = self._several([each for each in alone if self._key(each) == key], key)
        else:
            found[keys[0]] = [self._brief(target, keys[0]) for target in alone]
        if groups:
            found["any_of"] = [self._group(group) for group in groups]
        return found

    def gone(self, target: Target) -> tuple[str, dict[str, Any]]:
        """Write a target that is gone: the key it stands under, and all that it says."""
        return self._key(target), self._full(target)

    def _key(self, target: Target) -> str:
        return _key(target.location, self._corpus)

    def _group(self, targets: list[Target]) -> Any:
        keys = {self._key(target) for target in targets}
        if len(keys) == 1 and keys != {self._bare}:
            key = keys.pop()
            return {key: self._several(targets, key)}
        form = self._several(targets, self._bare) if keys == {self._bare} else None
        if isinstance(form, dict) and form.keys().isdisjoint(NAMES):
            return form
        return [self._brief(target, self._bare) for target in targets]

    def _several(self, targets: list[Target], key: str) -> Any:
        words = [_word(target.location) for target in targets]
        if not all(self._says_only_grade(target) and _bare(target.location) for target in targets):
            return [self._brief(target, key) for target in targets]
        if all(target.grade == 1 for target in targets):
            return words if len(words) > 1 else words[0]
        if len(set(words)) < len(words) or max(map(len, words)) > LONGEST_KEY // 10:
            return [self._brief(target, key) for target in targets]
        return {word: number(target.grade) for word, target in zip(words, targets, strict=True)}

    def _brief(self, target: Target, key: str) -> str | dict[str, Any]:
        usual = target.grade == 1 and self._says_only_grade(target) and _bare(target.location)
        bare = usual and self._key(target) == key
        return _word(target.location) if bare else self._full(target, group=False)

    def _full(self, target: Target, *, group: bool = True) -> dict[str, Any]:
        keys = {
            **location_keys(target.location, self._corpus),
            "grade": None if target.grade == 1 else number(target.grade),
            "group": target.group if group else None,
            "source": None if target.source == self._source else target.source,
            "reviewed": None if target.reviewed == self._reviewed else target.reviewed,
        }
        return {key: value for key, value in keys.items() if value is not None}

    def _says_only_grade(self, target: Target) -> bool:
        usual = Target(target.location, target.grade, target.group, self._source, self._reviewed)
        return target == usual


def _bare(location: Location) -> bool:
    """Check whether a word alone says it: a quote may have a path and a character, which are keys."""
    return location.quote is None or (location.path is None and location.start_char is None)


def _word(location: Location) -> str:
    return str(location) if location.quote is None else location.quote


def _key(location: Location, corpus: CorpusSource | None) -> str:
    if location.quote is not None:
        return "quote"
    return "at" if location.id is None and corpus is not None else "id"


def _groups(targets: Sequence[Target]) -> list[list[Target]] | None:
    """Part grouped targets into the lists of `any_of`; None where that would change a name or the order."""
    found: list[list[Target]] = []
    for target in targets:
        if not found or target.group != found[-1][0].group:
            found.append([])
        found[-1].append(target)
    fits = all(group[0].group == f"any-{number}" for number, group in enumerate(found, 1))
    return found if fits else None


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
        "finds": _one_or_list(_location(location, corpus) for location in step.finds),
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
        "k": None if first.k == default_k(relation) else first.k,
        "filters": _filters(first.filters),
        "above": _one_or_list(_location(location, corpus) for location in invariant.above),
        "below": _one_or_list(_location(location, corpus) for location in invariant.below),
        "only": _one_or_list(invariant.only),
        "by": None if invariant.by == "place" else invariant.by,
        "order": None if invariant.order else False,
        "xfail": invariant.xfail and xfail_keys(invariant.xfail),
        "notes": invariant.notes or None,
    }
    match relation:
        case Relation.SAME_RESULTS | Relation.DIFFERENT_RESULTS:
            keys[relation.value] = [query.text for query in queries]
        case Relation.EMPTY:
            keys[relation.value] = _one_or_list(query.text for query in queries) or ""
        case Relation.SINGLE_TERM_NO_BONUS | Relation.RARE_TERM:
            keys["beside"] = (queries[1].text if len(queries) > 1 else "").removeprefix(f"{first.text} ")
        case Relation.MONOTONE:
            keys["k"] = [query.k for query in queries]
        case Relation.STABLE:
            keys["times"] = None if len(queries) == TIMES else len(queries)
        case _:
            pass
    return {key: value for key, value in keys.items() if value is not None}


def _location(location: Location, corpus: CorpusSource | None) -> str | dict[str, str]:
    """Write a location or an id bare where reading takes a bare word for it."""
    bare = "id" if corpus is not None and corpus.kind in RECORDS else "at"
    key = "id" if location.id is not None else "at"
    return str(location) if key == bare or corpus is None else {key: str(location)}


def _filters(filters: Mapping[str, str | tuple[str, ...]]) -> dict[str, Any] | None:
    listed = {key: value if isinstance(value, str) else list(value) for key, value in filters.items()}
    return listed or None


def _one_or_list(items: Iterable[Any]) -> Any:
    found = list(items)
    return (found if len(found) > 1 else found[0]) if found else None
