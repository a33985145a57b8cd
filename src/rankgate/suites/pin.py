"""The corpus of a suite's file changed where it stands: another folder, commit, release or hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ruamel.yaml.nodes import MappingNode, ScalarNode

from rankgate.errors import InputError, Problem
from rankgate.suites.place_nodes import under
from rankgate.suites.scalars import Setting, respelt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ruamel.yaml.nodes import Node

    from rankgate.model.suite import CorpusSource

Change = tuple[int, int, str]
"""Where to begin and to end in a text, and what to write there."""


def pin_changes(root: Node, body: str, old: CorpusSource, new: CorpusSource) -> list[Change]:
    """Say what to change in a file so that it names another state of its corpus.

    Args:
        root: The file, composed.
        body: Its text.
        old: The corpus it names.
        new: The one it should name, of the same kind.

    Raises:
        InputError: where the file spells its corpus in a way that cannot be changed in place.
    """
    node = under(root, "corpus")
    flow = isinstance(root, MappingNode) and bool(root.flow_style)
    if old.kind == new.kind and isinstance(node, ScalarNode) and not new.options:
        return [_scalar(node, body, new.place, Setting(flow), new)]
    if old.kind == new.kind and isinstance(node, MappingNode):
        return _mapping(node, body, old, new, flow=flow or bool(node.flow_style))
    raise _refusal(new)


def _mapping(
    node: MappingNode, body: str, old: CorpusSource, new: CorpusSource, *, flow: bool
) -> list[Change]:
    before, after = _written(old), _written(new)
    setting = Setting(flow)
    changes = []
    pairs = [(str(key.value), key, value) for key, value in node.value]
    for number, (name, key, value) in enumerate(pairs):
        if name not in after:
            changes.append(_removal(node, number, body, flow=flow, source=new))
        elif before.get(name) != after[name]:
            changes.append(_scalar(value, body, after[name], setting, new))
        del key
    added = [name for name in after if name not in before]
    if added:
        changes.append(_addition(node, body, {name: after[name] for name in added}, flow=flow))
    return changes


def _written(source: CorpusSource) -> dict[str, str]:
    options = {name: value for name, value in source.options.items() if isinstance(value, str)}
    return {source.kind: source.place, **options}


def _scalar(node: Node, body: str, text: str, setting: Setting, source: CorpusSource) -> Change:
    spelling = respelt(body, node, text, setting) if isinstance(node, ScalarNode) else None
    if spelling is None:
        raise _refusal(source)
    return node.start_mark.index, node.end_mark.index, spelling


def _removal(node: MappingNode, number: int, body: str, *, flow: bool, source: CorpusSource) -> Change:
    """Take a pair out: with the comma before it in braces, with its line elsewhere."""
    key, value = node.value[number]
    if number == 0 or not isinstance(value, ScalarNode) or value.style in ("|", ">"):
        raise _refusal(source)
    if flow:
        return node.value[number - 1][1].end_mark.index, value.end_mark.index, ""
    start = key.start_mark.index - key.start_mark.column
    end = body.find("\n", value.end_mark.index)
    return start, len(body) if end < 0 else end + 1, ""


def _addition(node: MappingNode, body: str, added: Mapping[str, str], *, flow: bool) -> Change:
    """Put pairs behind the first one, which names the kind."""
    key, value = node.value[0]
    at = value.end_mark.index
    if flow:
        quote = '"' if body[key.start_mark.index] == '"' else ""
        return at, at, "".join(f', {quote}{name}{quote}: "{text}"' for name, text in added.items())
    line_end = "\r\n" if "\r\n" in body else "\n"
    indent = " " * key.start_mark.column
    return at, at, "".join(f'{line_end}{indent}{name}: "{text}"' for name, text in added.items())


def _refusal(source: CorpusSource) -> InputError:
    fix = f"write the corpus by hand: {source}"
    return InputError(Problem("corpus", "a spelling that cannot be changed in place", "plain values", fix))
