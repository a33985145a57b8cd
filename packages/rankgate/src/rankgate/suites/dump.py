"""Suites written as YAML, JSON or JSON Lines, with each target in its shortest form.

What is about to be written is read back first, by the reader of every suite, so that what a file cannot hold
is an error or counted.
"""

from __future__ import annotations

import json
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import Any

from rankgate.errors import Code, InputError
from rankgate.io.compressed import write_text
from rankgate.io.yaml import LIMIT, Document
from rankgate.io.yaml_text import LONGEST_KEY, block, entry, flow_text
from rankgate.locations import Location
from rankgate.model import (
    GATING_SOURCES,
    NO_RELEVANT,
    PAGES,
    PROPOSED,
    UNLISTED,
    Action,
    Case,
    CorpusSource,
    Invariant,
    MapRule,
    MatchBy,
    Matching,
    Query,
    Relation,
    Scenario,
    Step,
    Suite,
    Target,
    XFail,
)
from rankgate.suites.formats import SuiteFormat
from rankgate.suites.native import (
    LONGEST,
    default_metrics,
    read_jsonl,
    read_native,
    recognise_jsonl,
    slug,
    suite_from,
    usual_name,
)
from rankgate.suites.schema import FIRST_HITS, NAMES, RARE_TERM_HITS, RECORDS, TIMES
from rankgate.wording import many

SCHEMA_FILE = ".rankgate/suite.schema.json"
"""Where ``rankgate list schema`` saves the schema of suites, relative to the project."""
_PROJECT = ("rankgate.toml", "pyproject.toml", ".git", ".rankgate")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def write_native(suite: Suite, path: str | Path) -> tuple[str, ...]:
    """Write a suite as YAML, or as JSON if the name ends in ``.json``; the file is replaced at once.

    Returns:
        What the file does not hold, in words and with counts.

    Raises:
        InputError: with what no file can hold, such as a blank query.
    """
    whole, losses = _checked(suite, _slugs(suite))
    if Path(path).suffix.lower() == ".json":
        text = _printable(json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=2)) + "\n"
    else:
        cases = whole.pop("cases")
        lines = chain(
            block(whole), ["cases:"], (line for case in cases for line in entry(case, 2, spread=True))
        )
        text = schema_line(Path(path)) + "".join(f"{line}\n" for line in lines)
    data = text.encode()
    if len(data) > LIMIT:
        fix = "write it as JSONL or Parquet"
        raise InputError(Code.TOO_LARGE(str(path), f"a suite of {len(data)} bytes", f"at most {LIMIT}", fix))
    write_text(path, [data])
    return losses


def write_jsonl(suite: Suite, path: str | Path) -> tuple[str, ...]:
    """Write a suite as JSON Lines, compressed if the name ends in ``.gz`` or ``.zst``.

    Returns:
        What the file does not hold, in words and with counts.

    Raises:
        InputError: with what no file can hold, such as a blank query.
    """
    whole, losses = _checked(suite, frozenset())
    cases = whole.pop("cases")
    encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode
    about = _printable(encode({"version": 1, **whole}))
    if (size := len(about.encode())) > LONGEST:
        found = f"{size} bytes about the suite, such as its scenarios and invariants"
        fix = "write it as YAML or Parquet"
        raise InputError(Code.TOO_LARGE(str(path), found, f"at most {LONGEST}, the longest line", fix))
    write_text(path, (f"{line}\n" for line in chain([about], (_printable(encode(case)) for case in cases))))
    return losses


def schema_line(path: Path) -> str:
    """Return the first line of a suite, by which editors find its schema."""
    folder = path.resolve().parent
    root = next(
        (one for one in (folder, *folder.parents) if any((one / mark).exists() for mark in _PROJECT)), folder
    )
    schema = Path(os.path.relpath(root / SCHEMA_FILE, folder)).as_posix()
    return f"# yaml-language-server: $schema={schema}\n"


def _printable(text: str) -> str:
    """Escape what YAML allows only as escapes, because JSON is read as YAML."""
    return _UNPRINTABLE.sub(lambda char: f"\\u{ord(char[0]):04x}", text)


def _slugs(suite: Suite) -> frozenset[str]:
    """Return the names that reading makes of the queries, each of one query alone."""
    slugs = Counter(slug(case.query) for case in suite.cases)
    return frozenset(case.id for case in suite.cases if slugs[case.id] == 1 and slug(case.query) == case.id)


def suite_keys(suite: Suite, unnamed: frozenset[str] = frozenset()) -> dict[str, Any]:
    """Return a suite with the keys of its file; `unnamed` cases get no name."""
    cases = [case_keys(case, suite.corpus, named=case.id not in unnamed) for case in suite.cases]
    return {**_settings(suite), "cases": cases}


