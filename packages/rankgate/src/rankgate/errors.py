"""Errors that say where, what was found, what was expected, and what to do.

    RankgateError
    ├── InputError        what a person or a file said is wrong          exit 2
    │   ├── LocationError     a location such as ``docs/a.md:10-50``
    │   ├── FormatError       a file that is not in its format
    │   ├── ExpressionError   a metric expression
    │   └── PluginError       a plugin that is unknown or does not load
    ├── SystemFailedError the system under test failed                   exit 3
    │   └── RetriableError    it may answer if it is asked again
    └── CrashedError      a fault of rankgate itself                     exit 70

A file is read to its end before it is refused, so that one error carries every `Problem` in it.
Anything else that is raised is a fault of rankgate itself, which the edges show as a `CrashedError`.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field, replace
from enum import IntEnum, StrEnum, auto
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from types import TracebackType
    from typing import Self


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong, in the four parts a reader needs.

    >>> print(Problem("q.qrels:3", found="grade 'x'", expected="a number", fix="correct the line"))
    q.qrels:3: found grade 'x', expected a number; correct the line

    What has a plain sentence is told by it:

    >>> print(Problem("docs/x.md", found="no such file", expected="a file that can be read"))
    docs/x.md does not exist
    >>> print(Problem("--system", "'ap'", "a system", "did you mean app?", said="unknown system 'ap'"))
    unknown system 'ap'; did you mean app?
    """

    where: str
    """File and line, or a path inside a file such as ``cases[3].at``."""
    found: str
    """What stands there now."""
    expected: str
    """What should stand there."""
    fix: str = ""
    """What to do about it, where that is not plain from `expected`."""
    said: str = ""
    """A plain sentence for what was found where, in place of "found …, expected …"; it says what both say."""
    code: Code | None = field(default=None, compare=False, repr=False)
    """Its kind; None until it is raised by an error, whose class then says it."""

    @property
    def coded(self) -> str:
        """The problem with its code at the end, as people are shown it."""
        return f"{self} [{self.code}]" if self.code else str(self)

    def __str__(self) -> str:
        return f"{self._sentence()}; {self.fix}" if self.fix else self._sentence()

    def _sentence(self) -> str:
        if self.said:
            return self.said
        if self.found.lower().startswith(_ABSENT):
            wanted = "" if self.expected.startswith(_READABLE) else f", expected {self.expected}"
            return f"{self.where} does not exist{wanted}"
        return f"{self.where}: found {self.found}, expected {self.expected}"


_ABSENT, _READABLE = "no such file", "a file that can be read"
_FULL = ("no space left", "disk quota exceeded")


