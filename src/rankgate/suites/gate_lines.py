"""Gates as people write them: one line, or a mapping that is turned into that line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from rankgate.model.suite import GateText
from rankgate.suites.fields import Fields

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rankgate.suites.values import Value

GATE_KEYS = ("metric", "min", "max", "within", "goal", "where", "over", "worst", "against")

_SIGNS = {"min": ">=", "max": "<=", "within": "within"}


def read_gates(value: Value | None) -> tuple[GateText, ...]:
    """Read one gate or a list of them; what a line says is read by `gates`."""
    if value is None:
        return ()
    return tuple(gate for item in value.one_or_more() for gate in _gate(item))


def _gate(value: Value) -> Iterator[GateText]:
    if value.kind == "mapping":
        yield from _lines(
            Fields(value, GATE_KEYS, moved={"slice": "where", "at_least": "min", "at_most": "max"})
        )
    elif (text := value.text("a gate, such as ndcg@10 >= 0.65")) is not None:
        yield GateText(text, value.where)


def _lines(fields: Fields) -> Iterator[GateText]:
    mapping = fields.mapping
    metric = fields.text("metric", "a metric")
    if "metric" not in fields:
        mapping.wrong("a metric", found="a gate without a metric")
    if not any(bound in fields for bound in _SIGNS):
        mapping.wrong("min or max", found="a gate without a bound")
    if "goal" in fields and sum(bound in fields for bound in _SIGNS) > 1:
        mapping.wrong("a goal beside one bound", "write a gate for each", found="a goal beside two bounds")
    if "over" in fields and "worst" in fields:
        mapping.wrong("one of the two; they mean the same", found="both over and worst")
    slices = fields.text("worst", "the name of a slice") or fields.text("over", "the name of a slice")
    start = f"worst({slices}) {metric}" if slices else metric
    against = fields.text("against", "whose baseline")
    goal = fields.text("goal", "a number")
    end = (f" goal {goal}" if goal else "") + (f" against {against}" if against else "")
    end += _where(fields.get("where"))
    for key, sign in _SIGNS.items():
        bound = fields.text(key, "a number")
        if metric is not None and bound is not None:
            yield GateText(f"{start} {sign} {bound}{end}", mapping.where)


def _where(value: Value | None) -> str:
    if value is None:
        return ""
    pairs = value.pairs()
    if len(pairs) != 1:
        value.wrong("one slice and its value, such as {category: exact}", "write a gate for each slice")
        return ""
    (key, item) = pairs[0]
    text = item.text("the value of a slice")
    if text is None:
        return ""
    # The rest of the line is the value, so only what could not stand there bare is quoted.
    bare = text == text.strip() and text[0] not in "\"'" and text.isprintable()
    return f" where {key.raw} = {text if bare else json.dumps(text, ensure_ascii=False)}"
