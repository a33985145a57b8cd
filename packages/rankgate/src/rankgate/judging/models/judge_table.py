"""``[judges.NAME]`` of ``rankgate.toml``: who may be asked to grade passages, beside the systems.

    [judges.reader]
    kind = "http"                         # or "function", "command"
    prompt = "judging/prompt.md"          # with {query}, {passage}, {path}, {outline}, {guidelines}, {scale}
    repeats = 3                           # how often each passage is asked; the median counts
    concurrency = 4                       # how hard it is asked; also rate, burst, retries
    cost_per_1000_tokens = 0.002          # or cost_per_call: what is shown before anything is asked
    url = "https://models.example.org/v1/chat/completions"
    headers = { Authorization = "Bearer ${MODEL_KEY}" }
    body = { model = "any", messages = [{ role = "user", content = "{prompt}" }] }
    answer = "choices[0].message.content" # where in the JSON the answer is

What is left over are the options of its kind. Suites name no judge: they are data.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field, NonNegativeFloat

from rankgate.errors import Code, InputError, did_you_mean
from rankgate.io.typed import read_options
from rankgate.runs.asking.pace import Pace
from rankgate.systems.adapter.options import check_options, not_both
from rankgate.truth.judgments.labels import check_judge

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from rankgate.project.configuration import Configuration

KINDS = {"function": "function", "command": "command", "http": "url"}
"""The kinds of judges, each with the option that only it has."""
_PACE = ("concurrency", "rate", "burst", "retries")


@dataclass(frozen=True, slots=True)
class JudgeSettings:
    """What every judge is told, whatever its kind."""

    prompt: str
    """The file with the prompt, relative to the configuration."""
    kind: str | None = None
    """One of `KINDS`; where it is not said, the options tell."""
    repeats: Annotated[int, Field(ge=1, le=99)] = 1
    """How often each passage is asked."""
    cost_per_call: NonNegativeFloat | None = None
    """What one call costs, in whatever currency."""
    cost_per_1000_tokens: NonNegativeFloat | None = None
    """What 1,000 tokens of a prompt cost; those of answers come on top."""

    def __post_init__(self) -> None:
        check_options(not_both(self, "cost_per_call", "cost_per_1000_tokens"))


_OURS = (*(one.name for one in fields(JudgeSettings)), *_PACE)


@dataclass(frozen=True, slots=True)
class JudgeEntry:
    """One model judge, as the configuration describes it."""

    name: str
    """What people call it; its log is ``judgments/NAME.jsonl``."""
    kind: str
    """One of `KINDS`."""
    root: Path
    """The folder of the configuration, which its files are relative to."""
    settings: JudgeSettings
    """What every judge is told."""
    pace: Pace = field(default_factory=Pace)
    """How hard it is asked."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """The options of its kind."""

    @property
    def where(self) -> str:
        """Its table, for errors."""
        return f"judges.{self.name}"


def judge_entry(configuration: Configuration, name: str | None) -> JudgeEntry:
    """Find a judge of a configuration; where none is named and there is only one, that one.

    Raises:
        InputError: where there is none of that name, or its table is not right.
    """
    tables = configuration.judges
    known = ", ".join(tables) or "none yet"
    if name is None and len(tables) != 1:
        fix = f"say --judge NAME (known: {known})"
        raise InputError(Code.UNKNOWN_JUDGE("--judge", "no judge named", "one of rankgate.toml", fix))
    name = next(iter(tables)) if name is None else name
    if name not in tables:
        fix = did_you_mean(name, tables, otherwise="write a table [judges.NAME]")
        said = f"unknown judge {name!r}; {configuration.path or 'rankgate.toml'} has: {known}"
        raise InputError(Code.UNKNOWN_JUDGE("--judge", repr(name), "a judge of rankgate.toml", fix, said))
    return _entry(configuration, name, tables[name])


def _entry(configuration: Configuration, name: str, table: object) -> JudgeEntry:
    where = f"judges.{name}"
    check_judge(name, where)
    if not isinstance(table, dict):
        raise InputError(Code.WRONG_VALUE(where, f"{table!r:.80}", "a table with kind, prompt and options"))
    given = {key: value for key, value in table.items() if key in _OURS and key not in _PACE}
    settings = read_options(JudgeSettings, given, where)
    pace = read_options(Pace, {key: table[key] for key in _PACE if key in table}, where)
    kind = settings.kind or _told_kind(table, where)
    if kind not in KINDS:
        raise InputError(Code.WRONG_VALUE(f"{where}.kind", repr(kind), f"one of {', '.join(KINDS)}"))
    options = {key: value for key, value in table.items() if key not in _OURS}
    return JudgeEntry(name, kind, configuration.root, settings, pace, options)


def _told_kind(table: Mapping[str, Any], where: str) -> str:
    told = [kind for kind, option in KINDS.items() if option in table]
    if len(told) != 1:
        found = " and ".join(KINDS[kind] for kind in told) or "none of them"
        raise InputError(Code.WRONG_VALUE(where, found, f"one of {', '.join(KINDS.values())}"))
    return told[0]
