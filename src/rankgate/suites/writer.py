"""Adding to a suite that a person wrote: comments, order and layout stay as they are."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ruamel.yaml import YAML
from ruamel.yaml.nodes import MappingNode, SequenceNode

from rankgate.errors import FormatError, Problem
from rankgate.files.atomic import replacing
from rankgate.suites.native import parse_suite, read_native

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ruamel.yaml.nodes import Node

    from rankgate.model.suite import Suite

_BOM = "\ufeff"
_WIDE = 1 << 20


def append_case(path: str | Path, mapping: Mapping[str, Any]) -> None:
    """Add a case behind the last one; the file is replaced whole or not at all.

    Not a byte of what is there changes, unless the last value is an alias; JSON stays JSON.

    Args:
        path: The suite.
        mapping: The case, with the keys that a suite has: query, at or id, reviewed, source, …

    Raises:
        FormatError: for a suite or a case that is not valid, or a compressed file.
    """
    path = Path(path)
    before = read_native(path).cases
    try:
        written = path.read_bytes().decode()
    except UnicodeDecodeError as error:
        raise FormatError(Problem(str(path), "a compressed file", "plain YAML", "uncompress it")) from error
    crlf = "\r\n" in written
    text = written.replace("\r\n", "\n").removeprefix(_BOM)
    longer = _appended(text, mapping)
    if _checked(longer, path).cases[:-1] != before:
        # The last value is an alias, say, and ends elsewhere in the file.
        longer = _dumped_anew(text, mapping)
        _checked(longer, path)
    whole = (_BOM if written.startswith(_BOM) else "") + (longer.replace("\n", "\r\n") if crlf else longer)
    with replacing(path) as aside:
        aside.write_bytes(whole.encode())


def _appended(text: str, mapping: Mapping[str, Any]) -> str:
    cases = _cases(YAML().compose(StringIO(text)))
    if cases.flow_style:
        at = cases.value[-1].end_mark.index
        return f"{text[:at]}, {json.dumps(dict(mapping), ensure_ascii=False)}{text[at:]}"
    lines = text.split("\n")
    end = _last(cases).end_mark
    at = end.line if end.column == 0 else end.line + 1
    if at >= len(lines):
        lines.append("")
    new = _block(mapping, cases.start_mark.column)
    return "\n".join([*lines[:at], *new, *lines[at:]])


def _cases(root: Node) -> SequenceNode:
    if isinstance(root, MappingNode):
        for key, value in root.value:
            if key.value == "cases" and isinstance(value, SequenceNode):
                return value
    raise FormatError(Problem("suite", "no list of cases", "a list to append to"))


def _last(node: Node) -> Node:
    """Give the value that ends last; behind it may come comments, which stay behind what is added."""
    while isinstance(node, (MappingNode, SequenceNode)) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(node, MappingNode) else last
    return node


def _block(mapping: Mapping[str, Any], column: int) -> list[str]:
    yaml = YAML(typ="safe", pure=True)
    yaml.default_flow_style = False
    yaml.sort_base_mapping_type_on_output = False  # type: ignore[assignment]
    yaml.allow_unicode = True
    yaml.width = _WIDE
    out = StringIO()
    yaml.dump([dict(mapping)], out)
    return [" " * column + line if line else line for line in out.getvalue().rstrip("\n").split("\n")]


def _dumped_anew(text: str, mapping: Mapping[str, Any]) -> str:
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = _WIDE
    data = yaml.load(StringIO(text))
    data["cases"].append(dict(mapping))
    out = StringIO()
    yaml.dump(data, out)
    return out.getvalue()


def _checked(text: str, path: Path) -> Suite:
    """Refuse a case that would make the suite unreadable, before anything is written."""
    try:
        return parse_suite(text, path)
    except FormatError as error:
        raise FormatError(
            [Problem(f"case for {path}", each.found, each.expected, each.fix) for each in error.problems]
        ) from error