class Code(StrEnum):
    """Error codes; tools/explained.toml has the meaning and the fix of each.

    A code is never given another meaning, and one that is no longer raised is kept as a name of the page.

    >>> Code.NO_SUCH_FILE
    <Code.NO_SUCH_FILE: 'no-such-file'>
    >>> Code.UNKNOWN_CASE("--case", "'keys'", "a case").code
    <Code.UNKNOWN_CASE: 'unknown-case'>
    """

    @staticmethod
    def _generate_next_value_(name: str, start: int, count: int, last_values: list[str]) -> str:  # noqa: ARG004
        return name.lower().replace("_", "-")

    def __call__(self, where: str, found: str, expected: str, fix: str = "", said: str = "") -> Problem:
        """Return a problem of this kind; of a file that cannot be opened, the system's own words say more."""
        code = self
        if self is Code.UNREADABLE_FILE:
            words = found.lower()
            code = Code.NO_SUCH_FILE if words.startswith(_ABSENT) else self
            code = Code.NO_SPACE if words.startswith(_FULL) else code
        return Problem(where, found, expected, fix, said, code)

    USAGE = auto()
    CONFLICT = auto()
    MISSING_OPTION = auto()
    WRONG_OPTION = auto()
    NO_SUITE = auto()
    NO_SYSTEM = auto()
    UNKNOWN_SYSTEM = auto()
    UNKNOWN_CASE = auto()
    AMBIGUOUS = auto()
    STORED_RUN = auto()
    NEEDS_CONSENT = auto()
    NO_REPORT = auto()
    PORT_TAKEN = auto()
    WRONG_INPUT = auto()
    CRASHED = auto()
    NO_SUCH_FILE = auto()
    UNREADABLE_FILE = auto()
    ALREADY_THERE = auto()
    CHANGED_MEANWHILE = auto()
    NOT_UTF8 = auto()
    BAD_SYNTAX = auto()
    TOO_LARGE = auto()
    DAMAGED_FILE = auto()
    NEWER_VERSION = auto()
    NO_SPACE = auto()
    WRONG_FORMAT = auto()
    UNKNOWN_FORMAT = auto()
    UNKNOWN_KEY = auto()
    WRONG_VALUE = auto()
    REPEATED = auto()
    NO_CASES = auto()
    BAD_LOCATION = auto()
    TARGET_NOT_FOUND = auto()
    TARGETS_GONE = auto()
    NO_CORPUS = auto()
    CANNOT_EDIT = auto()
    CANNOT_CONVERT = auto()
    UNKNOWN_METRIC = auto()
    WRONG_METRIC = auto()
    METRIC_NEEDS = auto()
    DEPTH_TOO_SMALL = auto()
    WRONG_GATE = auto()
    UNKNOWN_SLICE = auto()
    NOTHING_SCORED = auto()
    ESTIMATED_LABELS = auto()
    WRONG_NUMBERS = auto()
    OUTSIDE_PROJECT = auto()
    EMPTY_CORPUS = auto()
    UNPARSABLE = auto()
    NO_SUCH_COMMIT = auto()
    GIT_FAILED = auto()
    NOT_PINNED = auto()
    HASH_MISMATCH = auto()
    UNSAFE_ARCHIVE = auto()
    TWO_CONFIGURATIONS = auto()
    MISSING_SETTING = auto()
    VARIABLE_NOT_SET = auto()
    WRONG_ADDRESS = auto()
    WRONG_PATTERN = auto()
    UNKNOWN_PLACEHOLDER = auto()
    NOT_SUPPORTED = auto()
    MISSING_EXTRA = auto()
    UNKNOWN_PLUGIN = auto()
    BROKEN_PLUGIN = auto()
    NOT_IMPORTABLE = auto()
    WRONG_SIGNATURE = auto()
    UNKNOWN_TOOL = auto()
    NO_INDEX = auto()
    NO_CONNECTION = auto()
    CERTIFICATE = auto()
    STATUS = auto()
    TIMED_OUT = auto()
    DEADLINE = auto()
    NOT_STARTED = auto()
    PROGRAM_FAILED = auto()
    PREPARE_FAILED = auto()
    SYSTEM_RAISED = auto()
    TOOL_FAILED = auto()
    QUERY_REFUSED = auto()
    FILTERS_LOST = auto()
    WRONG_ANSWER = auto()
    PARTIAL_ANSWER = auto()
    ANSWER_TOO_LARGE = auto()
    SYSTEM_FAILED = auto()
    NO_ANSWERS = auto()
    MISSING_ANSWERS = auto()
    OTHER_ANSWERS = auto()
    UNFINISHED_RUN = auto()
    RUN_UNDER_WAY = auto()
    PARTS_DO_NOT_FIT = auto()
    NO_BASELINE = auto()
    WRONG_BASELINE = auto()
    UNKNOWN_JUDGE = auto()
    NO_LABELS = auto()
    WRONG_LABEL = auto()
    WRONG_SWEEP = auto()
    UNKNOWN_VARIANT = auto()


__all__ = [
    "TRACEBACK",
    "Code",
    "CrashedError",
    "EscapedError",
    "ExitCode",
    "ExpressionError",
    "FormatError",
    "InputError",
    "LocationError",
    "PluginError",
    "Problem",
    "RankgateError",
    "RetriableError",
    "SystemFailedError",
    "contained",
    "crash_text",
    "described",
    "did_you_mean",
    "escaped",
]


