"""Runs on three nodes of Ray, as processes of this machine, measured at the server that they ask.

    python benchmarks/ray_nodes.py               # 10^6 questions behind one limit, ten kills over 60,000 each
    python benchmarks/ray_nodes.py --scale 0.05 --kills 2
    python benchmarks/ray_nodes.py --check       # exit code 1 where something does not hold

The limit is 2,000 a second, or six tenths of what this machine does without one, where that is less; then
there are as many questions as fifteen minutes take. The server notes when each query came. The node of the
call is not killed.
"""

from __future__ import annotations

import argparse
import json
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from rankgate.runs.store.run_folder import StoredRun
from support.ray_nodes import BIN, Nodes, cluster
from support.recording_server import most_in_a_second, recording_server
from support.same_runs import differing

if TYPE_CHECKING:
    from support.recording_server import RecordingServer

LIMIT, QUESTIONS, KILL_QUESTIONS, LONGEST = 2000, 1_000_000, 60_000, 900
THREADS, HELD = 24, 400


def project(folder: Path, server: RecordingServer, questions: int) -> None:
    """Write a suite of so many questions, and the system that answers them."""
    folder.mkdir(exist_ok=True)
    shutil.rmtree(folder / "there", ignore_errors=True)
    (folder / "rankgate.toml").write_text(
        f"""[systems.app]
kind = "http"
url = "http://127.0.0.1:{server.port}/search"
params = {{ q = "{{query}}" }}
hits = "found"
fields = {{ id = "id", score = "score", text = "text" }}
concurrency = {THREADS}
""",
        encoding="utf-8",
    )
    about = json.dumps({"version": 1, "name": "many", "metrics": ["rr@10"]})
    cases = (f'{{"name": "q{at}", "query": "word {at}", "id": "word {at} 0"}}' for at in range(questions))
    with (folder / "many.suite.jsonl").open("w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in (about, *cases))


def begun(folder: Path, process: subprocess.Popen[str]) -> None:
    """Wait until the first answers of a run are stored."""
    while not list((folder / "there").glob("**/*.parquet")) and process.poll() is None:
        time.sleep(0.1)


def run(folder: Path, nodes: Nodes, *options: str) -> subprocess.Popen[str]:
    """Begin a run."""
    program = [str(BIN / "rankgate"), "run", "many.suite.jsonl", *options]
    return subprocess.Popen(
        program,
        cwd=folder,
        env=nodes.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


class Held:
    """What must hold, and what did not."""

    def __init__(self) -> None:
        self.failed = 0

    def say(self, words: str, *, good: bool) -> None:
        """Print a line, and count it where it does not hold."""
        self.failed += not good
        print(f"{'ok  ' if good else 'FAIL'} {words}", flush=True)


def asked(folder: Path, nodes: Nodes, questions: int, *options: str) -> tuple[list[float], str, int]:
    """Run without disturbance; return when queries came, what was printed, and the exit code."""
    with recording_server(folder) as server:
        project(folder, server, questions)
        process = run(folder, nodes, "-o", "there", "--executor", "ray", *options)
        printed, _ = process.communicate()
        return [at for at, _ in server.ended()], printed, process.returncode


def one_limit(folder: Path, nodes: Nodes, scale: float, held: Held) -> float:
    """Measure what is done without a limit, then with one; return questions a second without one."""
    count = max(2000, int(30_000 * scale))
    times, printed, code = asked(folder, nodes, count)
    free = (len(times) - 1) / (times[-1] - times[0])
    held.say(f"without a limit: {count:,} questions, {free:,.0f} a second, exit code {code}", good=code == 0)
    rate = min(LIMIT, int(0.6 * free / 10) * 10)
    count = min(int(QUESTIONS * scale), rate * LONGEST)
    times, printed, code = asked(folder, nodes, count, "--rate", str(rate))
    if code:
        print(printed)
    achieved, most = (len(times) - 1) / (times[-1] - times[0]), most_in_a_second(times)
    held.say(f"{count:,} questions behind a limit of {rate:,} a second: {len(times):,} came", good=code == 0)
    held.say(f"achieved {achieved:,.1f} a second, {achieved / rate:.1%} of it", good=achieved >= 0.95 * rate)
    held.say(f"fullest second at the server {most:,}, {most / rate:.1%} of it", good=most <= 1.05 * rate)
    return free


def kills(folder: Path, nodes: Nodes, count: int, times: int, rate: float, held: Held) -> None:
    """Kill a random node, not that of the call, at a random moment of each of several runs."""
    chance = random.Random(7)
    for number in range(times):
        with recording_server(folder) as server:
            project(folder, server, count)
            if not number:
                assert run(folder, nodes, "-o", "local").wait() == 0
        with recording_server(folder) as server:
            project(folder, server, count)
            process = run(folder, nodes, "-o", "there", "--executor", "ray", "--rate", f"{rate:.0f}")
            begun(folder, process)
            time.sleep(chance.uniform(0, 0.6) * count / rate)
            under_way = process.poll() is None
            nodes.kill(chance.randrange(1, len(nodes.started)))
            killed = time.monotonic()
            printed, _ = process.communicate()
            names = Counter(query for _, query in server.ended())
        again = sum(one - 1 for one in names.values())
        same = process.returncode == 0 and not differing(folder / "local", folder / "there")
        lost = next((line.strip() for line in printed.splitlines() if "lost" in line), "none lost")
        words = (
            f"kill {number + 1}: {len(names):,} of {count:,} questions, {again} came twice ({lost}), tables "
        )
        words += f"{'equal' if same else 'NOT equal'}, ended {time.monotonic() - killed:.0f} s after"
        held.say(words, good=same and len(names) == count and again <= HELD and under_way)
        if process.returncode:
            print(printed)
        nodes.start()


def cancelled(folder: Path, nodes: Nodes, count: int, rate: float, held: Held) -> None:
    """Interrupt a run, and resume it."""
    with recording_server(folder) as server:
        project(folder, server, count)
        process = run(folder, nodes, "-o", "there", "--executor", "ray", "--rate", f"{rate:.0f}")
        begun(folder, process)
        process.send_signal(signal.SIGINT)
        sent = time.monotonic()
        process.communicate()
        seconds = time.monotonic() - sent
        stored = sum(entry.queries.rows for entry in StoredRun.open(folder / "there").manifest.shards)
        resumed = run(folder, nodes, "-o", "there", "--executor", "ray", "--resume")
        printed, _ = resumed.communicate()
        names = Counter(query for _, query in server.ended())
    again = sum(one - 1 for one in names.values())
    words = f"interrupted with {stored:,} of {count:,} stored, ended after {seconds:.1f} s; "
    words += f"resumed, {again} asked twice"
    held.say(words, good=0 < stored < count and resumed.returncode == 0 and len(names) == count)
    if resumed.returncode:
        print(printed)


def refused(folder: Path, nodes: Nodes, held: Held) -> None:
    """Call with a token that is not the cluster's."""
    with recording_server(folder) as server:
        project(folder, server, 10)
        (folder / "other-token").write_text(secrets.token_hex(32), encoding="utf-8")
        wrong = Nodes({**nodes.environment, "RAY_AUTH_TOKEN_PATH": str(folder / "other-token")}, nodes.port)
        process = run(folder, wrong, "-o", "refused", "--executor", "ray")
        process.communicate()
        came = server.ended()
    good = process.returncode == 2 and not came
    held.say(f"a wrong token: exit code {process.returncode}, {len(came)} questions asked", good=good)


def main() -> int:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="of the questions")
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--rate", type=float, help="kills and a cancellation alone, at this rate")
    parser.add_argument("--check", action="store_true", help="exit with 1 where something does not hold")
    given = parser.parse_args()
    held, first = Held(), time.monotonic()
    with tempfile.TemporaryDirectory() as place, cluster(Path(place), 1, 1, 1) as nodes:
        folder = Path(place) / "project"
        folder.mkdir()
        print(f"three nodes up after {time.monotonic() - first:.0f} s", flush=True)
        if (rate := given.rate) is None:
            refused(folder, nodes, held)
            rate = 0.6 * one_limit(folder, nodes, given.scale, held)
        count = max(1000, int(KILL_QUESTIONS * given.scale))
        kills(folder, nodes, count, given.kills, rate, held)
        cancelled(folder, nodes, count, rate, held)
    print(f"{time.monotonic() - first:.0f} s in all, {held.failed} of these do not hold")
    return int(bool(held.failed) and given.check)


if __name__ == "__main__":
    sys.exit(main())
