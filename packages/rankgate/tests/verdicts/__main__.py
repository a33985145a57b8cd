"""Draw states, and print where rankgate and the oracle disagree: ``python -m verdicts STATES [SEED]``."""

from __future__ import annotations

import argparse
import sys
import time

from verdicts.histories import History, check, smallest
from verdicts.server import serving
from verdicts.ways import InProcess, Processes, settle


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("states", type=int)
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--processes", type=int, default=0, metavar="N", help="every N-th as real processes")
    parser.add_argument("--most", type=int, default=5, help="how many disagreements to print")
    parser.add_argument("--brief", action="store_true", help="a line for each disagreement")
    parser.add_argument("--first", action="store_true", help="stop at the first disagreement")
    parser.add_argument("--only-called", action="store_true", help="by the command line alone")
    given = parser.parse_args()
    found, begun = 0, time.monotonic()
    sys.dont_write_bytecode = True
    with serving() as server:
        for seed in range(given.seed, given.seed + given.states):
            real = bool(given.processes) and seed % given.processes == 0
            ways = Processes() if real else InProcess()
            disagreement = check(History.drawn(seed), ways, server, only_called=given.only_called)
            settle(seed - given.seed + 1)
            if disagreement is not None:
                found += 1
                if given.first:
                    print(f"after {seed - given.seed + 1} states: {disagreement.brief()}")  # noqa: T201
                    break
                if given.brief:
                    print(disagreement.brief(), flush=True)  # noqa: T201
                elif found <= given.most:
                    print(smallest(disagreement, ways, server), end="\n\n", flush=True)  # noqa: T201
    seconds = time.monotonic() - begun
    print(f"{given.states:,} states in {seconds:,.0f} s, {found:,} disagreements")  # noqa: T201
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main())
