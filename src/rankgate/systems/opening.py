"""Opening a system by what a configuration or a command line calls it.

A kind of system is an entry point in the group ``rankgate.systems``: a function that takes the system's name
and its options, refuses options it does not know, and returns a `System`. Beside `search`, a system may have:

- ``name: str`` and ``version: str | None``, for the manifest;
- ``describe() -> dict``, its options for the manifest; what looks like a secret is hidden there;
- ``thread_safe: bool``, whether several threads may ask one instance;
- ``another() -> System``, one more of it for one more thread, where it is not;
- ``dropped: int`` and ``unmatched_lines: int``, how many hits and lines it left out so far;
- ``close()``, called when the last query is answered.

Its module may say more of it, as a `rankgate.Kind` named ``KIND``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate import plugins
from rankgate.errors import InputError, PluginError, Problem, did_you_mean
from rankgate.model.search import System
from rankgate.systems.failures import shown
from rankgate.systems.function import open_function
from rankgate.systems.kind import GROUP

if TYPE_CHECKING:
    from collections.abc import Mapping


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
        return open_function(name, {"target": name, **given})
    if kind is None and name not in plugins.listed(GROUP):
        raise _unknown(name)
    if kind is not None and not isinstance(kind, str):
        raise InputError(Problem(f"{name}.kind", shown(kind), "the name of a kind"))
    if kind == "runfile":
        expected = "a system that can be asked"
        raise InputError(Problem(f"{name}.kind", "a stored run", expected, "score it with `rankgate score`"))
    opener = plugins.load(GROUP, kind or name)
    if not callable(opener):
        raise PluginError(Problem(f"{GROUP} {kind or name!r}", shown(opener), "a function (name, options)"))
    system = opener(name, given)
    if not isinstance(system, System):
        raise PluginError(Problem(f"{GROUP} {kind or name!r}", shown(system), "an object with search"))
    return system


def _unknown(name: str) -> InputError:
    known = plugins.listed(GROUP)
    fix = did_you_mean(name, known, otherwise="name its kind in the configuration")
    expected = f"module:attr, ./file.py:attr, a configured system, or one of {', '.join(known) or 'no kinds'}"
    return InputError(Problem("system", repr(name), expected, fix))
