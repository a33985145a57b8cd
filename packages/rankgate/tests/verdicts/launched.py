"""What `ways` starts as a process of its own: a command that is interrupted, and an evaluation by Python."""

from __future__ import annotations

import json
import sys

from verdicts.ways import _interrupted, evaluated


def main(arguments: list[str]) -> int:
    first, second, *rest = arguments
    if first == "evaluate":
        code, gates = evaluated(second, *rest)
        print(json.dumps({"code": code, "gates": gates}))  # noqa: T201
        return 0
    from rankgate.cli.main import main as command

    sys.argv = ["rankgate", *rest]
    with _interrupted(int(second), killed=first == "kill"):
        command()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
