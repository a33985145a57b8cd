"""The corpus of a suite's file changed where it stands: another folder, commit, release or hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import InputError, Problem
from rankgate.suites.editing.removals import line_end, line_start
from rankgate.suites.editing.scalars import Setting, respelt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.files.tree.values import Value
    from rankgate.model.suite import CorpusSource
    from rankgate.suites.editing.removals import Change


def pin_changes(root: Value, body: str, old: CorpusSource, new: CorpusSource) -> list[Change]:
    """Return what to change in a file so that it names another state of its corpus.

    Args:
        root: The file, composed.
        body: Its text.
        old: The corpus it names.
        new: The one it should name, of the same kind.

    Raises:
        InputError: where the file spells its corpus in a way that cannot be changed in place.
    """
    node = root.under("corpus")
    if node is not None and old.kind == new.kind:
        node = node.said
        if node.scalar and not new.options:
            return [_scalar(node, body, new.place, Setting(root.flow), new)]
        if node.kind == "mapping":
            return _mapping(node, body, old, new, flow=root.flow or node.flow)
    raise _refusal(new)


def _mapping(node: Value, body: str, old: CorpusSource, new: CorpusSource, *, flow: bool) -> list[Change]:
    before, after = _written(old), _written(new)
    setting = Setting(flow)
    changes = []
    for number, (key, value) in enumerate(node.pairs()):
        name = key.raw
        if name not in after:
            changes.append(_removal(node, number, body, flow=flow, source=new))
        elif before.get(name) != after[name]:
            changes.append(_scalar(value, body, after[name], setting, new))
    added = [name for name in after if name not in before]
    if added:
        changes.append(_addition(node, body, {name: after[name] for name in added}, flow=flow))
    return changes


def _written(source: CorpusSource) -> dict[str, str]:
    options = {name: value for name, value in source.options.items() if isinstance(value, str)}
    return {source.kind: source.place, **options}


def _scalar(node: Value, body: str, text: str, setting: Setting, source: CorpusSource) -> Change:
    spelling = respelt(body, node.said, text, setting) if node.scalar else None
    if spelling is None:
        raise _refusal(source)
    return node.said.start, node.said.end, spelling


def _removal(node: Value, number: int, body: str, *, flow: bool, source: CorpusSource) -> Change:
    """Take a pair out: with the comma before it in braces, with its line elsewhere."""
    key, value = node.pairs()[number]
    if number == 0 or not value.scalar or value.style in ("|", ">"):
        raise _refusal(source)
    if flow:
        return node.pairs()[number - 1][1].end, value.end, ""
    return line_start(body, key.start), line_end(body, value.end), ""


def _addition(node: Value, body: str, added: Mapping[str, str], *, flow: bool) -> Change:
    """Put pairs behind the first one, which names the kind."""
    key, value = node.pairs()[0]
    at = value.end
    if flow:
        quote = '"' if body[key.start] == '"' else ""
        return at, at, "".join(f', {quote}{name}{quote}: "{text}"' for name, text in added.items())
    line_break = "\r\n" if "\r\n" in body else "\n"
    indent = " " * (key.column - 1)
    return at, at, "".join(f'{line_break}{indent}{name}: "{text}"' for name, text in added.items())


def _refusal(source: CorpusSource) -> InputError:
    fix = f"write the corpus by hand: {source}"
    return InputError(Problem("corpus", "a spelling that cannot be changed in place", "plain values", fix))
