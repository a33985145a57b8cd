"""What an option `fields` may name: the parts of a hit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import Problem
from rankgate.systems.answers import KEYS

if TYPE_CHECKING:
    from collections.abc import Iterable


def field_problems(fields: Iterable[str], where: str = "fields") -> list[Problem]:
    """Give a problem for each name that is no part of a hit.

    >>> [problem.where for problem in field_problems({"id": "sku", "nmae": "name"})]
    ['fields.nmae']
    """
    expected = f"one of {', '.join(KEYS)}"
    return [Problem(f"{where}.{name}", "an unknown field", expected) for name in fields if name not in KEYS]
