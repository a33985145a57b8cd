"""pydantic models of `rankgate.toml`, and the JSON Schema that editors use."""

from __future__ import annotations

import json
import os
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, cast

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    NonNegativeInt,
    PlainValidator,
    PositiveFloat,
    PositiveInt,
    ValidationInfo,
    WithJsonSchema,
)

from rankgate import plugins
from rankgate.chunks.chunking import Chunking, read_chunking
from rankgate.errors import Code, InputError, Problem, RankgateError
from rankgate.hit_classes import LocateRules
from rankgate.io.secrets import hide
from rankgate.io.typed import (
    WORD,
    Check,
    Context,
    InvalidError,
    Seconds,
    StrictKeys,
    Text,
    constructed,
    located,
    made,
    model_of,
    read,
    shown,
    suggestion,
    text_from,
)
from rankgate.io.yaml import Document, typed
from rankgate.model import GateText
from rankgate.project.configuration import VARIABLE, Configuration, SuiteEntry, SystemEntry, SystemSource
from rankgate.runs.asking.pace import MOST_THREADS, Pace
from rankgate.systems.preparation import PREPARE_SECONDS, READY_SECONDS, Preparation
from rankgate.systems.registry import GROUP, kind_of


@dataclass
class _Context(Context):
    """What the validators of a configuration need."""

    root: Path = Path()
    systems: tuple[str, ...] = ()


_SHELL_SIGNS = frozenset({"&&", "||", "|", ";", "&", ">", ">>", "<"})


def _command_line(value: Any) -> tuple[str, ...]:
    """Return a program and its arguments. No shell reads them.

    >>> _command_line("make index"), _command_line(["make", "an index"])
    (('make', 'index'), ('make', 'an index'))

    Raises:
        ValueError: for a value that is not a command line, and for the operators of a shell.
    """
    if isinstance(value, list):
        return tuple(map(text_from, value))
    text = text_from(value)
    try:
        words = shlex.split(text)
    except ValueError as error:
        raise ValueError(f"the command line {text!r} is invalid: {str(error).lower()}.") from error
    if signs := [word for word in words if word in _SHELL_SIGNS]:
        fix = 'Write ["sh", "-c", "…"] if a shell should read it.'
        raise ValueError(f"`{signs[0]}` needs a shell, and rankgate starts programs without one. {fix}")
    return tuple(words)


def _context(info: ValidationInfo) -> _Context:
    return cast("_Context", info.context)


