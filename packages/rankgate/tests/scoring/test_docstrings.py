"""Every metric is described in the same way, under the name it is installed by."""

from __future__ import annotations

import inspect
import re

import pytest

import rankgate
from rankgate.plugins import listed, load
from rankgate.scoring.expressions import ALIASES, GROUP, WeightedSum
from rankgate.scoring.metric import Metric

HEADINGS = ("What it measures:", "Use it when:", "Edge cases:", "Example:", "Reference:")

ours = sorted(
    name for name, point in listed(GROUP).items() if point.value.startswith(f"{rankgate.__name__}.")
)


def kind_of(name: str) -> type[Metric]:
    kind = load(GROUP, name)
    assert isinstance(kind, type)
    assert issubclass(kind, Metric)
    return kind


@pytest.mark.parametrize("name", sorted(listed(GROUP)))
def test_every_entry_point_loads_a_metric_of_its_own_name(name: str) -> None:
    assert kind_of(name).name == name


@pytest.mark.parametrize("name", [*ours, "sum"])
def test_every_docstring_has_the_five_headings_in_order(name: str) -> None:
    kind = WeightedSum if name == "sum" else kind_of(name)
    text = inspect.cleandoc(kind.__doc__ or "")
    found = [re.search(rf"^{heading}", text, re.MULTILINE) for heading in HEADINGS]
    places = [match.start() if match else None for match in found]
    assert None not in places, dict(zip(HEADINGS, places, strict=True))
    assert places == sorted(places)  # type: ignore[type-var]
    assert len(text.splitlines()[0]) <= 110


@pytest.mark.parametrize("name", ours)
def test_every_parameter_is_described(name: str) -> None:
    kind = kind_of(name)
    source = "".join(inspect.getsource(part) for part in kind.__mro__ if issubclass(part, Metric))
    for parameter in kind.__dataclass_fields__:
        if parameter != "cut":
            assert re.search(rf'^    {parameter}: .*\n    """', source, re.MULTILINE), parameter


@pytest.mark.parametrize("alias", sorted(ALIASES))
def test_no_alias_hides_a_metric(alias: str) -> None:
    assert alias not in listed(GROUP)
    assert ALIASES[alias] in listed(GROUP)
