"""What is drawn only once rankgate keeps to it. An entry goes when its fix is there; the list ends empty."""

from __future__ import annotations

from os import environ

PENDING: dict[str, str] = {
    "baseline set": "a red run, --failed, require_baseline",
    "require_baseline": "not there yet",
    "a stored run": "a kept run is read whatever it answers",
    "against another": "a name that nobody has",
}
"""A kind of action or a feature of states, and why it is not drawn yet."""

if environ.get("VERDICTS_PENDING") == "none":
    PENDING.clear()


def ready(feature: str) -> bool:
    """Return whether a feature may be drawn."""
    return feature not in PENDING
