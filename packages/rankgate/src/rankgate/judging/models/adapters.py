"""The three kinds of model judges: a function, a program that reads the prompt, a server that is sent it.

They are asked by what asks systems: the same client, limits, placeholders and masks. No model and no vendor
is known here.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol

from rankgate.errors import Code, InputError, SystemFailedError, contained
from rankgate.io.typed import Count, Seconds, read_options
from rankgate.judging.models.prompt import PLACEHOLDERS
from rankgate.limited_calls import LeftBehindError, LimitedCalls
from rankgate.systems.adapter.failures import TimedOutError, failed, printable
from rankgate.systems.adapter.launching import Env, Launch
from rankgate.systems.adapter.mapping import compiled, searched
from rankgate.systems.adapter.options import check_options, load_hook
from rankgate.systems.adapter.process import ProcessLimits, Programs, ending
from rankgate.systems.adapter.records import AnswerReader, ReadingRules
from rankgate.systems.adapter.templates import check_json, check_placeholders, filled_with
from rankgate.systems.adapter.variables import read_server, variables_in
from rankgate.systems.http.system import open_client

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.judging.models.judge_table import JudgeEntry
    from rankgate.judging.models.prompt import FilledPrompt

PROMPT = "{prompt}"
"""What becomes the filled prompt in the body of a request."""
_WHOLE = "@"
_TIMEOUT = 60.0
_MOST_BYTES = 1_000_000


class ModelJudge(Protocol):
    """Grades a passage."""

    def ask(self, prompt: FilledPrompt) -> object:
        """Ask once, and return the object that it answered, or its JSON.

        Raises:
            SystemFailedError: where there is no answer.
        """
        ...

    def close(self) -> None:
        """End whatever is still under way."""
        ...


@dataclass(frozen=True, slots=True)
class FunctionJudgeOptions:
    """How a function is called."""

    function: str
    """The function, as ``module:attr`` or ``./file.py:attr``. Its parameters are called `prompt`, or as the
    placeholders are."""
    timeout: Seconds = _TIMEOUT
    """Seconds until it is left behind."""
    root: str = "."
    """The folder that modules are imported from and files are relative to."""


class FunctionJudge:
    """Calls a function."""

    def __init__(self, options: FunctionJudgeOptions, where: str) -> None:
        self._options = options
        found = load_hook(options.function, options.root, f"{where}.function")
        if not callable(found) or inspect.iscoroutinefunction(found):
            kind = "an async function" if callable(found) else f"a {type(found).__name__}"
            raise InputError(
                Code.WRONG_SIGNATURE(f"{where}.function", kind, "a function that returns its answer")
            )
        self._function: Callable[..., object] = found
        self._parameters = _parameters(found, f"{where}.function")
        self._calls = LimitedCalls()

    def ask(self, prompt: FilledPrompt) -> object:
        """Call it with what its parameters name."""
        known = {**prompt.values, "prompt": prompt.text}
        given = {name: known[name] for name in self._parameters}

        def call() -> object:
            with contained():
                return self._function(**given)

        try:
            return self._calls.call(call, self._options.timeout)
        except LeftBehindError as error:
            problem = Code.TIMED_OUT(
                self._options.function, str(error), "an answer", "its thread was left behind"
            )
            raise TimedOutError(problem) from error
        except Exception as error:
            raise failed(error, self._options.function) from error

    def close(self) -> None:
        """Leave it as it is."""


def _parameters(function: Callable[..., object], where: str) -> tuple[str, ...]:
    known = ("prompt", *PLACEHOLDERS)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (ValueError, TypeError):
        return ("prompt",)
    needed = [one for one in parameters if one.default is one.empty]
    for one in needed:
        if one.name not in known or one.kind in {one.POSITIONAL_ONLY, one.VAR_POSITIONAL, one.VAR_KEYWORD}:
            raise InputError(
                Code.WRONG_SIGNATURE(where, f"the parameter {one}", f"parameters of {', '.join(known)}")
            )
    return tuple(one.name for one in parameters if one.name in known)


@dataclass(frozen=True, slots=True)
class CommandJudgeOptions:
    """How a program is asked; it reads the prompt and prints its answer."""

    command: tuple[str, ...]
    """The program and its arguments; ``${NAME}`` is read from the environment."""
    answer: str = _WHOLE
    """JMESPath to the answer in the JSON that is printed."""
    timeout: Seconds = _TIMEOUT
    """Seconds until it is ended."""
    max_output: Count = _MOST_BYTES
    """Bytes of output until it is ended."""
    cwd: str | None = None
    """The folder it runs in."""
    env: Env = ()
    """Variables it needs beside the ordinary ones, as for systems."""

    def __post_init__(self) -> None:
        check_options(
            (bool(self.command), "command", "an empty list", "a program and its arguments"),
        )


class CommandJudge:
    """Starts a program for each call, without a shell."""

    def __init__(self, options: CommandJudgeOptions, where: str) -> None:
        self._options = options
        launch = Launch(where)
        self._command = launch.command(options.command, "command")
        self._env = launch.environment(options.env)
        self._reader = _AnswerIn(options.answer, where)
        self._programs = Programs()

    def ask(self, prompt: FilledPrompt) -> object:
        """Start it, and read what it prints."""
        options = self._options
        finished = self._programs.run(
            self._command,
            stdin=prompt.text.encode(errors="replace"),
            limits=ProcessLimits(options.timeout, options.max_output),
            cwd=options.cwd,
            env=self._env,
        )
        if finished.code != 0:
            found = f"{ending(finished.code)} ({finished.last_words or 'nothing on stderr'})"
            raise SystemFailedError(
                Code.PROGRAM_FAILED(f"command {printable(options.command[0])!r}", found, "exit code 0")
            )
        return self._reader.read(finished.output)

    def close(self) -> None:
        """End the programs that still run."""
        self._programs.close()


@dataclass(frozen=True, slots=True)
class HttpJudgeOptions:
    """How a server is asked."""

    url: str
    """Where."""
    body: Mapping[str, object]
    """What is sent as JSON; ``{prompt}`` is the filled prompt, ``${NAME}`` is read from the environment."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers; ``${NAME}`` is read from the environment."""
    answer: str = _WHOLE
    """JMESPath to the answer in the JSON that comes back: an object, or a text that is the JSON of one."""
    timeout: Seconds = _TIMEOUT
    """Seconds from the look-up of the host to the last byte of the answer."""
    max_body: Count = _MOST_BYTES
    """Bytes of an answer, unpacked."""
    follow_redirects: bool = False
    """True where a redirect to the same host is followed."""
    ca_file: str | None = None
    """Certificates to trust in place of the system's."""
    proxy: Literal["none", "environment"] = "none"
    """Whether HTTP_PROXY and the like are followed."""
    root: str = "."
    """The folder that `ca_file` is relative to."""