class ExitCode(IntEnum):
    """What a command's exit code says; of several, the one that stands first here wins.

    Each has what it means in a few words, for the help of commands, and in a sentence, for the documents.
    """

    brief: str
    """What it means, in a few words."""

    def __new__(cls, value: int, brief: str = "", meaning: str = "") -> Self:
        """Make a code that knows what it means; the sentence is its docstring."""
        self = int.__new__(cls, value)
        self._value_, self.brief, self.__doc__ = value, brief, meaning
        return self

    CRASHED = 70, "rankgate crashed", "rankgate crashed; `RANKGATE_TRACEBACK=1` shows where"
    INTERRUPTED = 130, "stopped", "interrupted from the keyboard; completed queries were saved"
    CLOSED_PIPE = 141, "output closed", "whoever read the output closed it, as `head` does"
    WRONG_CALL = (
        2,
        "the suite or the call is wrong",
        "the suite, a file or the call is wrong, targets are missing, or a gate is over nothing",
    )
    SYSTEM_FAILED = (
        3,
        "the system failed",
        (
            "the system failed on more queries than `max_errors`, no query has a result, "
            "or results can't be located"
        ),
    )
    GATE_FAILED = (
        1,
        "a gate failed",
        "a gate or a check failed; of `rankgate suite …`, something is left to do",
    )
    INCONCLUSIVE = (
        4,
        "undecided",
        'a gate is inconclusive; with `on_inconclusive = "warn"` the exit code is 0',
    )
    PASSED = 0, "passed", "everything that is enforced passed"

    @classmethod
    def worst(cls, codes: Iterable[ExitCode]) -> ExitCode:
        """Return the one that wins.

        >>> ExitCode.worst([ExitCode.PASSED, ExitCode.INCONCLUSIVE, ExitCode.GATE_FAILED]).name
        'GATE_FAILED'
        """
        return min(codes, key=list(cls).index, default=cls.PASSED)


class RankgateError(Exception):
    """The root of every error that rankgate raises on purpose."""

    exit_code: ClassVar[ExitCode] = ExitCode.WRONG_CALL
    default_code: ClassVar[Code] = Code.WRONG_INPUT
    """The kind of problems that say none themselves."""

    def __init__(self, problems: Problem | Sequence[Problem] | str) -> None:
        given = (
            () if isinstance(problems, str) else (problems,) if isinstance(problems, Problem) else problems
        )
        self.problems: tuple[Problem, ...] = tuple(
            one if one.code else replace(one, code=self.default_code) for one in given
        )
        text = problems if isinstance(problems, str) else "\n".join(map(str, self.problems))
        super().__init__(text)

    @property
    def coded(self) -> str:
        """What is wrong, each problem with its code at the end, as people are shown it.

        >>> InputError(Code.CONFLICT("--resume", "--limit too", "one of the two")).coded
        '--resume: found --limit too, expected one of the two [conflict]'
        """
        return "\n".join(one.coded for one in self.problems) or f"{self} [{self.code}]"

    @property
    def code(self) -> Code:
        """The kind of the first problem."""
        return (self.problems and self.problems[0].code) or self.default_code


class InputError(RankgateError):
    """The suite, a file or the call is wrong."""


class LocationError(InputError, ValueError):
    """A location that cannot be parsed."""

    default_code: ClassVar[Code] = Code.BAD_LOCATION


class FormatError(InputError, ValueError):
    """A file that is not in the format it claims."""

    default_code: ClassVar[Code] = Code.WRONG_FORMAT


class ExpressionError(InputError, ValueError):
    """A metric expression that cannot be read."""

    default_code: ClassVar[Code] = Code.WRONG_METRIC


class PluginError(InputError, LookupError):
    """A plugin that is unknown, or that does not load."""

    default_code: ClassVar[Code] = Code.BROKEN_PLUGIN


class SystemFailedError(RankgateError):
    """The system under test did not answer as a system should."""

    exit_code: ClassVar[ExitCode] = ExitCode.SYSTEM_FAILED
    default_code: ClassVar[Code] = Code.SYSTEM_FAILED


class RetriableError(SystemFailedError):
    """The system is busy or out of reach for now; the same query may be answered later."""

    default_code: ClassVar[Code] = Code.NO_CONNECTION

    def __init__(
        self,
        problems: Problem | Sequence[Problem] | str,
        retry_after: float | None = None,
        status: int | None = None,
    ) -> None:
        super().__init__(problems)
        self.retry_after = retry_after
        """How many seconds it asks to be left alone, where it says so."""
        self.status = status
        """The status of its answer, where there was one."""


class CrashedError(RankgateError):
    """What nobody expected, as the edges show it: a fault of rankgate itself."""

    exit_code: ClassVar[ExitCode] = ExitCode.CRASHED
    default_code: ClassVar[Code] = Code.CRASHED

    def __init__(self, problems: Problem | Sequence[Problem] | str, kind: str = "", found: str = "") -> None:
        super().__init__(problems)
        self.kind = kind
        """What was raised and where, without its message, which may quote anything: for comments."""
        self.found = found
        """What was raised with its message; after its traceback, where that is asked for."""

    @classmethod
    def of(cls, error: BaseException) -> CrashedError:
        """Return what is shown of an exception that nobody expected."""
        raised = error.error if isinstance(error, EscapedError) else error
        return cls(crash_text(error), type(raised).__name__ + _raised_at(error), _whole(error))


