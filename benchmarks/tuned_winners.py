"""The variants that `just tune` chose, as they are kept: read by whoever measures them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from page_tables import table_of

FOLDER = Path(__file__).parent / "tuned"
"""Where the sweeps are, a file a system, and what came of them."""
WINNERS = FOLDER / "winners.json"
SUITES = ("code", "docs")
"""What is tuned on: their development halves."""


@dataclass(frozen=True, slots=True)
class Winner:
    """The best variant of a system."""

    variant: str
    """Its name in the sweep."""
    options: Mapping[str, Any]
    """What it sets beside the system's own options; nothing where it is the default."""
    variants: int
    """How many were asked."""
    means: Mapping[str, float]
    """Its nDCG@10 on the development half of each suite."""
    default: Mapping[str, float]
    """The same of the variant that is the default."""
    judged: Mapping[str, float]
    """The least judged@10 of any variant, on each suite: what nobody judged counts as wrong."""

    @property
    def words(self) -> str:
        """How it is set, in words.

        >>> Winner("", {"k1": 0.9, "search": {"title": 2.0, "text": 1.0}}, 24, {}, {}, {}).words
        'the best of 24 variants: `k1 = 0.9`, `search = { title = 2.0, text = 1.0 }`'
        """
        set_to = ", ".join(f"`{key} = {_value(value)}`" for key, value in self.options.items())
        return f"the best of {self.variants} variants: {set_to}"


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return f"{{ {', '.join(f'{key} = {_value(one)}' for key, one in value.items())} }}"
    return json.dumps(value)


def read_winners(path: Path = WINNERS) -> dict[str, Winner]:
    """Read the winners that are kept; none where nothing was tuned."""
    kept = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {name: Winner(**one) for name, one in kept.items()}


def write_winners(found: Mapping[str, Winner], path: Path = WINNERS) -> None:
    """Write winners, in the order given."""
    text = json.dumps({name: asdict(one) for name, one in found.items()}, indent=2)
    path.write_text(f"{text}\n", encoding="utf-8")


def winners_table(found: Mapping[str, Winner], labels: Mapping[str, str] | None = None) -> str:
    """Lay out the winners beside their defaults.

    Args:
        found: The winners, by system.
        labels: What a system is called; its name where that is not there.
    """
    rows = [
        [
            (labels or {}).get(name, name),
            str(one.variants),
            one.variant if one.options else "the default",
            *(f"{one.means[suite]:.3f} ({one.default[suite]:.3f})" for suite in SUITES),
            f"{fmean(one.means.values()):.3f} ({fmean(one.default.values()):.3f})",
            ", ".join(f"{one.judged[suite]:.3f}" for suite in SUITES),
        ]
        for name, one in found.items()
    ]
    heads = [*(f"{suite} (default)" for suite in SUITES), "mean (default)", "least judged@10"]
    return table_of(["system", "variants", "winner", *heads], rows)
