"""Asks the tools of the reference system in this process, and holds answers to their schemas."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate_reference.tools.every import TOOLS, call
from rankgate_reference.tools.tool import Desk

if TYPE_CHECKING:
    from rankgate_reference.answers import Answer
    from rankgate_reference.library.library import Library


def desk_of(library: Library) -> Desk:
    return Desk(library, lambda _mode, query: library.search(query))


def told(desk: Desk, name: str, /, **given: object) -> Answer:
    import jsonschema

    answer = call(desk, name, given)
    assert not answer.error, answer.text
    jsonschema.validate(answer.data, TOOLS[name].output_schema())
    return answer


def refused(desk: Desk, name: str, /, **given: object) -> str:
    answer = call(desk, name, given)
    assert answer.error
    assert not answer.data
    assert "Traceback" not in answer.text
    return answer.text
