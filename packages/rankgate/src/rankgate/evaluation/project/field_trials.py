"""Which fields of a raw answer give hits their locations, tried on the first records that came back.

A server that answers right and is read wrong looks like a bad search: the title is taken for the path, or the
text is not taken at all. Its own records say what would do: each of their fields is tried as the path and as
the text of a hit, and what stands in the corpus is what was meant.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

from rankgate.errors import SystemFailedError
from rankgate.model.placing import LEAST_HITS, FieldSetting, HitClass, HitCounts, LocateRules
from rankgate.model.wording import many
from rankgate.systems.adapter.answers import KEYS, OFFSET_KEYS, ranking_of
from rankgate.systems.adapter.mapping import RawRecords, compiled, searched
from rankgate.systems.adapter.records import typed_row
from rankgate.truth.diagnosis import CLEAR, MappingFault, advice, best_rules
from rankgate.truth.locations.placing import Placer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.corpora.corpus import Corpus
    from rankgate.gates.scored import Scored
    from rankgate.model.search import Hit
    from rankgate.model.suite import MapRule

_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_DEEPEST = 6
_MOST_LEAVES = 200
"""How many values of a record are looked at: an embedding has more, and none of them is a path."""
_LONGEST_PATH = 1000
_SHORTEST_TEXT = 20
"""What is shorter is a title, which may stand anywhere."""
_FEW = 8
"""How many records are tried first."""
_PATH_WORDS = ("path", "file", "source", "uri", "url")
_ENDS = (("start", "end"), ("begin", "end"), ("from", "to"), ("first", "last"), ("start", "stop"))
_OFFSET = re.compile("char|offset|index|byte|token|page|time|date", re.IGNORECASE)
_LINE_PARTS = ("lines", "start", "end", *OFFSET_KEYS)
Changes = dict[str, str]


class _Worth(NamedTuple):
    """How well fields do: more is better, from the first to the last."""

    precise: int
    located: int
    exact: int
    path_known: bool
    unchanged: int


def with_field_setting(
    faults: tuple[MappingFault, ...],
    system: object,
    scored: Scored,
    corpus: Corpus | None,
    locate: LocateRules,
) -> tuple[MappingFault, ...]:
    """Return faults, the first with the fields that mend it where the raw answers of the system tell them.

    Args:
        faults: What keeps hits from their locations; none where no answer could be read.
        system: What was asked.
        scored: What came of it.
        corpus: What hits are placed in.
        locate: How the system names locations.
    """
    records = getattr(system, "raw_records", None)
    if not isinstance(records, RawRecords) or corpus is None or corpus.records:
        return faults
    targets = scored.judgments.targets
    unread = not faults and not scored.located.classes and targets["path"].is_not_null().any()
    if len(records.rows) < LEAST_HITS or any(one.rules for one in faults) or not (faults or unread):
        return faults
    wants_lines = bool(targets["start"].is_not_null().any())
    trials = FieldTrials(records, corpus, scored.suite.map_rules, locate, wants_lines=wants_lines)
    setting = trials.best()
    if setting is None:
        return faults
    said = f"no hit could be read from {many(setting.tried, 'record')} of the first answers"
    fix = advice(*filter(None, (setting, setting.rules)))
    return (MappingFault(faults[0].said if faults else said, fix, fields=setting), *faults[1:])


class FieldTrials:
    """Tries the fields of records as the parts of hits.

    Args:
        records: The records, and where the configuration looks in them.
        corpus: What hits are placed in.
        map_rules: Those of the suite.
        locate: How the system names locations.
        wants_lines: True where targets are lines of files.
    """

    def __init__(
        self,
        records: RawRecords,
        corpus: Corpus,
        map_rules: Sequence[MapRule],
        locate: LocateRules,
        *,
        wants_lines: bool,
    ) -> None:
        self._rows, self._corpus, self._map_rules = records.rows, corpus, map_rules
        self._placer = Placer(corpus, map_rules, locate)
        self._wants_lines, self._typed = wants_lines, records.typed
        self._enough = max(CLEAR * len(self._rows), 2)
        leaves = [dict(islice(_leaves(row), _MOST_LEAVES)) for row in self._rows]
        common = Counter(name for row in leaves for name in row)
        self._leaves = {
            name: [row[name] for row in leaves if name in row]
            for name, number in common.items()
            if number >= self._enough
        }
        self._fields = dict(records.fields) or self._named_as_hits()

    def best(self) -> FieldSetting | None:
        """Return the fields that locate most hits, with as little changed as can be; None where none do."""
        path, rules = self._path()
        options = list(self._options(path, self._text(path)))
        if not options:
            return None
        before = self._worth({}, None)
        changes = max(options, key=lambda one: self._worth(one, rules))
        worth = self._worth(changes, rules)
        mends = worth.precise > before.precise and worth.precise >= self._enough
        finds = worth.located > before.located and worth.located >= self._enough
        if not mends and not finds:
            return None
        used = rules if "path" in changes else None
        now, then = self._counts(self._fields), self._counts(self._with(changes), used)
        return FieldSetting(self._with(changes), len(self._rows), now, then, used)

    def _named_as_hits(self) -> Changes:
        """Return the fields that a hit has under the same name, for records that have others beside."""
        parts = [(name,) for name in KEYS if name not in _LINE_PARTS] + [("start", "end"), ("lines",)]
        known = [names for names in parts if all(_is_part(row, names) for row in self._rows)]
        return {name: name for names in known for name in names}

    def _options(self, path: str | None, text: str | None) -> Iterator[Changes]:
        named: Changes = {} if path is None else {"path": path}
        if named:
            yield named
        if text is not None:
            yield {"text": text}
            yield {**named, "text": text}
        if named or "path" in self._fields:
            for lines in self._lines():
                yield {**named, **lines}
                yield lines

    def _path(self) -> tuple[str | None, LocateRules | None]:
        """Return the field whose values are most often files of the corpus, and how they must be changed."""
        names = {
            name: values
            for name, values in self._strings().items()
            if all("\n" not in value and len(value) <= _LONGEST_PATH for value in values)
        }

        def sound(name: str) -> tuple[bool, int]:
            return any(word in name.lower() for word in _PATH_WORDS), -len(name)

        found = {name: self._counts({"path": name}).located for name in names}
        best = max(names, key=lambda name: (found[name], sound(name)), default=None)
        if best is None or found[best] >= self._enough:
            return best, None
        ruled = {name: best_rules(Counter(values), self._corpus) for name, values in names.items()}
        best = max(names, key=lambda name: (ruled[name][1], sound(name)))
        rules, mended = ruled[best]
        return (best, rules) if mended >= self._enough else (None, None)

    def _text(self, path: str | None) -> str | None:
        """Return the field whose values most often stand in the corpus."""
        named = {} if path is None else {"path": path}
        lengths = {name: median(map(len, values)) for name, values in self._strings().items()}
        # A text that is not there takes longest to look for, and a few tell whether it is.
        found = {
            name: self._counts({**named, "text": name}).precise
            for name, length in lengths.items()
            if length >= _SHORTEST_TEXT
            and name != path
            and self._counts({"text": name}, few=_FEW).precise * 2 >= min(_FEW, len(self._rows))
        }
        best = max(found, key=lambda name: (found[name], lengths[name]), default=None)
        return best if best is not None and found[best] >= self._enough else None

    def _lines(self) -> Iterator[Changes]:
        """Go through the fields that are called like the first and the last line."""
        numbers = {
            name
            for name, values in self._leaves.items()
            if all(isinstance(value, int) for value in values) and not _OFFSET.search(name)
        }
        for name in sorted(numbers):
            for start, end in _ENDS:
                for first, last in ((start, end), (start.title(), end.title())):
                    if first in name and name.replace(first, last) in numbers:
                        yield {"start": name, "end": name.replace(first, last)}
        for name in self._strings():
            if name.split(".")[-1].lower() in ("lines", "line_range", "range"):
                yield {"lines": name}

    def _strings(self) -> dict[str, list[str]]:
        """Return the fields of text that are not the same in every record."""
        return {
            name: [value for value in values if isinstance(value, str)]
            for name, values in self._leaves.items()
            if all(isinstance(value, str) for value in values) and len(set(values)) > 1
        }

    def _with(self, changes: Changes) -> Changes:
        """Return the fields with changes; lines are said in one way."""
        lines = not changes.keys().isdisjoint(_LINE_PARTS)
        kept = {name: at for name, at in self._fields.items() if not (lines and name in _LINE_PARTS)}
        return {**kept, **changes}

    def _worth(self, changes: Changes, rules: LocateRules | None) -> _Worth:
        fields = self._with(changes)
        counts = self._counts(fields, rules if "path" in changes else None)
        exact = counts.classes.get(HitClass.EXACT, 0)
        precise = counts.precise if self._wants_lines else counts.located
        wrong = (
            "path" in fields and "path" not in changes and not self._counts({"path": fields["path"]}).located
        )
        return _Worth(precise, counts.located, exact, not wrong, -len(changes))

    def _counts(
        self, fields: Mapping[str, str], rules: LocateRules | None = None, few: int | None = None
    ) -> HitCounts:
        """Place the hits that fields make of the records, or of the first few."""
        placer = self._placer if rules is None else Placer(self._corpus, self._map_rules, rules)
        placed = placer.place_hits([hit for hit in self._hits(fields, few) if hit is not None])
        classes = Counter(str(one.hit_class) for one in placed)
        return HitCounts(classes, Counter(str(one.strategy) for one in placed))

    def _hits(self, fields: Mapping[str, str], few: int | None = None) -> list[Hit | None]:
        """Return a hit for each record; None where the fields make none of it, or it is none as it is."""
        rules = {name: compiled(text, f"fields.{name}") for name, text in fields.items()}
        hits: list[Hit | None] = []
        for row in self._rows[:few]:
            try:
                found = {name: searched(rule, row, name) for name, rule in rules.items()} if rules else row
                if self._typed and isinstance(found, dict):
                    found = typed_row(found, "answer")
                hits.extend(ranking_of([found], 1)[0].hits)
            except SystemFailedError:
                hits.append(None)
        return hits


def _is_part(row: object, names: Sequence[str]) -> bool:
    """Return whether a record has parts of a hit under their own names."""
    if not isinstance(row, dict) or any(row.get(name) is None for name in names):
        return False
    try:
        ranking_of([{"id": "a record", **{name: row[name] for name in names}}], 1)
    except SystemFailedError:
        return False
    return True


def _leaves(value: object, name: str = "", depth: int = 0) -> Iterator[tuple[str, str | int]]:
    """Go through the texts and whole numbers of a record, each with the JMESPath that finds it.

    >>> list(_leaves({"meta": {"my file": "a.md"}, "parts": [{"n": 3}], "score": 0.5}))
    [('meta."my file"', 'a.md'), ('parts[0].n', 3)]
    """
    if depth > _DEEPEST:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            part = key if _PLAIN.fullmatch(key) else json.dumps(key)
            yield from _leaves(inner, f"{name}.{part}" if name else part, depth + 1)
    elif isinstance(value, list) and value and name:
        yield from _leaves(value[0], f"{name}[0]", depth + 1)
    elif name and (isinstance(value, str) or type(value) is int):
        yield name, value
