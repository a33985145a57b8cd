"""The snippets for batch systems are valid, and every part asks a part of its own."""

from __future__ import annotations

import os
import re
import subprocess
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from support.repository import ROOT
from support.sdists import FIXTURES

if TYPE_CHECKING:
    from pathlib import Path

PAGE = ROOT / "docs" / "guides" / "many-machines.md"
ACTIONLINT = FIXTURES / "actionlint" / "bin" / "actionlint"
PARTS = 8
EVERY_PART = [f"{part}/{PARTS}" for part in range(1, PARTS + 1)]
SHOWS_ITS_WORDS = '#!/bin/sh\nprintf "%s\\n" "$@"\n'
CALLS_ON = '#!/bin/sh\nexec "$@"\n'


def block(begins: str) -> str:
    """Return the one block of the page that begins so."""
    found = re.findall(r"```\w+\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (one,) = [text for text in found if text.startswith(begins)]
    return str(one)


def words(folder: Path, call: list[str], variables: dict[str, str]) -> list[str]:
    """Run a snippet where `rankgate` prints what it is called with, and return that."""
    for name, script in (("rankgate", SHOWS_ITS_WORDS), ("srun", CALLS_ON)):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(call, env={**variables, "PATH": path}, capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


def option(called: list[str], name: str) -> str:
    return called[called.index(name) + 1]


def test_the_workflow_is_valid_and_its_matrix_has_every_part(tmp_path: Path) -> None:
    text = block("jobs:")
    jobs: dict[str, Any] = yaml.safe_load(text)["jobs"]
    assert jobs["ask"]["strategy"]["matrix"]["part"] == list(range(1, PARTS + 1))
    (call,) = [step["run"] for step in jobs["ask"]["steps"] if "rankgate run" in step.get("run", "")]
    assert call.endswith(f"--shard ${{{{ matrix.part }}}}/{PARTS}")
    assert jobs["judge"]["needs"] == "ask"
    if not ACTIONLINT.is_file():
        if os.environ.get("CI"):
            pytest.fail("actionlint is not there; `just actionlint` builds it")
        pytest.skip("actionlint is not there; `just actionlint` builds it")
    file = tmp_path / "workflow.yaml"
    file.write_text(f"on: push\n{text}", encoding="utf-8")
    done = subprocess.run([ACTIONLINT, file], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")


def test_every_task_of_the_array_asks_a_part_of_its_own(tmp_path: Path) -> None:
    text = block("#!/bin/bash")
    assert f"#SBATCH --array=1-{PARTS} " in text
    file = tmp_path / "array.sh"
    file.write_text(text, encoding="utf-8")
    called = [words(tmp_path, ["bash", str(file)], {"SLURM_ARRAY_TASK_ID": str(at)}) for at in range(1, 9)]
    assert [option(one, "--shard") for one in called] == EVERY_PART
    assert len({option(one, "-o") for one in called}) == PARTS
    assert all("--resume" in one for one in called)


def test_every_pod_of_the_job_asks_a_part_of_its_own(tmp_path: Path) -> None:
    job: dict[str, Any] = yaml.safe_load(block("apiVersion:"))
    assert (job["apiVersion"], job["kind"], job["spec"]["completionMode"]) == ("batch/v1", "Job", "Indexed")
    assert job["spec"]["completions"] == PARTS
    (container,) = job["spec"]["template"]["spec"]["containers"]
    # Kubernetes counts from 0, --shard from 1.
    call = [*container["command"], *container["args"]]
    called = [words(tmp_path, call, {"JOB_COMPLETION_INDEX": str(at)}) for at in range(PARTS)]
    assert [option(one, "--shard") for one in called] == EVERY_PART
    assert len({option(one, "-o") for one in called}) == PARTS
    assert all("--resume" in one for one in called)
