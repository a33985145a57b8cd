"""Every module of both packages can be imported, whether or not a test or an example reaches it."""

from __future__ import annotations

import importlib
import pkgutil

import pytest


@pytest.mark.filterwarnings("ignore:.* is .* now:DeprecationWarning")  # modules that moved
@pytest.mark.parametrize("name", ["rankgate", "rankgate_reference"])
def test_every_module_can_be_imported(name: str) -> None:
    package = importlib.import_module(name)
    found = [module.name for module in pkgutil.walk_packages(package.__path__, f"{name}.")]
    assert len(found) > 40
    for module in found:
        if not module.endswith(".__main__"):
            importlib.import_module(module)
