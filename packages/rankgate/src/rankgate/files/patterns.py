"""Regular expressions that people write, with a limit of time.

`re` tries every way to match and cannot be stopped: an expression that looks harmless can take seconds on one
text, or for ever. The engine `regex` reads the same expressions and stops at a limit. What an expression may
be is still what `re` reads.
"""

from __future__ import annotations

import re
from functools import cached_property
from importlib import import_module
from typing import TYPE_CHECKING, Any

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LIMIT = 1.0
"""Seconds of computing that an expression has for one text; one that people write takes millionths."""

_SHOWN = 60
_LITERAL_BRACE = re.compile(r"(\\N\{[^}]*\}|\\.)|\{(?!\d+(?:,\d*)?\}|,\d*\})", re.DOTALL)
_FIX = "let each part match less, such as [^/]* in place of .*, and no repeat inside a repeat"


class TimedPattern:
    r"""A regular expression that somebody wrote, checked.

    Args:
        text: The expression.
        where: The option or the rule, for errors.

    Raises:
        InputError: for what is no regular expression.

    >>> TimedPattern(r"docs/(?P<name>.*)[.]md", "map[0].from").fullmatch("docs/keys.md")["name"]
    'keys'
    """

    def __init__(self, text: str, where: str) -> None:
        self.text = text
        """The expression."""
        self._where = where
        try:
            self._checked = re.compile(text)
        except (re.error, RecursionError, OverflowError) as error:
            raise InputError(
                Code.WRONG_PATTERN(where, f"{text!r} ({error})", "a regular expression")
            ) from error

    @property
    def names(self) -> Mapping[str, int]:
        """The named groups, each with its number."""
        return self._checked.groupindex

    def check_template(self, template: str, where: str) -> None:
        r"""Refuse a template that names groups which the expression does not have.

        Raises:
            InputError: with the template.
        """
        try:
            # A template is read before the text is searched, so an empty text is enough to check it.
            self._checked.sub(template, "")
        except (re.error, IndexError) as error:
            fix = f"the pattern has {self._checked.groups} groups; write \\1 or \\g<name> for them"
            raise InputError(
                Code.WRONG_PATTERN(where, f"{template!r} ({error})", "a template", fix)
            ) from error

    def fullmatch(self, text: str) -> Any:
        """Match the whole of a text; None where it does not.

        Raises:
            InputError: where that takes longer than the limit.
        """
        return self._in_time(self._engine.fullmatch, text)

    def search(self, text: str) -> Any:
        """Match a part of a text; None where none does.

        Raises:
            InputError: where that takes longer than the limit.
        """
        return self._in_time(self._engine.search, text)

    def every(self, text: str) -> list[Any]:
        """Match every part of a text, one after the other; all of it within the limit.

        Raises:
            InputError: where that takes longer than the limit.
        """
        found: list[Any] = self._in_time(
            lambda text, **limit: list(self._engine.finditer(text, **limit)), text
        )
        return found

    def _in_time(self, match: Callable[..., Any], text: str) -> Any:
        try:
            return match(text, timeout=LIMIT)
        except TimeoutError:
            start = repr(text[:_SHOWN]) + ("…" if len(text) > _SHOWN else "")
            found = f"{self.text!r}, stopped after {LIMIT:g} s on {start} ({len(text):,} characters)"
            expected = "an expression that is done in time"
            raise InputError(Code.WRONG_PATTERN(self._where, found, expected, _FIX)) from None

    @cached_property
    def _engine(self) -> Any:
        # Imported for the first text: it costs more than all else that a suite with rules needs.
        engine = import_module("regex")
        try:
            # To `re` a brace that counts nothing is text; to `regex` it may allow for errors.
            return engine.compile(_LITERAL_BRACE.sub(lambda found: found[1] or r"\{", self.text))
        except engine.error as error:
            found = f"{self.text!r} ({error})"
            raise InputError(
                Code.WRONG_PATTERN(self._where, found, "an expression that regex reads too")
            ) from error
