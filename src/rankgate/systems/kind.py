"""What the rest of rankgate knows of a kind of system without opening one."""

from __future__ import annotations

import inspect
import shutil
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from rankgate import plugins
from rankgate.errors import InputError, Problem

GROUP = "rankgate.systems"
"""The entry points that are kinds of systems."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What a module that brings a kind of system says of it, under the name ``KIND``; all of it optional."""

    about: str = ""
    """What it asks, in a line."""
    base: str = ""
    """The option that names the folder its paths are relative to: the project's, where it is not given."""
    outside: str = ""
    """What answers outside this process, such as ``a server``; empty where this process does."""
    index: tuple[str, ...] = ()
    """The options that name an index which is there; where none is given, it builds one. Empty for others."""
    library: str = ""
    """The library that it imports."""
    extra: str = ""
    """The extra of rankgate that brings the library."""
    program: str = ""
    """The program that it starts."""
    tested: str = ""
    """What its tests ask for real, with the version, or that they do not; empty where there is no engine."""

    def load(self, where: str) -> Any:
        """Import the library.

        Raises:
            InputError: where it is not installed, with how to install it.
        """
        try:
            return import_module(self.library)
        except ModuleNotFoundError as error:
            found = f"{error.name} is not installed"
            raise InputError(Problem(where, found, self.library, self.install)) from error
        except ImportError as error:
            fix = f"to install anew: pip install --force-reinstall 'rankgate[{self.extra}]'"
            found = f"{self.library}, which does not load ({error})"
            raise InputError(Problem(where, found, self.library, fix)) from error

    @property
    def install(self) -> str:
        """How to install what it needs."""
        if self.library:
            return f"to install: pip install 'rankgate[{self.extra}]'"
        return f"to install: apt install {self.extra}, brew install {self.extra}, or your system's package"

    @property
    def installed(self) -> bool:
        """Whether what it needs is there; a library is looked for and not imported."""
        if self.library:
            return find_spec(self.library) is not None
        beside = str(Path(sys.executable).parent)
        return not self.program or any(shutil.which(self.program, path=path) for path in (None, beside))


def kind_of(name: str) -> Kind:
    """Give what is known of a kind; of one that says nothing, the first line of its opener's docstring.

    >>> kind_of("tantivy").extra
    'tantivy'

    Raises:
        PluginError: for a kind that no plugin brings, or that does not import.
    """
    opener = plugins.load(GROUP, name)
    said = getattr(sys.modules.get(getattr(opener, "__module__", "")), "KIND", None)
    return said if isinstance(said, Kind) else Kind((inspect.getdoc(opener) or "").partition("\n")[0])
