"""The sentences of a section, as a person reads them: without code, markup, tables and addresses."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

CODE = "\ue000"
"""Stands before what was written as code in a sentence."""

_FENCE = re.compile(r"\s*(`{3,}|~{3,}|:{3,})")
_HEADING = re.compile(r"\s{0,3}#{1,6}\s|\s*([=\-~^\"'*+#`:.<>_])\1{2,}\s*\Z")
_LEFT_OUT = re.compile(r"\s*(?:[|<!]|\.\. |\[\^?[^\]]+\]:|\{%|\{\{|\{#|:[\w-]+:(?!`)|>>>|\$ |=== |\?\?\?)")
_LISTED = re.compile(r"\s*(?:[-*+•]|\d+[.)]|#\.)\s+")
_MARKUP = (
    (re.compile(r"<[^<>`]+>(?=`__?)"), ""),
    (re.compile(r"<!--.*?-->|</?[a-zA-Z][^<>]*>"), " "),
    (re.compile(r"!\[[^\]]*\]\([^)]*\)|\[\^[^\]]*\]|\{[^{}`]*\}(?!`)"), ""),
    (re.compile(r"\[([^\]]+)\](?:\([^()]*(?:\([^()]*\))?[^()]*\)|\[[^\]]*\])"), r"\1"),
    (re.compile(r"\[([^\[\]]+)\]"), r"\1"),
    (re.compile(r"(?:\{[\w:+-]+\}|:[\w:+-]+:)`~?([^`<]*?)\s*(?:<[^`>]*>)?`"), r"`\1`"),
    (re.compile(r"(?<!`)`([^`]+?)\s*`__?(?!\w)"), r"\1"),
    (re.compile(r"(`+)\s*~?\.?(.+?)\s*\1"), rf"{CODE}\2"),
    (re.compile(r"(?<!\w)(\*{1,3}|_{1,2})(\S.*?\S|\S)\1(?!\w)"), r"\2"),
    (re.compile(r"\\(?=\W)"), ""),
    (re.compile(r"\s+"), " "),
)
_STEP = re.compile(r"\s*(?:\d+[.)] |>>> |\$ )")
_INSTRUCTION = re.compile(
    r"(?:\w+ly )?(?:add|call|change|choose|click|create|define|enter|fill|go|install|make|open|pass|pick|"
    r"press|put|run|select|send|set|start|tick|type|use|write)\b",
    re.IGNORECASE,
)
_END = re.compile(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?<!etc\.)(?<!vs\.)[\"')]*\s+(?=[\"'(]*[A-Z])|:\s*\Z")


def sentences(lines: Sequence[str]) -> list[str]:
    r"""Return the sentences of the lines below a heading, paragraph by paragraph.

    >>> sentences(["Run `a` to see [more](x.md). It is fast.", "", "```", "# no text", "```", "    code"])
    ['Run \ue000a to see more.', 'It is fast.']
    """
    return [
        whole
        for paragraph in _paragraphs(lines)
        for one in _END.split(_unmarked(paragraph))
        if re.search(r"\w", whole := one.strip())
    ]


def shown(lines: Sequence[str]) -> float:
    """Return how much lines show how something is done.

    Code, steps and instructions show it (1); names of code may say what to use (0.5); other text, 0.

    >>> [shown([line]) for line in ("    run()", "1. Press enter", "Open it.", "It calls `run`.", "It runs.")]
    [1.0, 1.0, 1.0, 0.5, 0.0]
    """
    if code_of(lines) or any(map(_STEP.match, lines)) or any(map(_INSTRUCTION.match, sentences(lines))):
        return 1.0
    return 0.5 if any("`" in line for line in lines) else 0.0


def code_of(lines: Sequence[str]) -> str:
    r"""Return the lines that are code: fenced, or indented and no item of a list.

    >>> code_of(["Run it:", "", "```", "run()", "```", "", "    stop()", "- an item"])
    'run()\n    stop()'
    """
    found, fence = [], ""
    for line in lines:
        opened = _FENCE.match(line)
        if opened and not fence:
            fence = opened[1]
        elif opened and opened[1].startswith(fence):
            fence = ""
        elif fence or (re.match(r" {4}|\t", line) and not _LISTED.match(line)):
            found.append(line)
    return "\n".join(found)


def plain_text(text: str) -> str:
    """Return a text of Markdown or reStructuredText without its markup.

    >>> plain_text("Use :func:`~app.run` or **`flask run`**, see `the docs <https://a.example>`_.")
    'Use app.run or flask run, see the docs.'
    """
    return _unmarked(text).replace(CODE, "")


def _unmarked(text: str) -> str:
    for pattern, kept in _MARKUP:
        text = pattern.sub(kept, text)
    return text.strip()


def _paragraphs(lines: Sequence[str]) -> Iterator[str]:
    """Join the lines of each paragraph; what is indented or fenced, a table or an item of a list is none."""
    fence = ""
    held: list[str] = []
    skipping = False
    for line in lines:
        opened = _FENCE.match(line)
        if fence or opened:
            if not fence and opened:
                fence = opened[1]
            elif opened and opened[1].startswith(fence):
                fence = ""
            yield from _closed(held)
        elif not line.strip() or _HEADING.match(line):
            skipping = False
            yield from _closed(held)
        elif skipping:
            continue
        elif _LEFT_OUT.match(line) or _LISTED.match(line) or (line[:1] in " \t" and not held):
            skipping = True
            yield from _closed(held)
        else:
            held.append(line.strip())
    yield from _closed(held)


def _closed(held: list[str]) -> Iterator[str]:
    if held:
        yield " ".join(held)
        held.clear()
