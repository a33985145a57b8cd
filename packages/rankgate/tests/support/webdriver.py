"""WebKit in a window that nobody sees, driven by WebDriver over HTTP."""

from __future__ import annotations

import base64
import http.client
import json
import os
import shutil
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from support.http_servers import free_port
from support.scripted_page import ScriptedPage

if TYPE_CHECKING:
    from collections.abc import Iterator

PROGRAMS = ("Xvfb", "WebKitWebDriver")
SCREEN = (1600, 1200)
NARROWEST = 447
"""The narrowest window that WebKit's own browser opens, in pixels."""
_KEYS = {
    "Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "ArrowDown": "\ue015", "ArrowUp": "\ue013",
    "Space": " ",
}  # fmt: skip
_RUN = """const done = arguments[arguments.length - 1];
Promise.resolve().then(() => (%s)).then(
  (value) => done({ value: value === undefined ? null : value }),
  (error) => done({ error: String(error) }));"""


def browser_program() -> Path | None:
    """Return the browser that comes with WebKit's GTK library, where there is one."""
    return next(iter(sorted(Path("/usr/lib").glob("*/webkit2gtk-4.*/MiniBrowser"), reverse=True)), None)


@contextmanager
def webkit(scheme: str) -> Iterator[WebKit]:
    """Start a display, the driver and the browser; all end with the block."""
    reading, writing = os.pipe()
    display = subprocess.Popen(
        [
            "Xvfb",
            "-displayfd",
            str(writing),
            "-screen",
            "0",
            f"{SCREEN[0]}x{SCREEN[1]}x24",
            "-nolisten",
            "tcp",
        ],
        pass_fds=(writing,),
        stderr=subprocess.DEVNULL,
    )
    os.close(writing)
    with os.fdopen(reading) as number:
        name = f":{number.readline().strip()}"
    port = free_port()
    theme = "Adwaita:dark" if scheme == "dark" else "Adwaita"
    driver = subprocess.Popen(
        [shutil.which("WebKitWebDriver") or "WebKitWebDriver", f"--port={port}"],
        env={
            **os.environ,
            "DISPLAY": name,
            "GTK_THEME": theme,
            "WEBKIT_DISABLE_COMPOSITING_MODE": "1",
        },
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        browser = WebKit(port)
        yield browser
        browser.close()
    finally:
        for process in (driver, display):
            process.terminate()
            process.wait(timeout=20)


class WebKit:
    """One session, with one window."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._session = ""
        options = {"binary": str(browser_program()), "args": ["--automation"]}
        asked = {"capabilities": {"alwaysMatch": {"webkitgtk:browserOptions": options}}}
        deadline = time.monotonic() + 60
        while True:
            try:
                found = self.ask("POST", "/session", asked)
                break
            except ConnectionRefusedError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.1)
        self._session = f"/session/{found['sessionId']}"
        self.ask("POST", "/timeouts", {"script": 60_000, "pageLoad": 60_000})

    def ask(self, method: str, path: str, body: dict[str, Any] | None = None) -> Any:
        """Send one command and return its value."""
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=120)
        try:
            text = None if body is None else json.dumps(body)
            connection.request(method, self._session + path, text, {"Content-Type": "application/json"})
            value = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(value, dict) and "error" in value and "stacktrace" in value:
            raise AssertionError(f"{method} {path}: {value['error']}: {value['message']}")
        return value

    def open(self, place: Path | str, address: str = "", *, width: int, touch: bool = False) -> WebKitTab:  # noqa: ARG002
        """Open a file or an address in a window whose inside is as wide as asked for; none has touch."""
        tab = WebKitTab(self)
        # Another address of the same page would not be read anew.
        self.ask("POST", "/url", {"url": "about:blank"})
        wide, tall = max(width, NARROWEST), 844
        self.ask("POST", "/window/rect", {"width": wide, "height": tall})
        # A window takes its size some time after it was asked to.
        deadline = time.monotonic() + 20
        while int(tab.run("innerWidth")) > wide and time.monotonic() < deadline:
            time.sleep(0.05)
        frame = wide - int(tab.run("innerWidth")), tall - int(tab.run("innerHeight"))
        # Without a window manager, keys go to the window under the pointer, which rests in the middle.
        x = (SCREEN[0] - wide) // 2
        self.ask(
            "POST", "/window/rect", {"x": x, "y": 0, "width": wide + frame[0], "height": tall + frame[1]}
        )
        self.ask("POST", "/url", {"url": (place if isinstance(place, str) else place.as_uri()) + address})
        tab.wait("html[data-ready]")
        return tab

    def close(self) -> None:
        """End the session and its browser."""
        self.ask("DELETE", "")


class WebKitTab(ScriptedPage):
    """The page that is open."""

    def __init__(self, browser: WebKit) -> None:
        self._browser = browser

    def run(self, script: str) -> Any:
        """Evaluate an expression on the page."""
        found = self._browser.ask("POST", "/execute/async", {"script": _RUN % script, "args": []})
        if "error" in found:
            raise AssertionError(found["error"])
        return found["value"]

    def load(self, script: str) -> None:
        """Run the statements of a script on the page."""
        self._browser.ask("POST", "/execute/sync", {"script": script, "args": []})

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        steps = [
            {"type": kind, "value": _KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")
        ]
        self._browser.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keys", "actions": steps}]})

    def click(self, selector: str) -> None:
        """Click the first element."""
        found = self._browser.ask("POST", "/element", {"using": "css selector", "value": selector})
        self._browser.ask("POST", f"/element/{next(iter(found.values()))}/click", {})

    def picture(self, path: Path) -> None:
        """Write what is seen to a file."""
        path.write_bytes(base64.b64decode(self._browser.ask("GET", "/screenshot")))

    def shut(self) -> None:
        """Leave the page; the window stays."""
        self._browser.ask("POST", "/url", {"url": "about:blank"})
