"""Map rules, checked before they meet the first hit."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem

if TYPE_CHECKING:
    from rankgate.model.suite import MapRule


def compiled(rule: MapRule, where: str = "map") -> re.Pattern[str]:
    """Compile a rule's pattern, and check that its template names only groups that the pattern has.

    Raises:
        InputError: for a pattern that is no regular expression, or a template that does not fit it.
    """
    try:
        pattern = re.compile(rule.pattern)
    except (re.error, RecursionError, OverflowError) as error:
        found = f"{rule.pattern!r} ({error})"
        raise InputError(Problem(f"{where}.from", found, "a regular expression")) from error
    try:
        # The template is read before the text is searched, so an empty text is enough to check it.
        pattern.sub(rule.template, "")
    except (re.error, IndexError) as error:
        fix = f"the pattern has {pattern.groups} groups; write \\1 or \\g<name> for them"
        raise InputError(Problem(f"{where}.to", f"{rule.template!r} ({error})", "a template", fix)) from error
    return pattern
