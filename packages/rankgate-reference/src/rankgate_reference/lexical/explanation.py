"""Why a node was found: what each term counted, and where it stands."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rankgate_reference.lexical.fields import NAMES, fields_of
from rankgate_reference.lexical.words import terms

if TYPE_CHECKING:
    from rankgate_reference.documents.nodes import TreeNode
    from rankgate_reference.lexical.queries import Asked, Question

_HOW = {"exact": "", "prefix": ", which begins with it", "near": ", which is near to it"}


def explained(question: Question, searcher: Any, address: Any, id: str, node: TreeNode | None) -> str:  # noqa: A002
    """Format it as lines of text."""
    asked = [*question.exact, *question.replaced]
    if not asked:
        asked = question.prefixed or question.near
    total = 0.0
    lines = []
    for one in asked:
        counted = {
            field: _value(question.one_query(one, field), searcher, address) for field in ("names", "text")
        }
        total += sum(counted.values())
        lines.append(f"  {_said(one)}: {_where(counted, one, node)}")
    for term in question.terms:
        if term.filler and all(one.term.stem != term.stem for one in asked):
            lines.append(f"  {term.typed}: not asked for, as it only holds the sentence together")
        elif _nowhere(term.stem, question, asked):
            lines.append(f"  {term.typed}: in no node")
    if question.bonus:
        every = _has_all(question, searcher, address)
        total += question.bonus if every else 0.0
        said = f"{question.bonus:.2f}" if every else "0, as not all are in it"
        lines.append(f"  all of {', '.join(question.needed)}: {said}")
    if question.title_bonus and _value(question.of_title(1.0), searcher, address):
        more = question.title_bonus - question.bonus
        total += more
        lines.append(f"  its title is the query: {more:.2f}")
    head = f"{id}: {total:.2f} by itself, before its file, tests and other nodes of the file are counted"
    return "\n".join([head, *lines])


def _said(one: Asked) -> str:
    if one.how == "exact":
        filler = ", which holds the sentence together" if one.term.filler else ""
        return f"{one.term.typed} ({one.stem}{filler})"
    return f"{one.term.typed}, as {one.stem}{_HOW[one.how]}"


def _where(counted: dict[str, float], one: Asked, node: TreeNode | None) -> str:
    if not any(counted.values()):
        return "not in it"
    said = ", ".join(f"{value:.2f} in {field}" for field, value in counted.items() if value)
    if node is None:
        return said
    fields = fields_of(node)
    found = {name: terms(getattr(fields, name)).count(one.stem) for name in NAMES}
    places = ", ".join(f"{name} {count}×" for name, count in found.items() if count)
    return f"{said} ({places})"


def _nowhere(stem: str, question: Question, asked: list[Asked]) -> bool:
    return not question.counts[stem] and all(one.term.stem != stem for one in asked)


def _has_all(question: Question, searcher: Any, address: Any) -> bool:
    term = next(one.term for one in question.exact)
    return all(
        _value(
            question.one_query(type(question.exact[0])(stem, 1.0, "exact", term), "text"), searcher, address
        )
        for stem in question.needed
    )


def _value(query: Any, searcher: Any, address: Any) -> float:
    try:
        return float(json.loads(query.explain(searcher, address).to_json())["value"])
    except ValueError:
        # Tantivy refuses to explain a document that a query does not match.
        return 0.0
