"""YAML read as plain mappings, lists and texts, with no more values than the file writes.

The file is composed and never constructed, so no tag makes an object; numbers, dates and truth values stay
the texts they were written as.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rankgate.errors import FormatError, Problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ruamel.yaml.nodes import Node

LIMIT = 20_000_000
"""How many characters a file may have; the parser needs seconds for each million."""
EXPANSION = 100_000
"""How many values a file may have beyond those it writes, by way of aliases."""
DEPTH = 100
"""How deep values may be nested."""

_TAG = "tag:yaml.org,2002:"


def read_yaml(text: str, where: str) -> Any:
    """Read YAML.

    Raises:
        FormatError: for what is not YAML, is too large or too deep, or unfolds into far more than it writes.
    """
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    if len(text) > LIMIT:
        fix = "write it as JSON, which is read faster"
        raise FormatError(Problem(where, f"{len(text)} characters of YAML", f"at most {LIMIT}", fix))
    try:
        node = YAML(typ="safe", pure=True).compose(text)
    except YAMLError as error:
        said = " ".join(str(error).split())
        raise FormatError(Problem(where, f"what is not YAML ({said:.200})", "YAML or JSON")) from error
    except (ValueError, LookupError, AttributeError, TypeError) as error:
        # The parser lets a few of its own mistakes through on texts that are not YAML.
        raise FormatError(Problem(where, f"what is not YAML ({error!s:.200})", "YAML or JSON")) from error
    except RecursionError as error:
        raise FormatError(Problem(where, "values nested too deeply", f"at most {DEPTH} levels")) from error
    if node is None:
        raise FormatError(Problem(where, "an empty file", "YAML or JSON"))
    _check_size(node, where)
    return _plain(node)


def _check_size(root: Node, where: str) -> None:
    """Refuse files that unfold into far more than they write, and values that hold themselves."""
    sizes: dict[int, int] = {}

    def size(node: Node, depth: int) -> int:
        known = sizes.get(id(node))
        if known == 0 or depth > DEPTH:
            found = "a value that holds itself" if known == 0 else "values nested too deeply"
            raise FormatError(Problem(where, found, f"at most {DEPTH} levels"))
        if known is None:
            sizes[id(node)] = 0
            known = sizes[id(node)] = 1 + sum(size(child, depth + 1) for child in _children(node))
        return known

    if size(root, 0) - len(sizes) > EXPANSION:
        expected = f"at most {EXPANSION} more values than are written"
        found = "aliases that unfold into too many values"
        raise FormatError(Problem(where, found, expected, "write the values out"))


def _children(node: Node) -> Iterator[Node]:
    value = node.value
    if isinstance(value, list):
        for item in value:
            yield from item if isinstance(item, tuple) else (item,)


def _plain(node: Node) -> Any:
    from ruamel.yaml.nodes import MappingNode, SequenceNode

    if isinstance(node, MappingNode):
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        for key, value in node.value:
            if key.tag == f"{_TAG}merge":
                found = _plain(value)
                for mapping in found if isinstance(found, list) else [found]:
                    merged = {**(mapping if isinstance(mapping, dict) else {}), **merged}
            elif not isinstance(key.value, list):
                own[str(key.value)] = _plain(value)
        return {**merged, **own}
    if isinstance(node, SequenceNode):
        return [_plain(item) for item in node.value]
    return None if node.tag == f"{_TAG}null" else str(node.value)
