"""The corpus of a suite as people write it: a folder, or a mapping that says what kind it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate.errors import did_you_mean
from rankgate.model.suite import CorpusSource
from rankgate.plugins import listed

if TYPE_CHECKING:
    from rankgate.suites.values import Value

GROUP = "rankgate.corpora"
"""The entry points that open corpora; their names are the kinds there are."""

RECORDS = frozenset({"beir", "jsonl", "openapi"})
"""The kinds whose documents are records with ids; what others hold is known when they are opened."""

_PLACE = "a folder or a file, relative to this file"


def read_corpus(value: Value) -> CorpusSource | None:
    """Read where the corpus of a suite comes from; what its kind needs is checked when it is opened.

    One key of a mapping is the kind, with the place as its value; the others are the kind's own options.
    """
    if value.kind != "mapping":
        place = value.text("a folder, or a mapping such as {git: ., commit: 1a2b3c4}")
        return None if place is None else CorpusSource(place)
    kinds = listed(GROUP)
    named = [(key, item) for key, item in value.pairs() if key.raw in kinds]
    if len(named) != 1:
        _refuse(value, [key.raw for key, _ in named])
        return None
    (kind, item) = named[0]
    place = item.text(_PLACE)
    options = {key.raw: _option(inner) for key, inner in value.pairs() if key is not kind}
    return None if place is None else CorpusSource(place, kind.raw, options)


def _refuse(value: Value, named: list[str]) -> None:
    expected = f"one key of {', '.join(listed(GROUP))}"
    if named:
        value.wrong(expected, found=f"both {' and '.join(named)}")
        return
    keys = [key.raw for key, _ in value.pairs()]
    near = [found for key in keys if (found := did_you_mean(key[:80], listed(GROUP)))]
    found = f"a corpus with {', '.join(map(repr, keys[:5]))}" if keys else "an empty mapping"
    value.wrong(expected, near[0] if near else "", found=found)


def _option(value: Value) -> str | tuple[str, ...]:
    if value.kind == "list":
        found = [item.text("text") for item in value.items()]
        return tuple(text for text in found if text is not None)
    return value.text("text, or a list of texts") or ""
