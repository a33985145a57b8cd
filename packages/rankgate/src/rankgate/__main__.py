"""``python -m rankgate``."""

import os
import sys

# Python puts the working folder first, where a click.py or a json.py would be taken for the library.
if not sys.flags.safe_path and sys.path[:1] in ([""], [os.getcwd()]):  # noqa: PTH109 - nothing is imported yet
    del sys.path[0]

from rankgate.cli.main import run

if __name__ == "__main__":
    run()
