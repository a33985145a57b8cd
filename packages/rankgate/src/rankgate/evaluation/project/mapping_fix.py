"""The setting that gives hits their locations, tried on what was kept and written into the configuration."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from rankgate.errors import InputError, Problem
from rankgate.evaluation.configuration import NAME, SystemSource
from rankgate.evaluation.placing import PlacedRun
from rankgate.evaluation.project.toml_edit import read_toml_text, write_first_that_says
from rankgate.model.placing import HitClass, LocateRules
from rankgate.model.wording import many, shortest
from rankgate.runs.store.hits import hit_counts
from rankgate.truth.locations.placing import Placer

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.evaluation.configuration import Configuration, SystemEntry
    from rankgate.evaluation.evaluation import Evaluation
    from rankgate.model.placing import HitCounts


@dataclass(frozen=True, slots=True)
class MappingFix:
    """A setting, and what it does to the hits of a run."""

    system: str
    """The system it is for."""
    rules: LocateRules
    """The setting, with what was set before."""
    before: HitCounts
    """Where hits were."""
    after: HitCounts
    """Where they would be."""

    @property
    def helps(self) -> bool:
        """Whether more hits have a location with it."""
        return _located(self.after) > _located(self.before)

    def __str__(self) -> str:
        total = many(sum(self.before.classes.values()), "hit")
        now, then = _located(self.before), _located(self.after)
        return f"{self.system}: {now:,} of {total} have a location; with {self.rules}, {then:,} have"


def _located(counts: HitCounts) -> int:
    return sum(number for one, number in counts.classes.items() if HitClass(one).located)


def mapping_fix(evaluation: Evaluation, entry: SystemEntry) -> MappingFix | None:
    """Return the setting that an evaluation proposes, tried on its hits; None where it proposes none."""
    found = next((fault.rules for fault in evaluation.scored.faults if fault.rules is not None), None)
    if found is None:
        return None
    rules = replace(entry.locate, **_keys(found))
    placer = Placer(evaluation.corpus, evaluation.suite.map_rules, rules)
    after = hit_counts(PlacedRun(evaluation.run, placer))
    return MappingFix(entry.name, rules, evaluation.scored.located, after)


def write_mapping(fix: MappingFix, entry: SystemEntry, configuration: Configuration) -> Path:
    """Write a setting into the configuration, and return its file; one is made where there is none.

    Raises:
        InputError: for a file in which there is no place for it.
    """
    path = configuration.path or configuration.root / NAME
    text = "" if configuration.path is None else read_toml_text(path)
    wanted = tomllib.loads(text)
    section = wanted if path.name == NAME else wanted["tool"]["rankgate"]
    systems = section.setdefault("systems", {})
    known = entry.name in systems
    table = systems.setdefault(entry.name, {} if known else _table(entry, fix.rules))
    table["locate"] = _keys(fix.rules)
    head = "systems" if path.name == NAME else "tool.rankgate.systems"
    texts = _with_setting(text, str(fix.rules), head, entry, known=known)
    if write_first_that_says(path, texts, wanted):
        return path
    advice = f"write it into the table of {entry.name} by hand: {fix.rules}"
    raise InputError(Problem(str(shortest(path)), "no place for a setting", "one for locate", advice))


def _keys(rules: LocateRules) -> dict[str, Any]:
    """Return the settings that are not as usual."""
    return {one.name: value for one in fields(rules) if (value := getattr(rules, one.name)) != one.default}


def _table(entry: SystemEntry, rules: LocateRules) -> dict[str, Any]:
    if entry.source is not SystemSource.FUNCTION or not isinstance(entry.target, str):
        advice = f"add a table for it that has {rules}"
        raise InputError(Problem(entry.name, "a system without a table", "one of the configuration", advice))
    return {str(entry.source): entry.target}


def _with_setting(text: str, line: str, head: str, entry: SystemEntry, *, known: bool) -> Iterator[str]:
    """Return the text with the setting at every place where it could stand, the best first."""
    end = "\r\n" if "\r\n" in text else "\n"
    if not known:
        gap = "" if not text or text.endswith("\n") else end
        space = end if text.strip() else ""
        name = f"[{head}.{json.dumps(entry.name, ensure_ascii=False)}]"
        own = f"{entry.source} = {json.dumps(entry.target, ensure_ascii=False)}"
        yield end.join([f"{text}{gap}{space}{name}", own, line, ""])
        return
    lines = text.splitlines(keepends=True)
    for at, found in enumerate(lines):
        if found.lstrip().startswith("locate"):
            yield "".join([*lines[:at], line, end, *lines[at + 1 :]])
    for at, found in enumerate(lines):
        if found.lstrip().startswith("["):
            gap = "" if found.endswith("\n") else end
            # Behind the line that says what the system is, where that comes next.
            for behind in (at + 2, at + 1):
                before = "".join(lines[:behind])
                gap = "" if before.endswith("\n") else end
                yield "".join([before, gap, line, end, *lines[behind:]])
