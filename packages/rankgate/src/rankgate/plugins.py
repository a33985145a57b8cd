"""Plugins by name: entry points, ``module:attr``, or ``./file.py:attr``.

Listing names reads package metadata and imports nothing; a plugin is imported when it is used.
"""

from __future__ import annotations

import sys
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import TYPE_CHECKING, cast

from rankgate.errors import Code, PluginError, Problem, contained, described, did_you_mean

if TYPE_CHECKING:
    from importlib.metadata import EntryPoints
    from types import CodeType, ModuleType


IN_EXTRAS = {"reference": "reference", **dict.fromkeys(("bm25s", "lancedb", "ripgrep", "tantivy"), "engines")}
"""Kinds of systems that distributions of the project bring, each with the extra that installs it."""


@cache
def listed(group: str) -> dict[str, EntryPoint]:
    """List the plugins of a group, by name, without importing any.

    >>> "ndcg" in listed("rankgate.metrics")
    True

    Raises:
        PluginError: where two distributions claim one name.
    """
    found: dict[str, EntryPoint] = {}
    for point in sorted(_installed(tuple(sys.path)).select(group=group), key=lambda point: point.name):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise PluginError(
                Problem(
                    f"{group} {point.name!r}",
                    f"{other.value} and {point.value}",
                    "one plugin of that name",
                    "uninstall one",
                )
            )
    return found


@cache
def _installed(path: tuple[str, ...]) -> EntryPoints:
    """Return the entry points of every distribution on a path, whose files are read once."""
    del path
    # Python 3.11 has another type for all groups together, which is selected from in the same way.
    return cast("EntryPoints", entry_points())


def load(group: str, name: str) -> object:
    """Import one plugin of a group, by its name or as ``module:attr`` or ``./file.py:attr``.

    Raises:
        PluginError: for a name that is unknown, or a plugin that does not import.
    """
    point = listed(group).get(name)
    if point is None and ":" not in name:
        fix = did_you_mean(name, listed(group), most=3)
        if group == "rankgate.systems" and name in IN_EXTRAS:
            fix = f"pip install 'rankgate[{IN_EXTRAS[name]}]'"
        raise PluginError(Code.UNKNOWN_PLUGIN(group, repr(name), "one of " + ", ".join(listed(group)), fix))
    target = point.value if point is not None else name
    module, _, attribute = target.rpartition(":")
    found: object = None
    try:
        with contained():
            found = _module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # a plugin may raise anything while it is imported
        near = get_close_matches(attribute, dir(found), n=1) if isinstance(error, AttributeError) else []
        meant = f"{module}:{near[0]}" if near else _near_file(module, attribute)
        fix = f"did you mean {meant}?" if meant else ""
        missing = isinstance(error, (ImportError, AttributeError))
        said = str(error) if missing else described(error)
        raise PluginError(Code.NOT_IMPORTABLE(repr(name), said, f"{target} to be importable", fix)) from error
    return found


def _near_file(module: str, attribute: str) -> str:
    """Return the file of a like name beside one that does not exist; empty where there is none."""
    path = Path(module)
    if not module.endswith(".py") or path.exists() or not path.parent.is_dir():
        return ""
    near = get_close_matches(path.name, [one.name for one in path.parent.glob("*.py")], n=1)
    return f"{path.parent / near[0]}:{attribute}" if near else ""


def load_from(group: str, name: str, root: str) -> object:
    """Import one plugin as `load` does; modules and files are looked for in a folder first.

    Raises:
        PluginError: as `load`.
    """
    module, _, attribute = name.rpartition(":")
    if not module or name in listed(group):
        return load(group, name)
    folder = str(Path(root).resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if module.endswith(".py"):
        module = str(Path(root) / module)
    return load(group, f"{module}:{attribute}")


class _TextLoader(SourceFileLoader):
    """Loads a file as it stands now: compiled code of the same second and size may be of an older text."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the file."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def _module(name: str) -> ModuleType:
    if not name.endswith(".py"):
        return import_module(name)
    path = Path(name).resolve()
    spec = spec_from_file_location(str(path), path, loader=_TextLoader(str(path), str(path)))
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"no Python file at {name}")
    module = module_from_spec(spec)
    # Dataclasses look their module up by name. A file may share its name with an installed module, so it gets
    # one that no import statement can spell.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
