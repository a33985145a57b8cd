"""One scalar of a YAML file spelt anew, in the style it had where that is legal."""

from __future__ import annotations

import json
import re
import warnings
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError
from ruamel.yaml.nodes import MappingNode, ScalarNode, SequenceNode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ruamel.yaml.nodes import Node

# An anchor or a tag, and what may stand between it and the value.
_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*(?:\s|#[^\r\n]*)*)*")
_HEADER = re.compile(r"[|>][^\r\n]*(?:\r\n|\r|\n)")
_TEXT = "tag:yaml.org,2002:str"
_BROKEN = re.compile("[\x7f-\xa0\u2028\u2029\ufeff]")


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a scalar stands, which decides what it may look like."""

    flow: bool
    """Whether it is inside brackets or braces."""
    key: bool = False
    """Whether it is the key of a mapping."""


def respelt(body: str, node: ScalarNode, text: str, setting: Setting) -> str | None:
    """Give what to write between the marks of a scalar so that it says `text`; None where nothing will do.

    An anchor or a tag before the value stays. Quotes stay where the text allows them, and come where it needs
    them; a block of one line stays a block.

    Args:
        body: The whole file.
        node: The scalar.
        text: What it should say.
        setting: Where it stands.
    """
    written = body[node.start_mark.index : node.end_mark.index]
    found = _PROPERTIES.match(written)
    before = "" if found is None else found[0]
    if node.style in ("|", ">"):
        block = _in_block(written[len(before) :], value_of(node), text)
        return None if block is None else before + block
    for spelling in _spellings(text, node.style):
        if _says(spelling, text, setting):
            return before + spelling
    return None


def value_of(node: ScalarNode) -> str:
    """Give what a scalar says; the parser marks where a folded one was folded."""
    return str(node.value).replace("\a", "") if node.style == ">" else str(node.value)


def composed(text: str) -> Node | None:
    """Compose a YAML text for its marks; None for what is not YAML, or empty."""
    try:
        with warnings.catch_warnings():
            # An anchor that is used again is legal, and no concern of whoever moves places.
            warnings.simplefilter("ignore")
            root: Node | None = YAML().compose(StringIO(text))
    except (YAMLError, RecursionError, ValueError):
        return None
    return root


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


def _says(spelling: str, text: str, setting: Setting) -> bool:
    """Read a spelling in a setting like its own, and see what comes out."""
    if setting.flow:
        probe = f"{{{spelling}: 1}}" if setting.key else f"[{spelling}, 1]"
    else:
        probe = f"- {spelling}: 1\n  x: 1\n" if setting.key else f"- x: {spelling}\n  y: 1\n"
    root = composed(probe)
    node: Node | None = root
    if isinstance(node, SequenceNode) and node.value:
        node = node.value[0]
    if isinstance(node, MappingNode) and node.value and not (setting.flow and not setting.key):
        node = node.value[0][0 if setting.key else 1]
    return isinstance(node, ScalarNode) and node.value == text and str(node.tag) == _TEXT