_Words = {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
_CommandLine = Annotated[tuple[str, ...], Check(_command_line, _Words)]


def _need(value: Any) -> str:
    text = text_from(value)
    if "$" in text and not VARIABLE.fullmatch(text):
        raise ValueError(f"expected a path, or a variable as ${{NAME}}, found {shown(text)}.")
    return text


def _ready(value: Any) -> str:
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else text_from(value)


def _env(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: text_from(one) for name, one in value.items()}
    if isinstance(value, list):
        return tuple(map(text_from, value))
    raise ValueError(f"expected a list of names, or a table of texts, found {shown(value)}.")


def _chunks(value: Any, info: ValidationInfo) -> Chunking:
    try:
        return read_chunking(value, "chunks", str(_context(info).root))
    except InputError as error:
        raise located(error.problems, below="chunks") from error


def _locate(value: Any, info: ValidationInfo) -> LocateRules:
    return made(LocateRules, value, _context(info))


class SystemKeys(StrictKeys):
    """The keys of every system."""

    noun: ClassVar[str] = "a system"
    moved: ClassVar[dict[str, str]] = {
        "gates": "Systems have no gates. Write them in the suite, or in the suite's entry of `suites`.",
        "max_errors": "Write `max_errors` at the top of the file.",
        "on_inconclusive": "Write `on_inconclusive` at the top of the file.",
    }

    needs: list[Annotated[str, Check(_need, {"type": "string"})]] = Field(
        default=[], description="Paths, and variables as ${NAME}. If one is missing, the test is skipped."
    )
    depends: list[Text] = Field(default=[], description="Globs of files that the results depend on.")
    chunks: Annotated[
        Chunking | None, PlainValidator(_chunks), WithJsonSchema({"type": ["string", "object"]})
    ] = Field(default=None, description="How the corpus is cut for an index: a chunker, or a table.")
    locate: Annotated[
        LocateRules, PlainValidator(_locate), WithJsonSchema(model_of(LocateRules).model_json_schema())
    ] = Field(default=LocateRules(), description="How the system names locations.")
    concurrency: Annotated[int, Field(ge=1, le=MOST_THREADS)] | None = Field(
        default=None, description="The number of queries that run at once."
    )
    rate: PositiveFloat | None = Field(
        default=None, description="The number of queries that begin in a second."
    )
    burst: PositiveInt | None = Field(default=None, description="The number of queries that begin at once.")
    retries: NonNegativeInt | None = Field(default=None, description="How often a query is retried.")
    warmup: NonNegativeInt | None = Field(default=None, description="Queries that each thread runs first.")
    deadline: Text | None = Field(default=None, description="When a run ends, such as 20m.")
    prepare: _CommandLine = Field(default=(), description="The program that makes what is searched.")
    prepare_timeout: Seconds = Field(default=PREPARE_SECONDS, description="The time limit of `prepare`.")
    start: _CommandLine = Field(default=(), description="The program that runs during the test, as a server.")
    ready: Annotated[str, Check(_ready, {"type": ["string", "integer"]})] = Field(
        default="", description="When `start` is ready: a URL, a port or a pattern of a printed line."
    )
    env: Annotated[Any, Check(_env, {"type": ["array", "object"]})] = Field(
        default=(), description="Variables of the programs: names, or a table of names and values."
    )
    ready_timeout: Seconds = Field(default=READY_SECONDS, description="The time limit of `ready`.")


_OWN = frozenset(SystemKeys.model_fields)


class _FunctionKeys(SystemKeys):
    function: Text = Field(description="A function, a class or a retriever: module:attr or ./file.py:attr.")


class _RunKeys(SystemKeys):
    run: Text = Field(description="A stored run: a folder, JSON Lines or a TREC file.")
    order: Literal["trec", "returned"] = Field(default="trec", description="The order of a TREC file.")


class _KindKeys(SystemKeys):
    kind: Text = Field(description="The kind of the system.")


class _OtherKindKeys(_KindKeys):
    """The keys of a kind that does not declare its options, or is not installed."""

    model_config = ConfigDict(extra="allow")


def _system_model(source: SystemSource, kind: object) -> tuple[type[SystemKeys], Any]:
    """Return the model of a system, and the dataclass of its own options, if it is known.

    Raises:
        ValidationError: for the misspelt name of a kind.
    """
    noun = f"a system with `{source}`"
    if source is SystemSource.RUN:
        return _RunKeys, None
    if source is SystemSource.FUNCTION:
        from rankgate.systems.function.system import FunctionOptions

        return model_of(FunctionOptions, _FunctionKeys, noun), FunctionOptions
    if source is SystemSource.COMMAND:
        from rankgate.systems.command import CommandOptions

        return model_of(CommandOptions, SystemKeys, noun), CommandOptions
    if not isinstance(kind, str) or kind not in (known := plugins.listed(GROUP)):
        if isinstance(kind, str) and (near := suggestion(kind, known)):
            said = f"unknown kind `{kind}`. {near}"
            raise located([Code.UNKNOWN_PLUGIN("kind", "", "", "", said)])
        return _OtherKindKeys, None  # Whoever opens it reports that it is not installed.
    try:
        options = kind_of(kind).options
    except RankgateError:
        options = None  # The same for a plug-in that does not load.
    if options is None:
        return _OtherKindKeys, None
    return model_of(options, _KindKeys, f"a system of the kind `{kind}`"), options


def _system(table: Any, info: ValidationInfo) -> SystemEntry:
    words = f"`{'`, `'.join(SystemSource)}`"
    if not isinstance(table, dict):
        raise ValueError(f"expected a table with one of {words}, found {shown(table)}.")  # noqa: TRY004
    # A plug-in may have options with the names of the other kinds: an MCP server has a command too.
    sources = [one for one in SystemSource if one in table]
    if SystemSource.PLUGIN in sources:
        sources = [SystemSource.PLUGIN]
    if len(sources) != 1:
        others = [key for key in table if key not in SystemKeys.model_fields]
        if not sources and (key := next((one for one in others if suggestion(one, SystemSource)), "")):
            said = f"unknown key `{key}`. {suggestion(key, SystemSource)}"
            raise InvalidError(said, Code.UNKNOWN_KEY, key)
        found = f"found `{'` and `'.join(sources)}`" if sources else "found none of them"
        raise ValueError(f"a system needs exactly one of the keys {words}, {found}.")
    for variable in VARIABLE.findall(str(table)):
        hide(os.environ.get(variable, ""))
    (source,) = sources
    model, options = _system_model(source, table[source])
    keys = model.model_validate(table, context=info.context)
    if bool(keys.start) != bool(keys.ready):
        found, other = ("start", "ready") if keys.start else ("ready", "start")
        said = f"`{found}` needs the key `{other}` too. "
        fix = "`ready` is a URL, a port, or a regular expression for a line that the program prints."
        raise InvalidError(said + fix, Code.MISSING_SETTING, found)
    if options is not None:
        constructed(options, keys)
    plain = typed(table)
    return SystemEntry(
        name="",
        source=source,
        target=plain[source],
        options={key: one for key, one in plain.items() if key not in _OWN - {"env"} | {source}},
        needs=tuple(keys.needs),
        pace=constructed(Pace, keys),
        chunks=keys.chunks,
        locate=keys.locate,
        depends=tuple(keys.depends),
        preparation=constructed(Preparation, keys),
    )


def _system_name(value: Any, info: ValidationInfo) -> str:
    name, known = text_from(value), _context(info).systems
    if name in known or ":" in name:
        return name
    listed = f"The systems of this file are {', '.join(known)}." if known else "This file has no systems."
    said = f"unknown system `{name}`. {suggestion(name, known) or listed}"
    raise InvalidError(said, Code.UNKNOWN_SYSTEM)


_SystemName = Annotated[str, PlainValidator(_system_name), WithJsonSchema({"type": "string"})]


def _gate(value: Any) -> GateText:
    from rankgate.gates.language import parse_gate

    gate = GateText(text_from(value))
    try:
        parse_gate(gate)
    except InputError as error:
        # A metric may be one that the suite names.
        if wrong := [one for one in error.problems if one.code is not Code.UNKNOWN_METRIC]:
            raise located(wrong) from error
    return gate


class SuiteKeys(StrictKeys):
    """The keys of an entry of `suites`."""

    noun: ClassVar[str] = "an entry of `suites`"
    moved: ClassVar[dict[str, str]] = {"suite": "file", "path": "file", "gate": "gates"}

    file: Text = Field(description="The suite, relative to the folder of this file.")
    system: _SystemName | None = Field(default=None, description="The system of this entry. Default: all.")
    gates: list[Annotated[GateText, Check(_gate, {"type": "string"})]] = Field(
        default=[], description="Gates, added to the suite's own."
    )
    unlisted: Literal["irrelevant", "unjudged"] | None = Field(
        default=None, description="What a result without a judgment is. Default: as the suite says."
    )


def _suite_entry(value: Any, info: ValidationInfo) -> SuiteEntry:
    if not isinstance(value, (str, dict)):
        raise ValueError(f"expected a file name, or a table with `file`, found {shown(value)}.")  # noqa: TRY004
    keys = SuiteKeys.model_validate(
        {"file": value} if isinstance(value, str) else value, context=info.context
    )
    return SuiteEntry(Path(keys.file).as_posix(), keys.system, tuple(keys.gates), keys.unlisted)


def _each_once(entries: list[SuiteEntry]) -> list[SuiteEntry]:
    """Reject two entries of a suite for one system, and a gate that two entries have for one system."""
    problems: list[Problem] = []
    for at, one in enumerate(entries):
        same = [other for other in entries[:at] if other.file == one.file]
        if any(other.system == one.system for other in same):
            whose = f"for the system {one.system}" if one.system else "without a system"
            said = f"{one.file} has an entry {whose} already. Remove one of them."
            problems.append(Code.REPEATED(f"[{at}]", one.file, "one entry per system", "", said))
        given = [(other, gate) for other in same for gate in other.gates]
        for number, gate in enumerate(one.gates):
            words = gate.text.split()
            also = [other.system for other, found in given if found.text.split() == words]
            if any(None in (system, one.system) or system == one.system for system in also):
                said = f"the gate {gate.text!r} is also in another entry of the suite. Remove one of them."
                problems.append(Code.REPEATED(f"[{at}].gates[{number}]", "", "", "", said))
            given.append((one, gate))
    if problems:
        raise located(problems)
    return entries


def _address(value: Any) -> str:
    text = text_from(value)
    if not text.lower().startswith(("https://", "http://")):
        said = f"expected a URL that begins with https://, found {shown(text)}."
        raise InvalidError(said, Code.WRONG_ADDRESS)
    return text


_Tables = dict[str, dict[str, Any]]


class ConfigurationKeys(StrictKeys):
    """The keys of `rankgate.toml`."""

    model_config = ConfigDict(title="rankgate.toml")
    noun: ClassVar[str] = "the configuration"
    moved: ClassVar[dict[str, str]] = {
        "gates": "Write gates in the suite, or in the suite's entry of `suites`.",
        "suite": "suites",
        "cases": "Write cases in a suite, and name its file in `suites`.",
    }

    suites: Annotated[
        list[
            Annotated[
                SuiteEntry,
                PlainValidator(_suite_entry),
                WithJsonSchema({"anyOf": [{"type": "string"}, SuiteKeys.model_json_schema()]}),
            ]
        ],
        AfterValidator(_each_once),
    ] = Field(default=[], description="The suites that `rankgate test` tests.")
    system: _SystemName | None = Field(default=None, description="The default system.")
    systems: dict[str, Annotated[SystemEntry, PlainValidator(_system), WithJsonSchema({})]] = Field(
        default={}, description="The systems, by name."
    )
    corpora_outside: bool = Field(default=False, description="A suite's corpus may be outside this folder.")
    require_baseline: list[_SystemName] = Field(
        default=[], description="Systems that must have a baseline of every suite."
    )
    max_errors: NonNegativeInt = Field(default=0, description="More queries with an error are exit code 3.")
    on_inconclusive: Literal["fail", "warn"] = Field(
        default="fail", description="What an inconclusive gate does."
    )
    xfail_strict: bool = Field(default=False, description="A known miss that passes fails the test.")
    yardstick: Literal["head", "base"] = Field(
        default="head", description="Whose test decides with --base: the change's, or the base commit's."
    )
    report_url: Annotated[str, Check(_address, {"type": "string"})] = Field(
        default="", description="Where people read the report of a test."
    )
    sweep: dict[str, Any] | None = Field(default=None, description="The variants to compare.")
    judges: _Tables = Field(default={}, description="The model judges, by name.")
    presets: _Tables = Field(default={}, description="Mappings for your own formats of suites, by name.")


def configuration_schema() -> dict[str, Any]:
    """Return the JSON Schema of `rankgate.toml`, with the options of the kinds that rankgate brings."""
    found = ConfigurationKeys.model_json_schema()
    systems = [
        _system_model(source, None)[0].model_json_schema()
        for source in SystemSource
        if source is not SystemSource.PLUGIN
    ]
    own = []
    for kind in plugins.listed(GROUP):
        model, options = _system_model(SystemSource.PLUGIN, kind)
        if options is not None and options.__module__.startswith("rankgate."):
            own.append(kind)
            one = model.model_json_schema()
            one["properties"]["kind"] = {"const": kind}
            systems.append(one)
    other = _OtherKindKeys.model_json_schema()
    other["properties"]["kind"] = {"type": "string", "not": {"enum": own}}
    found["properties"]["systems"]["additionalProperties"] = {"anyOf": [*systems, other]}
    # In YAML, numbers are text where text is expected. In TOML they are not.
    found = json.loads(json.dumps(found).replace(json.dumps(WORD["type"]), '"string"'))
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found}


