"""A listener that keeps what it hears of progress."""

from __future__ import annotations


class HeardProgress:
    """Keeps what was last heard of every work, and which of it ended."""

    def __init__(self) -> None:
        self.last: dict[str, tuple[int, int]] = {}
        self.ended: set[str] = set()

    def step(self, doing: str, done: int, total: int) -> None:
        """Keep how far it is."""
        self.last[doing] = (done, total)

    def end(self, doing: str) -> None:
        """Keep that it ended."""
        self.ended.add(doing)
