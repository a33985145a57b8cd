"""`rankgate.reference`, the old name of the package, works for one release and warns."""

from __future__ import annotations

import subprocess
import sys

import pytest

import rankgate_reference.system

HIDDEN = """
import sys
sys.modules["rankgate_reference"] = None
import rankgate.reference
"""


def test_the_old_name_is_the_new_module_and_warns() -> None:
    for name in [name for name in sys.modules if name.startswith("rankgate.reference")]:
        del sys.modules[name]
    with pytest.warns(DeprecationWarning, match="rankgate.reference is rankgate_reference now"):
        from rankgate.reference.system import open_reference  # type: ignore[import-not-found]
    assert open_reference is rankgate_reference.system.open_reference


def test_without_the_distribution_it_says_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", HIDDEN], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "pip install 'rankgate[reference]'" in done.stderr
