"""The server of a judging session is killed while judgments are made: none that was answered is lost."""

from __future__ import annotations

import http.client
import json
import os
import random
import re
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from rankgate.truth.judgments.labels import read_labels
from support.judging_pages import handbook_units

if TYPE_CHECKING:
    from collections.abc import Callable

TESTS = Path(__file__).parents[1]
POOL = 10_000
pytestmark = pytest.mark.skipif(os.name != "posix", reason="kills a process as only POSIX does")


class _Judge:
    """Judges as fast as the server answers, and notes what was answered."""

    def __init__(self, url: str) -> None:
        found = re.fullmatch(r"http://(127\.0\.0\.1):(\d+)(/\?token=\S+)", url)
        assert found, url
        self.host, self.port = found[1], int(found[2])
        self.cookie = ""
        self.cookie = self.ask("GET", found[3])[1]

    def ask(self, method: str, path: str, body: object = None) -> tuple[bytes, str]:
        connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        headers = {"Cookie": self.cookie, "Origin": f"http://{self.host}:{self.port}"}
        text = None if body is None else json.dumps(body)
        connection.request(method, path, text, {**headers, "Content-Type": "application/json"})
        answer = connection.getresponse()
        content = answer.read()
        assert answer.status == 200, content
        return content, (answer.getheader("Set-Cookie") or "").partition(";")[0]


def killed_once(folder: Path, drawn: random.Random) -> tuple[dict[int, int], int | None]:
    """Serve, judge and kill; return the grades that were answered by number, and what was under way."""
    command = [sys.executable, "-m", "support.judging_pages", str(folder), str(POOL)]
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        judge = _Judge(process.stdout.readline().strip())
        state = json.loads(judge.ask("GET", "/state")[0])
        answered: dict[int, int] = {}
        number = state["current"]["number"]
        kill = threading.Timer(drawn.uniform(0, 0.5), lambda: process.send_signal(signal.SIGKILL))
        kill.start()
        try:
            while True:
                grade = drawn.randrange(4)
                body = {
                    "passage": number,
                    "said": "grade",
                    "grade": grade,
                    "comment": "x" * drawn.randrange(5000),
                }
                answer = json.loads(judge.ask("POST", "/judgments", body)[0])
                answered[number] = grade
                number = answer["next"]["number"]
        except (OSError, http.client.HTTPException, ValueError):
            kill.join()
            return answered, number


def check_moments(folder: Path, moments: int, seed: int) -> str:
    """Kill at some moments, and check after each what the log has."""
    drawn = random.Random(seed)
    units = handbook_units(POOL)
    known: dict[tuple[str, str], float] = {}
    under_way = kept = 0
    for _ in range(moments):
        answered, last = killed_once(folder, drawn)
        known |= {units[number].key: float(grade) for number, grade in answered.items()}
        labels = read_labels(folder / "handbook.yaml")
        found = {label.unit: label.grade for label in labels.each}
        assert {unit: found.get(unit) for unit in known} == known
        # The one whose answer never came may be there or not.
        more = {*found} - {*known}
        assert len(more) <= 1
        assert last is None or more <= {units[last].key}
        under_way += last is not None
        kept += len(more)
        known |= {unit: float(found[unit] or 0) for unit in more}
    last_ones = f"of {under_way} under way {kept} were written"
    return f"{moments} kills, {len(known)} judgments kept, {last_ones}, 0 lost that were answered"


def test_a_kill_loses_at_most_the_judgment_being_made(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    record_property("figures", check_moments(tmp_path, 5, 1))


@pytest.mark.long
def test_a_hundred_kills_lose_nothing_that_was_answered(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    record_property("figures", check_moments(tmp_path, 100, 2))
