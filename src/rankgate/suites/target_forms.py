"""Targets in the shortest form that holds them: a place, a list, a mapping of grades, or full mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.model.suite import Target
from rankgate.suites.corpus_source import RECORDS
from rankgate.suites.yaml_text import LONGEST_KEY

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model.places import Location
    from rankgate.model.suite import Case, CorpusSource


def target_keys(case: Case, corpus: CorpusSource | None) -> dict[str, Any]:
    """Write the targets of a case: `at`, `id`, `any_of`, and the source and review that all of them share."""
    targets = case.targets
    if not targets:
        return {}
    said: dict[str, Any] = {}
    shared = targets[0]
    if shared.source != "person" and all(target.source == shared.source for target in targets):
        said["source"] = shared.source
    if not any(target.reviewed for target in targets):
        said["reviewed"] = False
    forms = _Forms(corpus, str(said.get("source", "person")), bool(said.get("reviewed", True)))
    return {**forms.keys(targets), **said}


def top_keys(case: Case, corpus: CorpusSource | None) -> Any:
    """Write the checks of the first hits: none, one, or a list."""
    found = [
        {_key(top.location, corpus): str(top.location)} | ({} if top.within == 1 else {"within": top.within})
        for top in case.top
    ]
    return (found if len(found) > 1 else found[0]) if found else None


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
        if keys == sorted(keys):
            for key in sorted(set(keys)):
                found[key] = self._several([each for each in alone if self._key(each) == key], key)
        else:
            found[keys[0]] = [self._brief(target, keys[0]) for target in alone]
        if groups:
            found["any_of"] = [self._group(group) for group in groups]
        return found

    def _key(self, target: Target) -> str:
        return _key(target.location, self._corpus)

    def _group(self, targets: list[Target]) -> Any:
        keys = {self._key(target) for target in targets}
        if len(keys) == 1 and keys != {self._bare}:
            key = keys.pop()
            return {key: self._several(targets, key)}
        form = self._several(targets, self._bare) if keys == {self._bare} else None
        if isinstance(form, dict) and form.keys().isdisjoint({"at", "id"}):
            return form
        return [self._brief(target, self._bare) for target in targets]

    def _several(self, targets: list[Target], key: str) -> Any:
        words = [str(target.location) for target in targets]
        if not all(self._says_only_grade(target) for target in targets):
            return [self._brief(target, key) for target in targets]
        if all(target.grade == 1 for target in targets):
            return words if len(words) > 1 else words[0]
        if len(set(words)) < len(words) or max(map(len, words)) > LONGEST_KEY // 10:
            return [self._brief(target, key) for target in targets]
        return {word: number(target.grade) for word, target in zip(words, targets, strict=True)}

    def _brief(self, target: Target, key: str) -> str | dict[str, Any]:
        bare = target.grade == 1 and self._says_only_grade(target) and self._key(target) == key
        return str(target.location) if bare else self._full(target, group=False)

    def _full(self, target: Target, *, group: bool = True) -> dict[str, Any]:
        keys = {
            self._key(target): str(target.location),
            "grade": None if target.grade == 1 else number(target.grade),
            "group": target.group if group else None,
            "source": None if target.source == self._source else target.source,
            "reviewed": None if target.reviewed == self._reviewed else target.reviewed,
            "anchor": target.anchor,
            "matches": target.matches,
        }
        return {key: value for key, value in keys.items() if value is not None}

    def _says_only_grade(self, target: Target) -> bool:
        usual = Target(target.location, target.grade, target.group, None, self._source, self._reviewed)
        return target == usual


def _key(location: Location, corpus: CorpusSource | None) -> str:
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