def read_configuration(path: Path, document: Document) -> Configuration:
    """Read the data of a configuration file.

    Raises:
        FormatError: with every problem.
    """
    tables = document.data.get("systems") if isinstance(document.data, dict) else None
    names = tuple(tables) if isinstance(tables, dict) else ()
    keys = read(document, ConfigurationKeys, _Context(root=path.parent, systems=names))
    suites = []
    for at, entry in enumerate(keys.suites):
        places = [document.where(("suites", at, "gates", number)) for number in range(len(entry.gates))]
        gates = tuple(replace(gate, where=place) for gate, place in zip(entry.gates, places, strict=True))
        suites.append(replace(entry, gates=gates))
    return Configuration(
        root=path.parent,
        path=path,
        suites=tuple(suites),
        system=keys.system,
        systems={name: replace(entry, name=name) for name, entry in keys.systems.items()},
        corpora_outside=keys.corpora_outside,
        require_baseline=tuple(keys.require_baseline),
        max_errors=keys.max_errors,
        on_inconclusive=keys.on_inconclusive,
        xfail_strict=keys.xfail_strict,
        yardstick=keys.yardstick,
        report_url=keys.report_url,
        tables=typed(tables or {}),
        sweep=typed(keys.sweep),
        judges=typed(keys.judges),
    )