def _checked(suite: Suite, unnamed: frozenset[str]) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return a suite as keys, and what reading makes of them otherwise; `unnamed` cases get no name."""
    whole = suite_keys(suite, unnamed)
    longest = max(len(flow_text(key)) for key in set(_keys(whole)))
    if longest > LONGEST_KEY:
        found = f"a key of {longest} characters"
        raise InputError(Code.TOO_LARGE(suite.path or suite.name, found, f"at most {LONGEST_KEY}"))
    try:
        read = suite_from(Document(f"suite {suite.name!r}", whole), suite.name)
    except InputError as error:
        raise InputError(error.problems) from error
    changed: Counter[str] = Counter()
    for name in Suite.__dataclass_fields__:
        if name in ("scenarios", "invariants"):
            pairs = zip(getattr(read, name), getattr(suite, name), strict=True)
            changed[name] += sum(one != other for one, other in pairs)
        elif name not in ("cases", "path", "notes", "whole"):
            changed[name] += getattr(read, name) != getattr(suite, name)
    for one, case in zip(read.cases, suite.cases, strict=True):
        if one != _as_written(case):
            names = (name for name in Case.__slots__ if name != "where")
            changed.update(name for name in names if getattr(one, name) != getattr(_as_written(case), name))
    return whole, tuple(_loss(name, count) for name, count in sorted(changed.items()) if count)


def _as_written(case: Case) -> Case:
    """Return a case with the sources that a file has for targets that nobody reviewed."""
    if all(target.reviewed for target in case.targets):
        return case
    targets = (replace(target, source=_source(target), reviewed=True) for target in case.targets)
    return replace(case, targets=tuple(targets))


def _source(target: Target) -> str:
    if target.reviewed or target.source.startswith(PROPOSED):
        return target.source
    return PROPOSED if target.source == "person" else f"{PROPOSED} by {target.source}"


def _loss(name: str, count: int) -> str:
    cases = many(count, "case")
    match name:
        case "query" | "answer" | "notes":
            return f"{cases}: line breaks at the end of the {name} are not kept"
        case "targets" | "top":
            return f"{cases}: locations are read as ids, because the suite names no corpus ({name})"
        case "scenarios" | "invariants":
            said = f"{many(count, name.removesuffix('s'))}: line breaks at the end of a text are not kept"
            said += ", and locations are read as ids where the suite names no corpus"
            return said + "; one k and one set of filters holds for all queries" * (name == "invariants")
        case _:
            return f"{name} is read back otherwise ({count} times)"


def _keys(value: Any) -> Iterator[str]:
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(item)
    if isinstance(value, dict):
        yield from value


def _settings(suite: Suite) -> dict[str, Any]:
    corpus = suite.corpus
    keys: dict[str, Any] = {
        "name": suite.name,
        "corpus": corpus and corpus_keys(corpus),
        "metrics": None if suite.metrics == default_metrics(suite.k) else list(suite.metrics),
        "gates": [gate.text for gate in suite.gates] or None,
        "match": _match(suite.matching),
        "scale": None if suite.max_grade is None else number(suite.max_grade),
        "k": suite.k,
        "map": [_map_rule(rule) for rule in suite.map_rules] or None,
        "unlisted": None if suite.unlisted == UNLISTED[0] else suite.unlisted,
        "no_relevant": None if suite.no_relevant == NO_RELEVANT[0] else suite.no_relevant,
        "gating_sources": None if suite.gating_sources == GATING_SOURCES else list(suite.gating_sources),
        "guidelines": suite.guidelines,
        "show": list(suite.show) or None,
        "scenarios": [_scenario(each, corpus) for each in suite.scenarios] or None,
        "invariants": _invariants(suite.invariants, corpus) or None,
    }
    return _said(keys)


def case_keys(case: Case, corpus: CorpusSource | None, *, named: bool) -> dict[str, Any]:
    """Return a case with the keys that a suite has."""
    expect: str | dict[str, Any] | None = "empty" if case.expect_empty else None
    if case.max_score is not None:
        expect = {"max_score": number(case.max_score)}
    return _said(
        {
            "name": case.id if named else None,
            "query": case.query,
            **target_keys(case.targets, corpus),
            "top": _top(case, corpus),
            "never": _one_or_list(
                location_keys(top.location, corpus) | _said({"within": top.within})
                for top in case.top
                if top.never
            ),
            "expect": expect,
            "answer": case.answer,
            "exhaustive": case.exhaustive or None,
            "category": case.category,
            "tags": _tags(case.tags),
            "filters": _filters(case.filters),
            "weight": None if case.weight == 1 else number(case.weight),
            "sampled": case.sampled
            and {"seen": case.sampled.seen, "inclusion": number(case.sampled.inclusion)},
            "group": case.group,
            "xfail": case.xfail and _xfail(case.xfail),
            "notes": case.notes or None,
        }
    )


def _said(keys: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if value is not None}


def number(value: float) -> int | float:
    """Return 2.0 as 2; reading gives the same number, which -0 would not."""
    whole = float(value).is_integer() and abs(value) < 1e15 and str(value) != "-0.0"
    return int(value) if whole else value


def location_keys(location: Location, corpus: CorpusSource | None) -> dict[str, Any]:
    """Return a location with the keys of a target."""
    if location.quote is None:
        return {_key(location, corpus): str(location)}
    path = None if location.path is None else str(Location(path=location.path))
    return _said({"quote": location.quote, "path": path, "start_char": location.start_char})


def target_keys(targets: Sequence[Target], corpus: CorpusSource | None) -> dict[str, Any]:
    """Return the targets of a case by their keys, and the source that all of them have."""
    if not targets:
        return {}
    targets = [replace(one, source=_source(one), reviewed=True) for one in targets]
    shared = targets[0].source
    if shared == "person" or any(one.source != shared for one in targets):
        return _Forms(corpus, "person").keys(targets)
    return {**_Forms(corpus, shared).keys(targets), "source": shared}


class _Forms:
    """The forms of targets, if those without a source have a usual one."""

    def __init__(self, corpus: CorpusSource | None, source: str) -> None:
        self._corpus, self._source = corpus, source
        # A bare text in a list of alternatives.
        self._bare = "at" if corpus is not None and corpus.kind not in RECORDS else "id"

    def keys(self, targets: Sequence[Target]) -> dict[str, Any]:
        """Return all targets of a case."""
        alone = [target for target in targets if target.group is None]
        groups = _groups(targets[len(alone) :])
        if list(targets[: len(alone)]) != alone or groups is None:
            # Groups of other names, or among the other targets, are written target by target.
            return {self._key(targets[0]): [self._full(target) for target in targets]}
        found: dict[str, Any] = {}
        keys = [self._key(target) for target in alone]
        if len(targets) == 1 and (quote := targets[0].location).quote and quote.path and not groups:
            # A lone quote has its path beside it in the case.
            pathless = replace(targets[0], location=replace(quote, path=None))
            if self._only_grade(targets[0]) and targets[0].grade == 1 and quote.start_char is None:
                return {**self.keys([pathless]), "path": location_keys(quote, self._corpus)["path"]}
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
        if isinstance(form, dict) and form.keys().isdisjoint(NAMES):
            return form
        return [self._brief(target, self._bare) for target in targets]

    def _several(self, targets: list[Target], key: str) -> Any:
        words = [_word(target.location) for target in targets]
        if not all(self._only_grade(target) and _is_bare(target.location) for target in targets):
            return [self._brief(target, key) for target in targets]
        if all(target.grade == 1 for target in targets):
            return words if len(words) > 1 else words[0]
        if len(set(words)) < len(words) or max(map(len, words)) > LONGEST_KEY // 10:
            return [self._brief(target, key) for target in targets]
        return {word: number(target.grade) for word, target in zip(words, targets, strict=True)}

    def _brief(self, target: Target, key: str) -> str | dict[str, Any]:
        usual = target.grade == 1 and self._only_grade(target) and _is_bare(target.location)
        bare = usual and self._key(target) == key
        return _word(target.location) if bare else self._full(target, group=False)

    def _full(self, target: Target, *, group: bool = True) -> dict[str, Any]:
        more = {
            "grade": None if target.grade == 1 else number(target.grade),
            "group": target.group if group else None,
            "source": None if target.source == self._source else target.source,
        }
        return location_keys(target.location, self._corpus) | _said(more)

    def _only_grade(self, target: Target) -> bool:
        return target.source == self._source


def _is_bare(location: Location) -> bool:
    """Check whether one text is enough: a quote may have a path and an offset, which are keys."""
    return location.quote is None or (location.path is None and location.start_char is None)


def _word(location: Location) -> str:
    return str(location) if location.quote is None else location.quote


def _key(location: Location, corpus: CorpusSource | None) -> str:
    if location.quote is not None:
        return "quote"
    return "at" if location.id is None and corpus is not None else "id"


def _groups(targets: Sequence[Target]) -> list[list[Target]] | None:
    """Part grouped targets into the lists of `any_of`; None if that would change a name or the order."""
    found: list[list[Target]] = []
    for target in targets:
        if not found or target.group != found[-1][0].group:
            found.append([])
        found[-1].append(target)
    fits = all(group[0].group == f"any-{number}" for number, group in enumerate(found, 1))
    return found if fits else None


def _top(case: Case, corpus: CorpusSource | None) -> Any:
    found = [
        location_keys(top.location, corpus) | ({} if top.within == 1 else {"within": top.within})
        for top in case.top
        if not top.never
    ]
    if case.targets_within is not None:
        found.insert(0, {"within": case.targets_within})
    return _one_or_list(found)


def _xfail(xfail: XFail) -> str | dict[str, str]:
    return xfail.reason if xfail.until is None else {"reason": xfail.reason, "until": xfail.until.isoformat()}


def _map_rule(rule: MapRule) -> str | dict[str, str]:
    return "pages" if rule == PAGES else {"from": rule.pattern, "to": rule.template}


def corpus_keys(corpus: CorpusSource) -> str | dict[str, Any]:
    """Return the value of the key `corpus`."""
    if corpus.kind == "folder" and not corpus.options:
        return corpus.place
    return {corpus.kind: corpus.place, **(_filters(corpus.options) or {})}


def _match(matching: Matching) -> str | dict[str, Any] | None:
    if matching == Matching(matching.by):
        return None if matching.by is MatchBy.LINES else matching.by.value
    usual = Matching()
    keys = {name: getattr(matching, name) for name in Matching.__slots__}
    return {
        name: value.value if isinstance(value, MatchBy) else number(value)
        for name, value in keys.items()
        if value != getattr(usual, name)
    }


def _tags(tags: frozenset[str]) -> list[str] | dict[str, Any] | None:
    parted = [tag.partition("=") for tag in sorted(tags)]
    if not all(key.strip() and value.strip() for key, _, value in parted):
        return sorted(tags)
    found: dict[str, list[str]] = {}
    for key, _, value in parted:
        found.setdefault(key, []).append(value)
    return {key: _one_or_list(values) for key, values in found.items()} or None


def _scenario(scenario: Scenario, corpus: CorpusSource | None) -> dict[str, Any]:
    return {"name": scenario.name, "steps": [_step(step, corpus) for step in scenario.steps]}


def _step(step: Step, corpus: CorpusSource | None) -> dict[str, Any]:
    under: dict[str, list[str]] = {}
    for child, parent in step.under:
        under.setdefault(child, []).append(parent)
    return _said(
        {
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
    )


def _invariants(invariants: Sequence[Invariant], corpus: CorpusSource | None) -> list[dict[str, Any]]:
    """Return all invariants; a name that reading makes anew is left out."""
    made = [usual_name(each.relation.value, [one.text for one in each.queries]) for each in invariants]
    once = Counter(made)
    return [
        _invariant(each, corpus, named=each.name != name or once[name] > 1)
        for each, name in zip(invariants, made, strict=True)
    ]


def _invariant(invariant: Invariant, corpus: CorpusSource | None, *, named: bool) -> dict[str, Any]:
    relation, queries = invariant.relation, invariant.queries
    first = queries[0] if queries else Query("")
    usual_k = RARE_TERM_HITS if relation is Relation.RARE_TERM else FIRST_HITS
    keys: dict[str, Any] = {
        "name": invariant.name if named else None,
        relation.value: first.text,
        "k": None if first.k == usual_k else first.k,
        "filters": _filters(first.filters),
        "above": _one_or_list(_place(location, corpus) for location in invariant.above),
        "below": _one_or_list(_place(location, corpus) for location in invariant.below),
        "only": _one_or_list(invariant.only),
        "by": None if invariant.by == "place" else invariant.by,
        "order": None if invariant.order else False,
        "xfail": invariant.xfail and _xfail(invariant.xfail),
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
    return _said(keys)


def _place(location: Location, corpus: CorpusSource | None) -> str | dict[str, str]:
    """Return a location or an id, bare if reading takes a bare text for it."""
    bare = "id" if corpus is not None and corpus.kind in RECORDS else "at"
    key = "id" if location.id is not None else "at"
    return str(location) if key == bare or corpus is None else {key: str(location)}


def _filters(filters: Mapping[str, Any]) -> dict[str, Any] | None:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in filters.items()} or None


def _one_or_list(items: Iterable[Any]) -> Any:
    found = list(items)
    return (found if len(found) > 1 else found[0]) if found else None


FORMAT = SuiteFormat(
    "native",
    "rankgate's own suites, in YAML or JSON",
    read_native,
    lambda path, start: path.suffix.lower() == ".json" and b'"cases"' in start and b'"query": {' not in start,
    write_native,
)
JSONL = SuiteFormat(
    "jsonl", "rankgate's own suites, a case a line of JSON", read_jsonl, recognise_jsonl, write_jsonl
)
