"""`just first-test`: what `rankgate test` loads, executes and writes for the queries of the README.

Prints rankgate's modules, the functions of rankgate that were executed, the processor time without a
profiler, and the files. `--list` prints their names as well.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

README = Path(__file__).parent.parent / "README.md"
TURNS = 5
TEST = ["test", "search.yaml", "--system", "app:search"]
COUNTING = """
import sys
from rankgate.cli.main import main
functions, package = set(), "/rankgate/"
def seen(frame, event, argument):
    code = frame.f_code
    if event == "call" and package in code.co_filename and not code.co_name.startswith("<"):
        functions.add(code)
import threading
threading.setprofile(seen)
sys.setprofile(seen)
try:
    main()
except SystemExit:
    pass
sys.setprofile(None)
modules = sorted(name for name in sys.modules if name.partition(".")[0] == "rankgate")
print(*(f"module {name}" for name in modules), sep="\\n")
print(*(f"function {one.co_filename}:{one.co_firstlineno} {one.co_qualname}" for one in functions), sep="\\n")
"""
TIMING = """
import time
from rankgate.cli.main import main
try:
    main()
except SystemExit:
    print("time", time.process_time())
"""


def run(folder: Path, program: str) -> list[str]:
    """Run the test of the README under a program, and return its output."""
    command = [sys.executable, "-c", program, *TEST]
    # Without bytecode, half of the time is spent on compiling.
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}
    found = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return found.stdout.splitlines()


def main() -> None:
    """Measure and print."""
    blocks = re.findall(r"```bash\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    written = "\n".join(blocks[0].splitlines()[1:]).rpartition("rankgate test")[0]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(["bash", "-e", "-c", written], cwd=folder, check=True)
        before = set(folder.rglob("*"))
        times = [float(run(folder, TIMING)[-1].removeprefix("time ")) for _ in range(TURNS)]
        lines = run(folder, COUNTING)
        files = [one for one in sorted(folder.rglob("*")) if one.is_file() and one not in before]
        files = [one.relative_to(folder) for one in files if "__pycache__" not in one.parts]
        sizes = sum((folder / one).stat().st_size for one in files)
    found = {kind: sorted(line for line in lines if line.startswith(kind)) for kind in ("module", "function")}
    if "--list" in sys.argv:
        print(*found["module"], *found["function"], *(f"file {one}" for one in files), sep="\n")
    print(f"modules {len(found['module'])}, functions {len(found['function'])}, processor {min(times):.2f} s")
    print(f"files {len(files)} ({sizes / 1000:.0f} kB)")


if __name__ == "__main__":
    main()
