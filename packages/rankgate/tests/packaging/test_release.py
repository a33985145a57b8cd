"""A release is verified by its signature and its sums; whatever was changed since is named."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
import release

if TYPE_CHECKING:
    from pathlib import Path

WHO = "releases@example.com"


def _key(folder: Path, name: str) -> Path:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not here")
    call = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", WHO, "-f", str(folder / name)]
    subprocess.run(call, check=True)
    return folder / name


@pytest.fixture
def signed(tmp_path: Path) -> tuple[Path, Path]:
    """A folder that was signed, and who may sign."""
    dist = tmp_path / "dist"
    dist.mkdir()
    (dist / "a-1.whl").write_bytes(b"a")
    (dist / "a-1.cdx.json").write_bytes(b"{}")
    key = _key(tmp_path, "key")
    release.sign(release.write_sums(dist), key)
    signers = tmp_path / "signers"
    signers.write_text(f'{WHO} namespaces="{release.NAMESPACE}" {key.with_suffix(".pub").read_text()}')
    return dist, signers


def test_what_was_signed_is_verified(signed: tuple[Path, Path]) -> None:
    assert release.verify(*signed, WHO) == []


def test_a_file_that_was_changed_added_or_removed_is_named(signed: tuple[Path, Path]) -> None:
    dist, signers = signed
    (dist / "a-1.whl").write_bytes(b"b")
    (dist / "b-1.whl").write_bytes(b"b")
    (dist / "a-1.cdx.json").unlink()
    assert release.verify(dist, signers, WHO) == [
        "a-1.cdx.json: missing",
        "b-1.whl: not in SHA256SUMS",
        "a-1.whl: has another sha256",
    ]


def test_sums_that_were_written_anew_are_refused(signed: tuple[Path, Path]) -> None:
    dist, signers = signed
    (dist / "a-1.whl").write_bytes(b"b")
    release.write_sums(dist)
    (problem,) = release.verify(dist, signers, WHO)
    assert problem.startswith("SHA256SUMS: ")


def test_the_key_of_another_is_refused(signed: tuple[Path, Path], tmp_path: Path) -> None:
    dist, signers = signed
    release.sign(dist / release.SUMS, _key(tmp_path, "other"))
    (problem,) = release.verify(dist, signers, WHO)
    assert problem.startswith("SHA256SUMS: ")


def test_sums_are_those_of_sha256sum(signed: tuple[Path, Path]) -> None:
    done = subprocess.run(["sha256sum", "--check", release.SUMS], cwd=signed[0], check=False)
    assert done.returncode == 0