class EscapedError(Exception):
    """What is no `Exception` and would pass by every handler, raised by code that is not ours.

    No error of rankgate: where it is not told as what a system did, it is a crash.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(described(error))
        self.error = error
        """What was raised."""


class contained:  # noqa: N801 - reads as a verb where it is used
    """Runs code that is not ours: what it raises and is no `Exception` becomes one, but for Ctrl-C.

    >>> with contained():
    ...     raise SystemExit(0)
    Traceback (most recent call last):
    rankgate.errors.EscapedError: SystemExit: 0

    Raises:
        EscapedError: for what is raised and is no Exception.
    """

    def __enter__(self) -> None:
        return

    def __exit__(self, _kind: object, error: BaseException | None, trace: TracebackType | None) -> None:
        if error is not None and not isinstance(error, (Exception, KeyboardInterrupt)):
            raise EscapedError(error).with_traceback(trace) from None


def described(error: BaseException) -> str:
    """Format an exception by its type and message; whatever it is, this does not fail.

    >>> described(KeyError("x")), described(EscapedError(GeneratorExit()))
    ("KeyError: 'x'", 'GeneratorExit')
    """
    if isinstance(error, EscapedError):
        error = error.error
    try:
        message = str(error)
    except Exception:  # noqa: BLE001 - an exception of a user may refuse to be shown
        message = ""
    return f"{type(error).__name__}: {message}" if message else type(error).__name__


_CANDIDATES, _COMPARED = 20, 200


def did_you_mean(
    word: str, known: Iterable[str], *, most: int = 1, cutoff: float = 0.6, otherwise: str = ""
) -> str:
    """Name what a misspelt word was perhaps meant to be, or say something else where nothing is near.

    >>> did_you_mean("catgory", ["category", "group"])
    'did you mean category?'
    """
    near = near_names(word, known, most, cutoff)
    return f"did you mean {' or '.join(near)}?" if near else otherwise


def near_names(word: str, known: Iterable[str], most: int, cutoff: float = 0.6) -> list[str]:
    """Return the names like a word, most similar first; of long names only the start is compared.

    >>> near_names("catgory", ["category", "group"], 3)
    ['category']
    """
    from difflib import SequenceMatcher
    from heapq import nlargest

    # The time of a full comparison grows with the product of the lengths, so few names are compared.
    matcher = SequenceMatcher(b=word[:_COMPARED])

    def likeness(name: str, *, quick: bool = False) -> float:
        matcher.set_seq1(name[:_COMPARED])
        return matcher.quick_ratio() if quick else matcher.ratio()

    candidates = nlargest(_CANDIDATES, known, key=lambda name: likeness(name, quick=True))
    rated = [(rate, name) for name in candidates if (rate := likeness(name)) >= cutoff]
    return [name for _, name in nlargest(most, rated)]


def escaped(text: str, keep: str = "") -> str:
    r"""Show control characters as escapes, but for those to `keep`, so that no text steers a terminal.

    >>> escaped("red \x1b[31m")
    'red \\x1b[31m'
    """
    return "".join(
        char if char.isprintable() or char in keep else char.encode("unicode_escape").decode()
        for char in text
    )


TRACEBACK = "RANKGATE_TRACEBACK"
"""The variable that asks for the traceback of a crash."""


def crash_text(error: BaseException) -> str:
    """Format what nobody expected in one line; after its traceback, where `TRACEBACK` is set."""
    asked = _asked()
    fix = "report it with this output" if asked else f"report it with the output under {TRACEBACK}=1"
    found = f"{_message(error)}{_raised_at(error)}"
    line = f"rankgate crashed: {found}; this is a fault of rankgate itself: {fix}"
    return f"{_trace(error)}{line}" if asked else line


def _asked() -> bool:
    return os.environ.get(TRACEBACK, "") not in ("", "0")


def _whole(error: BaseException) -> str:
    return _trace(error).rstrip(_NEWLINE) if _asked() else _message(error)


def _message(error: BaseException) -> str:
    return escaped(" ".join(described(error).split())[:_LONGEST_CRASH])


def _trace(error: BaseException) -> str:
    import traceback

    return escaped("".join(traceback.format_exception(error)), keep=_NEWLINE)


def _raised_at(error: BaseException) -> str:
    import traceback
    from pathlib import Path

    frames = traceback.extract_tb(error.__traceback__)
    return f" at {Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


_LONGEST_CRASH = 400
_NEWLINE = "\n"
