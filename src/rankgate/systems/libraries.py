"""The libraries of engines, which are there only where somebody installed them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from rankgate.errors import InputError, Problem


def library(module: str, extra: str, where: str) -> Any:
    """Import the library of an engine.

    Args:
        module: What is imported.
        extra: The extra of rankgate that brings it.
        where: The system, for errors.

    Raises:
        InputError: where it is not installed, with how to install it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        fix = f"to install: pip install 'rankgate[{extra}]'"
        raise InputError(Problem(where, f"{error.name} is not installed", module, fix)) from error
    except ImportError as error:
        fix = f"to install anew: pip install --force-reinstall 'rankgate[{extra}]'"
        raise InputError(Problem(where, f"{module}, which does not load ({error})", module, fix)) from error
