"""A whole suite as the keys that people write: each target in its shortest form.

What is about to be written is read back first, by the reader of every suite, so that what a file cannot hold
is refused or counted, and never found out later.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError, Problem
from rankgate.files.compressed import write_text
from rankgate.files.problems import SHOWN, Problems
from rankgate.files.tree.json_tree import value_of
from rankgate.files.tree.yaml_text import LONGEST_KEY, block, entry
from rankgate.files.tree.yaml_tree import LIMIT
from rankgate.model.suite import GATING_SOURCES, NO_RELEVANT, PAGES, UNLISTED, Case, MatchBy, Matching
from rankgate.model.wording import many
from rankgate.suites.native.cases import read_cases, slug
from rankgate.suites.native.key_forms import (
    invariants_keys,
    never_keys,
    number,
    scenario_keys,
    target_keys,
    top_keys,
    xfail_keys,
)
from rankgate.suites.native.settings import default_metrics, read_settings, suite_fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.model.suite import CorpusSource, MapRule, Suite


_LISTS = ("scenarios", "invariants")
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")


def write_native(suite: Suite, path: str | Path) -> tuple[str, ...]:
    """Write a suite as YAML, or as JSON where the name ends in ``.json``, whole or not at all.

    Returns:
        What the file does not hold, in words and with counts.

    Raises:
        InputError: with what no file could hold, such as a query without a word.
    """
    dump = Dump(suite, names=_names(suite))
    whole = {**dump.settings(), "cases": list(dump.cases())}
    if Path(path).suffix.lower() == ".json":
        if (longest := max(map(len, _keys(whole)))) > LONGEST_KEY:
            fix = "write it as YAML, JSONL or Parquet"
            raise InputError(
                Code.TOO_LARGE(str(path), f"a key of {longest} characters", f"at most {LONGEST_KEY}", fix)
            )
        text = json.dumps(whole, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
        # The file is read as YAML, which allows these only as escapes.
        text = _UNPRINTABLE.sub(lambda char: f"\\u{ord(char[0]):04x}", text)
    else:
        text = "".join(f"{line}\n" for line in _yaml_lines(whole))
    data = text.encode()
    if len(data) > LIMIT:
        fix = "write it as JSONL or Parquet"
        raise InputError(Code.TOO_LARGE(str(path), f"a suite of {len(data)} bytes", f"at most {LIMIT}", fix))
    write_text(path, [data])
    return dump.losses()


class Dump:
    """The keys of a suite and of its cases, and what they do not hold."""

    def __init__(self, suite: Suite, *, names: frozenset[str] = frozenset()) -> None:
        """Prepare to write a suite.

        Args:
            suite: What is written.
            names: The ids that reading makes of the queries, so that they need not be written.
        """
        self._suite = suite
        self._names = names
        self._changed: Counter[str] = Counter()
        problems = Problems(suite.path or suite.name)
        self._settings = _settings(suite)
        value = value_of(self._settings, f"suite {suite.name!r}", problems)
        if value is None:
            problems.refuse()
        read, self.defaults = read_settings(suite_fields(value), "", None)
        """What holds for every target that does not say otherwise."""
        _check(problems)
        for name, found in read.items():
            written = getattr(suite, name)
            if name in _LISTS:
                differ = sum(one != other for one, other in zip(found, written, strict=True))
            else:
                differ = int(found != written)
            self._changed.update({name: differ} if differ else {})

    def settings(self) -> dict[str, Any]:
        """Return what is written about the suite."""
        return self._settings

    def cases(self) -> Iterator[dict[str, Any]]:
        """Go through what is written of each case.

        Raises:
            InputError: with what is wrong with the cases, when the last has been given.
        """
        problems: list[Problem] = []
        for case in self._suite.cases:
            keys = case_keys(case, self._suite.corpus, named=case.id not in self._names)
            problems.extend(self._problems(case, keys))
            if not problems:
                yield keys
        if problems:
            raise InputError(problems[:SHOWN])

    def losses(self) -> tuple[str, ...]:
        """Return in words and with counts what was written otherwise than it is."""
        return tuple(_told(name, count) for name, count in sorted(self._changed.items()))

    def _problems(self, case: Case, keys: dict[str, Any]) -> tuple[Problem, ...]:
        problems = Problems(f"case {case.id!r}")
        value = value_of(keys, problems.where, problems)
        read = () if value is None else read_cases([value], self.defaults)
        try:
            _check(problems)
        except InputError as error:
            return error.problems
        (found,) = read
        if found != case:
            changed = (name for name in Case.__slots__ if name != "where")
            self._changed.update(name for name in changed if getattr(found, name) != getattr(case, name))
        return ()


def case_keys(case: Case, corpus: CorpusSource | None, *, named: bool) -> dict[str, Any]:
    """Write a case with the keys that a suite has."""
    expect: str | dict[str, Any] | None = "empty" if case.expect_empty else None
    if case.max_score is not None:
        expect = {"max_score": number(case.max_score)}
    keys: dict[str, Any] = {
        "name": case.id if named else None,
        "query": case.query,
        **target_keys(case, corpus),
        "top": top_keys(case, corpus),
        "never": never_keys(case, corpus),
        "expect": expect,
        "answer": case.answer,
        "exhaustive": case.exhaustive or None,
        "category": case.category,
        "tags": _tags(case.tags),
        "filters": {key: _listed(value) for key, value in case.filters.items()} or None,
        "weight": None if case.weight == 1 else number(case.weight),
        "sampled": case.sampled and {"seen": case.sampled.seen, "inclusion": number(case.sampled.inclusion)},
        "group": case.group,
        "xfail": case.xfail and xfail_keys(case.xfail),
        "notes": case.notes or None,
    }
    return {key: value for key, value in keys.items() if value is not None}


def _settings(suite: Suite) -> dict[str, Any]:
    corpus = suite.corpus
    keys: dict[str, Any] = {
        "name": suite.name,
        "corpus": corpus and _corpus(corpus),
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
        "scenarios": [scenario_keys(each, corpus) for each in suite.scenarios] or None,
        "invariants": invariants_keys(suite.invariants, corpus) or None,
    }
    return {key: value for key, value in keys.items() if value is not None}


def _map_rule(rule: MapRule) -> str | dict[str, str]:
    return "pages" if rule == PAGES else {"from": rule.pattern, "to": rule.template}


def _corpus(corpus: CorpusSource) -> str | dict[str, Any]:
    if corpus.kind == "folder" and not corpus.options:
        return corpus.place
    return {corpus.kind: corpus.place, **{key: _listed(value) for key, value in corpus.options.items()}}


def _match(matching: Matching) -> str | dict[str, Any] | None:
    if matching == Matching(matching.by):
        return None if matching.by is MatchBy.LINES else matching.by.value
    usual = Matching()
    keys = {name: getattr(matching, name) for name in Matching.__slots__}
    changed = {name: value for name, value in keys.items() if value != getattr(usual, name)}
    return {
        name: value.value if isinstance(value, MatchBy) else number(value) for name, value in changed.items()
    }


def _tags(tags: frozenset[str]) -> list[str] | dict[str, Any] | None:
    parted = [tag.partition("=") for tag in sorted(tags)]
    if not all(key.strip() and value.strip() for key, _, value in parted):
        return sorted(tags)
    found: dict[str, list[str]] = {}
    for key, _, value in parted:
        found.setdefault(key, []).append(value)
    return {key: values if len(values) > 1 else values[0] for key, values in found.items()} or None


def _listed(value: str | tuple[str, ...]) -> str | list[str]:
    return value if isinstance(value, str) else list(value)


def _names(suite: Suite) -> frozenset[str]:
    """Find the ids that reading makes of the queries, each of one query alone."""
    slugs = Counter(slug(case.query) for case in suite.cases)
    return frozenset(case.id for case in suite.cases if slugs[case.id] == 1 and slug(case.query) == case.id)


def _keys(value: Any) -> Iterator[str]:
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _keys(item)
    if isinstance(value, dict):
        yield from value


def _check(problems: Problems) -> None:
    try:
        problems.check()
    except InputError as error:
        raise InputError(error.problems) from error


def _told(name: str, count: int) -> str:
    cases = "1 case" if count == 1 else f"{count} cases"
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


def _yaml_lines(whole: dict[str, Any]) -> Iterator[str]:
    cases = whole.pop("cases")
    yield from block(whole)
    yield "cases:"
    for case in cases:
        yield from entry(case, 2, spread=True)
