"""The setting that gives hits their locations, tried on what came back and written into the configuration."""

from __future__ import annotations

import json
import tomllib
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError
from rankgate.evaluation.configuration import NAME, SystemSource
from rankgate.evaluation.placing import PlacedRun
from rankgate.evaluation.project.toml_edit import read_toml_text, with_inline_table, write_first_that_says
from rankgate.model.placing import LocateRules
from rankgate.model.wording import many, shortest
from rankgate.runs.store.hits import hit_counts
from rankgate.truth.locations.placing import Placer

if TYPE_CHECKING:
    from pathlib import Path

    from rankgate.evaluation.configuration import Configuration, SystemEntry
    from rankgate.evaluation.evaluation import Evaluation
    from rankgate.model.placing import FieldSetting


@dataclass(frozen=True, slots=True)
class MappingFix:
    """Settings, and what they do to the hits of a run, or to those of its first answers."""

    system: str
    """The system they are for."""
    rules: LocateRules | None
    """How locations are named, with what was set before; None where that stays as it is."""
    fields: FieldSetting | None
    """Where the parts of a hit are in an answer; None where that stays as it is."""
    tried: int
    """On how many hits they were tried."""
    before: int
    """How many of them have a location."""
    after: int
    """How many would have one."""
    kind: str = "a location"
    """What is counted."""

    @property
    def helps(self) -> bool:
        """Whether more hits have a location with them."""
        return self.after > self.before

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings, as a configuration has them."""
        return tuple(str(one) for one in (self.fields, self.rules) if one is not None)

    def __str__(self) -> str:
        tried = many(self.tried, "hit") if self.fields is None else f"the first {many(self.tried, 'hit')}"
        words = " and ".join(self.settings)
        return (
            f"{self.system}: {self.before:,} of {tried} have {self.kind}; with {words}, {self.after:,} have"
        )


def mapping_fix(evaluation: Evaluation, entry: SystemEntry) -> MappingFix | None:
    """Return the setting that an evaluation proposes, tried on its hits; None where it proposes none."""
    found = next((fault for fault in evaluation.scored.faults if fault.setting), None)
    if found is None:
        return None
    if (setting := found.fields) is not None:
        rules = None if setting.rules is None else replace(entry.locate, **_keys(setting.rules))
        now, then = setting.before, setting.after
        if then.located > now.located:
            return MappingFix(entry.name, rules, setting, setting.tried, now.located, then.located)
        exact = "an exact location"
        return MappingFix(entry.name, rules, setting, setting.tried, now.precise, then.precise, exact)
    rules = replace(entry.locate, **_keys(found.rules or LocateRules()))
    placer = Placer(evaluation.corpus, evaluation.suite.map_rules, rules)
    before, after = evaluation.scored.located, hit_counts(PlacedRun(evaluation.run, placer))
    return MappingFix(entry.name, rules, None, sum(before.classes.values()), before.located, after.located)


def write_mapping(fix: MappingFix, entry: SystemEntry, configuration: Configuration) -> Path:
    """Write the settings into the configuration, and return its file; one is made where there is none.

    Raises:
        InputError: for a file in which there is no place for them.
    """
    path = configuration.path or configuration.root / NAME
    text = "" if configuration.path is None else read_toml_text(path)
    head = () if path.name == NAME else ("tool", "rankgate")
    section = tomllib.loads(text)
    for name in head:
        section = section[name]
    if entry.name not in section.get("systems", {}):
        text = _with_table(text, ".".join((*head, "systems")), entry, " and ".join(fix.settings))
    for line in fix.settings:
        found = with_inline_table(text, (*head, "systems", entry.name), line)
        if found is None:
            advice = f"write it into the table of {entry.name} by hand: {line}"
            problem = Code.CANNOT_EDIT(
                str(shortest(path)), "no line where a setting can stand", "one for it", advice
            )
            raise InputError(problem)
        text = found
    write_first_that_says(path, [text], tomllib.loads(text))
    return path


def _keys(rules: LocateRules) -> dict[str, Any]:
    """Return the settings that are not as usual."""
    return {one.name: value for one in fields(rules) if (value := getattr(rules, one.name)) != one.default}


def _with_table(text: str, head: str, entry: SystemEntry, settings: str) -> str:
    """Return the text of a configuration with a table for a system that has none."""
    if entry.source is not SystemSource.FUNCTION or not isinstance(entry.target, str):
        advice = f"add a table for it that has {settings}"
        raise InputError(
            Code.CANNOT_EDIT(entry.name, "a system without a table", "one of the configuration", advice)
        )
    end = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith("\n") else end
    space = end if text.strip() else ""
    name = f"[{head}.{json.dumps(entry.name, ensure_ascii=False)}]"
    own = f"{entry.source} = {json.dumps(entry.target, ensure_ascii=False)}"
    return end.join([f"{text}{gap}{space}{name}", own, ""])
