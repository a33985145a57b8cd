"""One scalar of a YAML file spelt anew, in the style it had where that is legal."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from rankgate.errors import FormatError
from rankgate.files.problems import Problems
from rankgate.files.tree.values import Source
from rankgate.files.tree.yaml_scalars import tag_of
from rankgate.files.tree.yaml_tree import NotYamlError, compose

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.files.tree.values import Value

# An anchor or a tag, and what may stand between it and the value.
_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*(?:\s|#[^\r\n]*)*)*")
_HEADER = re.compile(r"[|>][^\r\n]*(?:\r\n|\r|\n)")
_BROKEN = re.compile("[\x7f-\xa0\u2028\u2029\ufeff]")


def respelt(body: str, node: Value, text: str, *, flow: bool, key: bool = False) -> str | None:
    """Return what to write between the marks of a scalar so that it says `text`; None where nothing will do.

    An anchor or a tag before the value stays. Quotes stay where the text allows them, and come where it needs
    them; a block of one line stays a block.

    Args:
        body: The whole file.
        node: The scalar.
        text: What it should say.
        flow: Whether it stands inside brackets or braces, which decides what it may look like.
        key: Whether it is the key of a mapping.
    """
    written = body[node.start : node.end]
    found = _PROPERTIES.match(written)
    before = "" if found is None else found[0]
    if node.style in ("|", ">"):
        block = _in_block(written[len(before) :], node.raw, text)
        return None if block is None else before + block
    for spelling in _spellings(text, node.style):
        if _says(spelling, text, flow=flow, key=key):
            return before + spelling
    return None


def composed(text: str) -> Value | None:
    """Compose a YAML text for where its values stand; None for what is not YAML, or empty."""
    try:
        return compose(text, Source("", Problems(""))).root
    except (NotYamlError, FormatError):
        return None


def _in_block(written: str, value: str, text: str) -> str | None:
    header = _HEADER.match(written)
    content = value.strip()
    if header is None or not content or "\n" in content or text != text.strip():
        return None
    at = written.find(content, header.end())
    return None if at < 0 else written[:at] + text + written[at + len(content) :]


def _spellings(text: str, style: str | None) -> Iterator[str]:
    # What a terminal does not show is escaped; a colon at the end is not read alike by all parsers.
    if style not in ("'", '"') and text.isprintable() and not text.endswith(":"):
        yield text
    if style != '"' and text.isprintable():
        yield "'" + text.replace("'", "''") + "'"
    yield _escaped(json.dumps(text, ensure_ascii=False))
    yield _escaped(json.dumps(text))


def _escaped(quoted: str) -> str:
    """Escape what JSON leaves as it is and YAML takes for a line break, or does not allow."""
    return _BROKEN.sub(lambda char: f"\\u{ord(char[0]):04x}", quoted)


def _says(spelling: str, text: str, *, flow: bool, key: bool) -> bool:
    """Read a spelling in a setting like its own, and see what comes out."""
    if flow:
        probe = f"{{{spelling}: 1}}" if key else f"[{spelling}, 1]"
    else:
        probe = f"- {spelling}: 1\n  x: 1\n" if key else f"- x: {spelling}\n  y: 1\n"
    node = composed(probe)
    if node is not None and node.kind == "list":
        node = node.items()[0]
    if node is not None and node.kind == "mapping" and not (flow and not key):
        node = node.pairs()[0][0 if key else 1]
    if node is None or node.kind != "text" or node.raw != text:
        return False
    return node.style != "" or tag_of(text) == "str"
