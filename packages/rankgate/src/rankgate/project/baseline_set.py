"""The gate that `rankgate baseline set` adds with the first baseline of a suite."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.errors import InputError
from rankgate.gates.language import Gate, Kind, compares_all, parse_gate
from rankgate.project.configuration import NAME
from rankgate.project.toml_edit import add_suite_gate
from rankgate.scoring.expressions import WeightedSum, parse_all
from rankgate.suites.edit import append_gate
from rankgate.suites.formats import format_of
from rankgate.wording import shortest

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.gates.decide import Tested
    from rankgate.model import Suite
    from rankgate.project.configuration import Configuration

LEAST = 0.01
"""The smallest threshold."""
_ONE_QUERY, _ONE_QUERY_RR = 0.4, 0.5
"""How far nDCG and RR of a query fall, about, if its result falls from rank 1 to 2."""
_UNITS = ("", "%")


def first_gate(suite: Suite, gates: Sequence[Gate], tested: Tested) -> str | None:
    """Return the gate to add to a suite: the mean of its primary metric may fall as far as one query may.

    None if a gate compares this metric of all queries with the baseline, or the metric can't be compared.

    Args:
        suite: The suite.
        gates: Its gates, with those of its entry in the configuration.
        tested: The run that is saved.
    """
    metric = tested.scores.metrics[0]
    if compares_all(gates, [Kind.DROP, Kind.REGRESSED], metric.label) or metric.unit not in _UNITS:
        return None
    counted = tested.counted & tested.scores.columns[metric.label].defined
    weights = tested.scores.weights[counted]
    if not len(weights):
        return None
    (primary, *_) = parse_all(suite.metrics)
    name = primary.title if isinstance(primary, WeightedSum) and primary.title else primary.label
    text = f"drop({name}) <= {drop_threshold(name, float(weights.sum() / weights.max())):g}"
    try:
        parse_gate(text, {name: primary} if isinstance(primary, WeightedSum) else None)
    except InputError:
        return None
    return text


def drop_threshold(metric: str, queries: float) -> float:
    """Return by how much the mean may fall if one query falls from rank 1 to 2, in hundredths, rounded up.

    >>> drop_threshold("ndcg@10", 20), drop_threshold("rr", 20), drop_threshold("ndcg@10", 500)
    (0.02, 0.03, 0.01)
    """
    one = _ONE_QUERY_RR if metric.startswith("rr") else _ONE_QUERY
    return max(LEAST, math.ceil(one / queries * 100 - 1e-9) / 100)


def add_gate(suite: Suite, configuration: Configuration, system: str, gate: str) -> str:
    """Add a gate to a suite's file, or to its entry in the configuration if its format can't have gates.

    Returns:
        A line that says what was added, or what to add by hand.
    """
    if suite.path is None:
        return f"add to the suite: gates: [{gate}]"
    path = Path(suite.path)
    where = shortest(path.resolve())
    if format_of(path).name == "native":
        try:
            append_gate(path, gate)
        except InputError:
            return f"add to {where}: gates: [{gate}]"
        return f"added to {where}: gates: [{gate}]"
    file = Path(os.path.relpath(path.resolve(), configuration.root)).as_posix()
    if configuration.path is not None and (added := add_suite_gate(configuration.path, file, system, gate)):
        return f"added to {shortest(configuration.path)}: suites = [{{{added}}}]"
    entry = f"file = {json.dumps(file)}, gates = {json.dumps([gate])}"
    return f"add to {NAME}: suites = [{{{entry}}}]"
