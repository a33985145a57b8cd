"""What is drawn only once rankgate keeps to it. An entry goes when its fix is there; the list ends empty."""

from __future__ import annotations

from os import environ

PENDING: dict[str, str] = {}
"""A kind of action or a feature of states, and why it is not drawn yet."""

# To see what a change mends before the list says so: the entries that stay, or nothing.
if (_left := environ.get("VERDICTS_PENDING")) is not None:
    PENDING = {name: why for name, why in PENDING.items() if name in _left.split(",")}


def ready(feature: str) -> bool:
    """Return whether a feature may be drawn."""
    return feature not in PENDING
