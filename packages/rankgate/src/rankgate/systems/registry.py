"""Kinds of systems by name, and how a system of one is opened.

A kind of system is an entry point in the group ``rankgate.systems``: a function that takes the system's name
and its options, refuses options it does not know, and returns a `System`. What a system may
offer beside `search` is declared by `rankgate.SystemBase`.

Its module may say more of it, as a `rankgate.SystemKind` named ``KIND``.
"""

from __future__ import annotations

import inspect
import shutil
import sys
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from rankgate import plugins
from rankgate.errors import Code, InputError, PluginError, Problem, RankgateError, contained, did_you_mean
from rankgate.io.secrets import hiding
from rankgate.io.typed import read_options
from rankgate.model import System
from rankgate.systems.adapter.failures import shown, told

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from _typeshed import DataclassInstance

    S = TypeVar("S", bound=System)

GROUP = "rankgate.systems"
"""The entry points that are kinds of systems."""


@dataclass(frozen=True, slots=True)
class SystemKind:
    """What a module that brings a kind of system says of it, under the name ``KIND``; all of it optional."""

    about: str = ""
    """What it asks, in a line."""
    base: str = ""
    """The option that names the folder its paths are relative to: the project's, where it is not given."""
    launches: bool = False
    """True where it may start a program: it takes `env`, and the folder of a corpus as `corpus_folder`."""
    library: str = ""
    """The library that it imports."""
    extra: str = ""
    """The extra of rankgate that brings the library."""
    program: str = ""
    """The program that it starts."""
    options: type[DataclassInstance] | None = None
    """The dataclass of its options; with it, the options are checked with the whole configuration."""
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
            raise InputError(Code.MISSING_EXTRA(where, found, self.library, self.install)) from error
        except ImportError as error:
            fix = f"to reinstall: pip install --force-reinstall 'rankgate[{self.extra}]'"
            found = f"{self.library}, which does not load ({error})"
            raise InputError(Code.MISSING_EXTRA(where, found, self.library, fix)) from error

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


def opener(
    system: Callable[..., S], options: type[DataclassInstance]
) -> Callable[[str, Mapping[str, object]], S]:
    """Return the entry point of a kind: it reads the options of a configuration and opens a system with them.

    It raises an `InputError` with every option that is unknown or wrong, and what opening the system raises.
    """

    def open_configured(name: str, given: Mapping[str, object]) -> S:
        return system(read_options(options, given, name), name=name)

    # Whoever asks for the kind finds KIND beside the system.
    open_configured.__module__ = system.__module__
    return open_configured


def kind_of(name: str) -> SystemKind:
    """Return what is known of a kind; of one that says nothing, the first line of its opener's docstring.

    >>> kind_of("http").extra
    'http'

    Raises:
        PluginError: for a kind that no plugin brings, or that does not import.
    """
    opener = plugins.load(GROUP, name)
    said = getattr(sys.modules.get(getattr(opener, "__module__", "")), "KIND", None)
    return (
        said
        if isinstance(said, SystemKind)
        else SystemKind((inspect.getdoc(opener) or "").partition("\n")[0])
    )


def open_system(name: str, options: Mapping[str, object] | None = None) -> System:
    """Open the system of this name.

    Args:
        name: The name in the configuration; or, without a kind, ``module:attr``, ``./file.py:attr``, or the
            name of a kind.
        options: What the configuration says of it: `kind`, and the options of that kind.

    Raises:
        InputError: for a kind, an option or a function that is unknown or wrong.
    """
    given = dict(options or {})
    kind = given.pop("kind", None)
    if kind is None and ":" in name:
        kind, given = "function", {"target": name, **given}
    if kind is None and name not in plugins.listed(GROUP):
        raise _unknown(name)
    if kind is not None and not isinstance(kind, str):
        raise InputError(Code.WRONG_VALUE(f"{name}.kind", shown(kind), "the name of a kind"))
    if kind == "runfile":
        expected = "a system that can be asked"
        raise InputError(
            Code.STORED_RUN(f"{name}.kind", "a stored run", expected, "score it with `rankgate score`")
        )
    opener = plugins.load(GROUP, kind or name)
    if not callable(opener):
        raise PluginError(Problem(f"{GROUP} {kind or name!r}", shown(opener), "a function (name, options)"))
    with hiding():
        system = _opened(opener, name, given, f"{GROUP} {kind or name!r}")
    if not isinstance(system, System):
        raise PluginError(Problem(f"{GROUP} {kind or name!r}", shown(system), "an object with search"))
    return system


def _opened(opener: Callable[..., object], name: str, given: Mapping[str, object], where: str) -> object:
    try:
        with contained():
            return opener(name, given)
    except RankgateError:
        raise
    except Exception as error:
        raise PluginError(Problem(where, told(error), "a system that opens")) from error


def _unknown(name: str) -> InputError:
    known = plugins.listed(GROUP)
    fix = did_you_mean(name, known, otherwise="name its kind in the configuration")
    expected = f"module:attr, ./file.py:attr, a configured system, or one of {', '.join(known) or 'no kinds'}"
    return InputError(Code.UNKNOWN_SYSTEM("system", repr(name), expected, fix))
