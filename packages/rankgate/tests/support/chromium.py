"""A real browser, headless, driven through playwright-core by lines of JSON."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import pytest

from support.repository import ROOT

if TYPE_CHECKING:
    from types import TracebackType

PACKAGES = ROOT / ".fixtures" / "browser"
DRIVER = Path(__file__).parent / "browser_driver.mjs"
_NAMES = ("chromium", "chromium-browser", "google-chrome")


def skip(reason: str) -> None:
    """Skip a test at home for what is missing, and fail it in CI."""
    (pytest.fail if os.environ.get("CI") == "true" else pytest.skip)(reason)


def browser_or_skip() -> Browser:
    """Start the browser, where there is one."""
    executable = next((found for name in _NAMES if (found := shutil.which(name))), None)
    missing = [
        text
        for text, there in (
            ("Chromium is not on this machine", executable),
            ("node is not on this machine", shutil.which("node")),
            ("`just browser` has not fetched playwright-core", (PACKAGES / "node_modules").is_dir()),
        )
        if not there
    ]
    if missing:
        skip("; ".join(missing))
    return Browser(str(executable))


class Browser:
    """The browser and the program that drives it."""

    def __init__(self, executable: str, packages: Path = PACKAGES, *kind: str) -> None:
        self._process = subprocess.Popen(
            ["node", str(DRIVER), str(packages), executable, *kind],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process.stdin:
            self._process.stdin.close()
        try:
            self._process.wait(timeout=15)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout:
            self._process.stdout.close()

    def ask(self, command: str, **values: Any) -> Any:
        """Send one command and wait for what it gives."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise OSError("the driver has no pipes")
        stdin.write(json.dumps({"command": command, **values}) + "\n")
        stdin.flush()
        line = stdout.readline()
        if not line:
            raise OSError(f"the driver ended with {self._process.wait()}")
        answer = json.loads(line)
        if "error" in answer:
            raise AssertionError(answer["error"])
        return answer["value"]

    def open(self, place: Path | str, address: str = "", **options: Any) -> Tab:
        """Open a file or an address; options are those of a browser context."""
        settings = {"viewport": {"width": 1440, "height": 900}, "colorScheme": "light", **options}
        tab = Tab(self, self.ask("open", options=settings))
        tab.act(["goto", (place if isinstance(place, str) else place.as_uri()) + address])
        tab.act(["waitForSelector", "html[data-ready]", {"state": "attached"}])
        return tab


class Tab:
    """One page that is open."""

    def __init__(self, browser: Browser, number: int) -> None:
        self._browser = browser
        self._number = number

    def act(self, *calls: list[Any]) -> Any:
        """Make a chain of calls on the page, each on what the one before gave."""
        return self._browser.ask("act", page=self._number, calls=calls)

    def click(self, selector: str) -> None:
        """Click an element."""
        self.act(["locator", selector], ["first"], ["click"])

    def tap(self, selector: str) -> None:
        """Touch an element."""
        self.act(["tap", selector])

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.act(["keyboard"], ["press", key])

    def type(self, selector: str, text: str) -> None:
        """Fill a field."""
        self.act(["fill", selector, text])

    def run(self, script: str) -> Any:
        """Evaluate an expression on the page."""
        return self.act(["evaluate", script])

    def load(self, script: str) -> None:
        """Run the statements of a script on the page."""
        self.run(f"{script}\n;0")

    def picture(self, path: Path) -> None:
        """Write what is seen to a file."""
        self.act(["screenshot", {"path": str(path)}])

    def texts(self, selector: str) -> list[str]:
        """List the texts of all elements."""
        found: list[str] = self.act(["locator", selector], ["allInnerTexts"])
        return found

    def text(self, selector: str) -> str:
        """Give the text of the first element."""
        return self.texts(selector)[0]

    def count(self, selector: str) -> int:
        """Count elements."""
        number: int = self.act(["locator", selector], ["count"])
        return number

    def wait(self, selector: str, state: str = "visible") -> None:
        """Wait until an element is there."""
        self.act(["waitForSelector", selector, {"state": state}])

    def seen(self) -> dict[str, list[str]]:
        """Give what was asked for, said and complained of since the page was opened."""
        found: dict[str, list[str]] = self._browser.ask("seen", page=self._number)
        return found

    def shut(self) -> None:
        """Close it."""
        self._browser.ask("shut", page=self._number)
