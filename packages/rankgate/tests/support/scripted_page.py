"""A page in any browser that can run scripts: everything else is asked for by them."""

from __future__ import annotations

import json
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

PATIENCE = 30.0


class ScriptedPage(ABC):
    """A page that is open in some browser."""

    @abstractmethod
    def run(self, script: str) -> Any:
        """Evaluate an expression on the page."""

    @abstractmethod
    def load(self, script: str) -> None:
        """Run the statements of a script on the page."""

    @abstractmethod
    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""

    @abstractmethod
    def click(self, selector: str) -> None:
        """Click the first element."""

    def tap(self, selector: str) -> None:
        """Touch the first element; where there is no touch screen, that is a click."""
        self.click(selector)

    @abstractmethod
    def picture(self, path: Path) -> None:
        """Write what is seen to a file."""

    @abstractmethod
    def shut(self) -> None:
        """Leave the page."""

    def texts(self, selector: str) -> list[str]:
        """List the texts of all elements."""
        every = f"[...document.querySelectorAll({json.dumps(selector)})]"
        found: list[str] = self.run(f"{every}.map((one) => one.innerText.trim())")
        return found

    def text(self, selector: str) -> str:
        """Return the text of the first element."""
        return self.texts(selector)[0]

    def count(self, selector: str) -> int:
        """Count elements."""
        return len(self.texts(selector))

    def wait(self, selector: str) -> None:
        """Wait until an element is there."""
        deadline = time.monotonic() + PATIENCE
        while not self._has(selector):
            assert time.monotonic() < deadline, f"no {selector} after {PATIENCE:.0f} s"
            time.sleep(0.05)

    def _has(self, selector: str) -> bool:
        try:
            return bool(self.run(f"document.querySelector({json.dumps(selector)}) !== null"))
        except AssertionError:
            # The page that was asked may lead to another one meanwhile.
            return False