class HttpJudge:
    """Sends the prompt to a server; threads share its connections."""

    def __init__(self, options: HttpJudgeOptions, where: str) -> None:
        check_json(options.body, f"{where}.body")
        check_placeholders(options.body, ("prompt",), f"{where}.body")
        self._url, headers = read_server(options.url, options.headers, where)
        self._headers = {
            "Accept-Encoding": "gzip",
            "User-Agent": "rankgate",
            "Content-Type": "application/json",
            **headers,
        }
        self._variables = variables_in(options.body, f"{where}.body")
        self._body = dict(options.body)
        if PROMPT not in json.dumps(self._body):
            raise InputError(
                Code.UNKNOWN_PLACEHOLDER(f"{where}.body", "no {prompt}", "{prompt} in one of its strings")
            )
        self._reader = _AnswerIn(options.answer, where)
        self._client = open_client(options, self._url, "POST", where)

    def ask(self, prompt: FilledPrompt) -> object:
        """Send it, and read what comes back."""
        from rankgate.systems.http.client import Request

        filled = filled_with(self._body, {"prompt": prompt.text}, self._variables)
        body = json.dumps(filled, ensure_ascii=False).encode(errors="replace")
        raw = self._client.ask(Request("POST", self._url, self._headers, body))
        return self._reader.read(raw)

    def close(self) -> None:
        """Close the connections."""
        self._client.close()


class _AnswerIn:
    """Finds the answer in what a program or a server returned."""

    def __init__(self, rule: str, where: str) -> None:
        self._text, self._rule = rule, compiled(rule, f"{where}.answer")
        self._json = AnswerReader(ReadingRules(), (), where)

    def read(self, raw: bytes) -> object:
        text = raw.decode(errors="replace")
        if self._text == _WHOLE:
            return text
        found = searched(self._rule, self._json.read(text.encode(errors="replace")).value, "answer")
        if found is None:
            raise SystemFailedError(
                Code.WRONG_ANSWER(f"answer {self._text!r}", "nothing", "an answer", "see the JSON")
            )
        return found


_KINDS: dict[str, tuple[Any, Any, str]] = {
    "function": (FunctionJudge, FunctionJudgeOptions, "root"),
    "command": (CommandJudge, CommandJudgeOptions, "cwd"),
    "http": (HttpJudge, HttpJudgeOptions, "root"),
}


def open_judge(entry: JudgeEntry) -> ModelJudge:
    """Open a judge.

    Raises:
        InputError: for options that are wrong, a variable that is not set, a function that does not load.
    """
    judge, options, base = _KINDS[entry.kind]
    given = {base: str(entry.root), **entry.options}
    read = read_options(options, given, entry.where)
    opened: ModelJudge = judge(read, entry.where)
    return opened
