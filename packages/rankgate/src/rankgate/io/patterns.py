"""Regular expressions that people write."""

from __future__ import annotations

import re

from rankgate.errors import Code, InputError


def compiled_pattern(text: str, where: str) -> re.Pattern[str]:
    """Compile a regular expression; `where` is the option or the rule, for errors.

    Raises:
        InputError: for what is no regular expression.
    """
    try:
        return re.compile(text)
    except (re.error, RecursionError, OverflowError) as error:
        raise InputError(Code.WRONG_PATTERN(where, f"{text!r} ({error})", "a regular expression")) from error


def check_template(pattern: re.Pattern[str], template: str, where: str) -> None:
    r"""Refuse a template that names groups which a pattern does not have.

    Raises:
        InputError: with the template.
    """
    try:
        # A template is read before the text is searched, so an empty text is enough to check it.
        pattern.sub(template, "")
    except (re.error, IndexError) as error:
        fix = f"the pattern has {pattern.groups} groups; write \\1 or \\g<name> for them"
        raise InputError(Code.WRONG_PATTERN(where, f"{template!r} ({error})", "a template", fix)) from error
