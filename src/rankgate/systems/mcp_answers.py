"""What a tool returned, as the text that rules are applied to."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from rankgate.errors import InputError, Problem, SystemFailedError, did_you_mean
from rankgate.systems.failures import printable
from rankgate.systems.mcp_connection import either

if TYPE_CHECKING:
    from collections.abc import Mapping

Returned: TypeAlias = Literal["structured", "json", "jsonl", "lines"]
"""Where in a result the hits stand: in its structured content, or in its text, written as one of these."""


def answer_of(result: Any, output: str, where: str, limit: int) -> bytes:
    """Give the part of a tool's result that holds the hits.

    Several blocks of text are the items of a list, as servers of the SDK return lists; for lines they follow
    one another.

    Raises:
        SystemFailedError: for an error of the tool, and a result that has no such part.
    """
    texts = [block.text for block in result.content if getattr(block, "type", None) == "text"]
    others = len(result.content) - len(texts)
    if either(result, "is_error", "isError"):
        said = " ".join(" ".join(texts).split()) or "without a word"
        raise SystemFailedError(Problem(where, f"an error of the tool ({printable(said)})", "an answer"))
    structured = either(result, "structured_content", "structuredContent")
    if output == "structured":
        if structured is None:
            fix = "write output = 'json' where its text is JSON, or output = 'lines'"
            raise SystemFailedError(Problem(where, "no structured content", "some", fix))
        raw = json.dumps(structured, ensure_ascii=False).encode(errors="replace")
    elif not texts and others:
        raise SystemFailedError(Problem(where, f"{others} blocks that are not text", "text"))
    elif output == "json":
        raw = (texts[0] if len(texts) == 1 else f"[{','.join(texts)}]").encode(errors="replace")
    else:
        raw = "\n".join(texts).encode(errors="replace")
    if len(raw) > limit:
        raise SystemFailedError(Problem(where, f"more than {limit:,} bytes", "less", "raise max_output"))
    return raw


def check_tool(tools: Mapping[str, Any], tool: str, arguments: Mapping[str, object], where: str) -> None:
    """Compare what will be asked with what the server says it takes.

    A server ignores an argument that it does not know, so a misspelt one would be lost in silence.

    Raises:
        InputError: for a tool that is not there, and arguments that are unknown or missing.
    """
    if tool not in tools:
        there = ", ".join(sorted(tools)) or "none"
        raise InputError(
            Problem(f"{where}.tool", repr(tool), f"a tool of the server: {there}", did_you_mean(tool, tools))
        )
    schema = either(tools[tool], "input_schema", "inputSchema")
    if not isinstance(schema, dict):
        return
    known = schema.get("properties")
    required = schema.get("required")
    problems = []
    if isinstance(known, dict) and known and not schema.get("additionalProperties"):
        problems += [
            Problem(
                f"{where}.arguments.{name}",
                f"what {tool} does not take",
                f"one of {', '.join(known)}",
                did_you_mean(name, known),
            )
            for name in arguments
            if name not in known
        ]
    if isinstance(required, list):
        problems += [
            Problem(f"{where}.arguments", f"no {name}", f"what {tool} requires")
            for name in required
            if isinstance(name, str) and name not in arguments
        ]
    if problems:
        raise InputError(problems)
