"""A program as a system: started once for each query, without a shell."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from rankgate.errors import Code, SystemFailedError
from rankgate.io.typed import Count, Seconds
from rankgate.systems.adapter.failures import printable
from rankgate.systems.adapter.launching import Env, Launch, names_of
from rankgate.systems.adapter.mapping import MappedSystem, Mapper, MappingRules
from rankgate.systems.adapter.options import check_options
from rankgate.systems.adapter.process import ProcessLimits, Programs, ending
from rankgate.systems.adapter.records import Output
from rankgate.systems.registry import SystemKind, opener

if TYPE_CHECKING:
    from rankgate.io.digests import ContentsReader
    from rankgate.model import Query


_PLACEHOLDER = re.compile(r"\{(query|k)\}")


@dataclass(frozen=True, slots=True)
class CommandOptions:
    """How a program is asked, and how its answer is read."""

    command: tuple[str, ...]
    """The program and its arguments. ``{query}``, ``{k}``, ``{corpus}`` and ``${NAME}`` are put in and never
    split."""
    stdin: Literal["none", "query", "json"] = "none"
    """What it reads: nothing, the query, or an object with query, k and filters."""
    output: Output = "json"
    """What it prints: JSON, or text in which rules find hits; see `records`."""
    hits: str = "@"
    """JMESPath to the list of hits."""
    fields: Mapping[str, str] = field(default_factory=dict)
    """JMESPath inside a hit, by field."""
    pattern: str | None = None
    """For `lines` and `text`: a regular expression with a named group for each field."""
    empty: str | None = None
    """A regular expression that is found in text which says that there are no hits."""
    timeout: Seconds = 30.0
    """Seconds until it is ended."""
    max_output: Count = 10_000_000
    """Bytes of output until it is ended."""
    cwd: str | None = None
    """The folder it runs in."""
    env: Env = ()
    """Variables it needs beside the ordinary ones, such as PATH: names, or a table of values in which
    ``{corpus}`` and ``${NAME}`` are filled."""
    corpus_folder: str | None = None
    """What ``{corpus}`` stands for; by default the folder of the suite's corpus."""
    exit_codes: tuple[int, ...] = (0,)
    """The codes with which it ends well; grep ends with 1 where it finds nothing."""
    version: tuple[str, ...] = ()
    """A program and its arguments that print the version, such as ``["prog", "--version"]``; all that they
    print is part of what the system is made of."""

    def __post_init__(self) -> None:
        told = self.stdin != "none" or any("{query}" in argument for argument in self.command)
        check_options(
            (bool(self.command), "command", "an empty list", "a program and its arguments"),
            (told or not self.command, "command", "no {query}", "{query} in an argument, or stdin"),
        )


KIND = SystemKind(
    "A program, started once for each query",
    base="cwd",
    launches=True,
    options=CommandOptions,
)


class CommandSystem(MappedSystem[CommandOptions, "Query"]):
    """Asks a program. Several may run at once."""

    kind = "command"

    def __init__(self, options: CommandOptions, *, name: str = "command") -> None:
        super().__init__(options, name)
        launch = Launch(name, options.corpus_folder)
        self._command = launch.command(options.command, "command", "query", "k")
        self._version = launch.command(options.version, "version")
        self._env = launch.environment(options.env)
        self._programs = Programs()
        self._mapper = Mapper(MappingRules.of(options), name)

        self._told = self._asked_version() if options.version else ""
        self.version: str | None = printable(self._told.strip().partition("\n")[0]) or None
        """The first line that `version` prints."""

    def close(self) -> None:
        """End the programs that other threads still wait for, with their children."""
        self._programs.close()

    def _add_contents(self, reader: ContentsReader) -> None:
        from rankgate.io.digests import bytes_digest
        from rankgate.systems.contents import add_program

        options = self._options
        add_program(reader, options.command, options.cwd, names_of(options.env))
        if options.version:
            reader.add(f"output of {shlex.join(options.version)}", bytes_digest(self._told.encode()))

    def _asked_version(self) -> str:
        options = self._options
        finished = self._programs.run(
            self._version,
            stdin=None,
            limits=ProcessLimits(options.timeout, options.max_output),
            cwd=options.cwd,
            env=self._env,
        )
        if finished.code != 0:
            found = f"{ending(finished.code)} ({finished.last_words or 'nothing on stderr'})"
            raise SystemFailedError(Code.PROGRAM_FAILED(f"{self.name}.version", found, "exit code 0"))
        return finished.output.decode(errors="replace")

    def _request(self, query: Query) -> Query:
        return query

    def _shown(self, request: Query) -> str:
        stdin = self._stdin(request)
        return shlex.join(_filled(self._options.command, request)) + ("" if stdin is None else f"\n{stdin}")

    def _answer(self, request: Query) -> bytes:
        query, options = request, self._options
        if query.filters and options.stdin != "json":
            found = f"filters {', '.join(query.filters)}"
            expected = "a command that takes filters"
            raise SystemFailedError(Code.NOT_SUPPORTED("query", found, expected, "write stdin = 'json'"))
        stdin = self._stdin(query)
        finished = self._programs.run(
            _filled(self._command, query),
            stdin=None if stdin is None else stdin.encode(errors="replace"),
            limits=ProcessLimits(options.timeout, options.max_output),
            cwd=options.cwd,
            env=self._env,
        )
        if finished.code not in options.exit_codes:
            found = f"{ending(finished.code)} ({finished.last_words or 'nothing on stderr'})"
            expected = f"exit code {' or '.join(map(str, options.exit_codes))}"
            raise SystemFailedError(
                Code.PROGRAM_FAILED(f"command {printable(options.command[0])!r}", found, expected)
            )
        return finished.output

    def _stdin(self, query: Query) -> str | None:
        if self._options.stdin == "none":
            return None
        if self._options.stdin == "query":
            return query.text
        asked = {"query": query.text, "k": query.k, "filters": dict(query.filters)}
        return json.dumps(asked, ensure_ascii=False) + "\n"


def _filled(arguments: Sequence[str], query: Query) -> list[str]:
    parts = {"query": query.text, "k": str(query.k)}
    # One pass, so that a query that holds {k} stays what it is.
    return [_PLACEHOLDER.sub(lambda found: parts[found[1]], one) for one in arguments]


open_command = opener(CommandSystem, CommandOptions)
"""The entry point of the kind `command`."""
