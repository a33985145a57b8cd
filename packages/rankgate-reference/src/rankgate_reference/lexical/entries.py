"""What of a node reaches Tantivy: its names, its text, and of a long one overlapping parts of its text.

BM25 counts a word less the longer the text is that it stands in, and a function of 900 lines has a word of
everything. What a few lines of it say would be lost, so parts of it are found too, each with the names of the
node; whatever finds the node, it is found once, by the best of them.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache
from itertools import chain, pairwise, repeat
from typing import TYPE_CHECKING, Any

from rankgate_reference.documents.nodes import RECORD
from rankgate_reference.lexical.fields import bodies_of, names_of
from rankgate_reference.lexical.files_first import is_test
from rankgate_reference.lexical.titles import titles_of
from rankgate_reference.lexical.words import chunks_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.lexical.weights import Weights
    from rankgate_reference.lexical.words import Cut

WHOLE, PART = "whole", "part"
"""What an entry holds of its node."""

_STEP, _LONG = 40, 120
_LINES = 2 * _STEP
_MARK = "\x1f"
_LONG_NAME = 65_530 // 4


def parts_of(node: TreeNode) -> list[TreeNode]:
    r"""Return a node of more than 120 lines in overlapping parts of 80 lines; no parts of a record.

    >>> from rankgate_reference.documents.nodes import nodes_of
    >>> [long] = nodes_of("log.txt", "\n".join(map(str, range(1, 161))))
    >>> [(part.text.split()[0], part.text.split()[-1]) for part in parts_of(long)]
    [('1', '80'), ('41', '120'), ('81', '160')]
    """
    if not _is_long(node):
        return []
    lines = node.text.split("\n")
    starts = range(0, len(lines) - _STEP, _STEP)
    return [replace(node, text="\n".join(lines[start : start + _LINES])) for start in starts]


def _is_long(node: TreeNode) -> bool:
    return node.kind != RECORD and node.text.count("\n") >= _LONG


def schema_of(engine: Any) -> Any:
    """Return the fields of an index."""
    builder = engine.SchemaBuilder()
    for name in ("text", "names"):
        builder.add_text_field(name, tokenizer_name="whitespace", index_option="freq")
    for name in ("id", "path"):
        builder.add_text_field(name, stored=True, tokenizer_name="raw", index_option="basic")
    for name in ("facets", "keys", "titles", "holds"):
        builder.add_text_field(name, tokenizer_name="raw", index_option="basic")
    for name in ("start", "end"):
        builder.add_unsigned_field(name, stored=True)
    for name in ("file", "order"):
        builder.add_unsigned_field(name, fast=True)
    return builder.build()


def entries_of(engine: Any, nodes: Sequence[TreeNode], weights: Weights, cut: Cut) -> Iterator[Any]:
    """Make what Tantivy takes of the nodes of a file; the first of them has the facets of all.

    Args:
        engine: Tantivy.
        nodes: The nodes of one file.
        weights: What counts how often.
        cut: Takes what the texts are cut into.
    """
    in_order = sorted(range(len(nodes)), key=lambda at: nodes[at].id)
    orders = {at: order for order, at in enumerate(in_order)}
    keys = sorted({key for node in nodes for key in node.facets})
    places: dict[str, str] = {}
    for at, node in enumerate(nodes):
        names = _name_terms(node, weights, cut, places)
        titles = [sound(title) for title in titles_of(node)]
        for holds, body in zip(chain((WHOLE,), repeat(PART)), _body_terms(node, weights, cut), strict=False):
            entry = _entry(engine, node, names, body)
            for title in titles:
                entry.add_text("titles", title)
            entry.add_text("holds", holds)
            entry.add_unsigned("order", orders[at])
            if at == 0 and holds == WHOLE:
                for key in keys:
                    entry.add_text("keys", key)
            yield entry


def _entry(engine: Any, node: TreeNode, names: str, body: str) -> Any:
    entry = engine.Document()
    add = entry.add_text
    add("names", names)
    add("text", f"{names} {body}")
    for field, name in (("id", node.id), ("path", node.path)):
        add(field, name)
        if len(name) >= _LONG_NAME:
            # The first is what is read, any is what is looked up.
            add(field, key_of(name))
    for key, values in node.facets.items():
        for value in values:
            add("facets", facet_of(key, value))
    entry.add_unsigned("start", node.start)
    entry.add_unsigned("end", max(node.start, node.own_end))
    entry.add_unsigned("file", _number(node.path, record=node.kind == RECORD))
    return entry


def _name_terms(node: TreeNode, weights: Weights, cut: Cut, places: dict[str, str]) -> str:
    """Return the terms of a node's names; nodes beside each other share those of their place."""
    title, symbol, place = names_of(node)
    shared = places.get(place)
    if shared is None:
        shared = places[place] = _terms((place,), (weights.place,), cut)
    return f"{_terms((title, symbol), (weights.title, weights.symbol), cut)} {shared}"


def _body_terms(node: TreeNode, weights: Weights, cut: Cut) -> list[str]:
    """Return the terms of a node's text, and then those of its parts."""
    often = (weights.code, weights.description)
    if often[0] != often[1]:
        return [_terms(bodies_of(one), often, cut) for one in (node, *parts_of(node))]
    if not _is_long(node):
        return [_terms((node.text,), often, cut)]
    # No word goes on in the next line, so that parts that overlap are cut once.
    lines = node.text.split("\n")
    blocks = [_terms(("\n".join(lines[at : at + _STEP]),), often, cut) for at in range(0, len(lines), _STEP)]
    return [" ".join(blocks), *map(" ".join, pairwise(blocks))]


def _terms(texts: Sequence[str], often: Sequence[int], cut: Cut) -> str:
    """Return the terms of texts, each as often as it counts."""
    if often.count(1) == len(often):
        chunks = chunks_of(" ".join(texts) if len(texts) > 1 else texts[0])
    else:
        chunks = [chunk for text, many in zip(texts, often, strict=False) for chunk in chunks_of(text) * many]
    return " ".join(map(cut.__getitem__, chunks))


@lru_cache(1024)
def _number(path: str, *, record: bool) -> int:
    """Return a number for a file, which is odd for tests; the id of a record says nothing."""
    number = int.from_bytes(hashlib.blake2b(path.encode(), digest_size=7).digest())
    return number << 1 | (not record and is_test(path))


def key_of(name: str) -> str:
    """Return the term that a name is looked up by: Tantivy takes none that is longer than 65,530 bytes."""
    return name if len(name) < _LONG_NAME else hashlib.sha256(name.encode()).hexdigest()


@lru_cache(1024)
def facet_of(key: str, value: str) -> str:
    """Return the term of a facet and its value."""
    return sound(f"{key}{_MARK}{value}")


def sound(text: str) -> str:
    """Return a text that can be encoded."""
    return text.encode(errors="replace").decode()
