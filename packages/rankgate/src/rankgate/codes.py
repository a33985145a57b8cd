"""Kinds of problems, each with a stable code that the page of errors explains.

A kind makes its problems: `Code.NO_SUCH_FILE("docs/x.md", found, expected)`. A plain `Problem` takes its kind
from the class of the error that is raised with it, as every file that is not in its format does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum, auto


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
