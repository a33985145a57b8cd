"""The source of Python code and of all that it imports inside the project; of the rest, the versions.

Nothing is imported: files are found where an import statement would find them, and their text is read. So
the same files have the same contents, whatever else a process has imported.
"""

from __future__ import annotations

import functools
import inspect
import platform
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rankgate.files.digests import bytes_digest
from rankgate.systems.contents.distributions import Distributions
from rankgate.systems.contents.imports import Imports, imports_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rankgate.files.digests import ContentsReader
    from rankgate.systems.contents.imports import Import

FILES = "files that the function reads and servers that it asks"
"""What is unknown of every function."""
MOST_FILES = 2_000
"""How many files of a project are followed."""

_OURS = "rankgate"
_STANDARD = Path(inspect.__file__).resolve().parent
_INSTALLED = {"site-packages", "dist-packages"}
_PARSED: dict[str, Imports] = {}
"""What files import, by their digests: a session asks for the same system again and again."""


class PythonSources:
    """Follows imports from file to file.

    Args:
        contents: What is found is added here.
        folders: Where modules are looked for before `sys.path`, such as the folder of a script.
        here: False for code that another Python runs, of whose distributions nothing is known.
    """

    def __init__(self, contents: ContentsReader, folders: Iterable[Path] = (), *, here: bool = True) -> None:
        self._contents = contents
        self._folders = tuple(folder.resolve() for folder in folders)
        self._roots = {contents.root, *self._folders}
        self._here = here
        self._seen: set[Path] = set()
        self._places: dict[str, list[Path]] = {}
        if here:
            contents.add("Python", platform.python_version())

    def follow_object(self, found: object, name: str) -> None:
        """Add the source of a function, a class or an object, and what it imports.

        Args:
            found: What is called.
            name: What it is called in words, where its source cannot be had.
        """
        while isinstance(found, functools.partial):
            found = found.func
        code: Any = inspect.unwrap(found) if callable(found) else found
        if inspect.ismethod(code) and not isinstance(code.__self__, type):
            self.follow_object(type(code.__self__), name)
        code = code if inspect.isroutine(code) or inspect.isclass(code) else type(code)
        try:
            path = Path(inspect.getfile(code))
        except (TypeError, OSError):
            path = Path()
        if path.is_file():
            self.follow_module(path.resolve(), str(getattr(code, "__module__", "")))
            return
        try:
            # What was typed into a notebook has no file.
            source = inspect.getsource(code)
        except (TypeError, OSError):
            self._contents.add_unknown(f"the source of {name}")
            return
        self._contents.add(f"source of {name}", bytes_digest(source.encode(errors="surrogatepass")))
        self._contents.add_unknown(f"what {name} takes from the code around it")

    def follow_target(self, target: str) -> None:
        """Add the source of what was loaded as ``module:attr`` or ``./file.py:attr``."""
        module, _, attribute = target.rpartition(":")
        path = self._contents.root / module
        found: Any = sys.modules.get(str(path.resolve()) if module.endswith(".py") else module)
        for name in attribute.split("."):
            found = getattr(found, name, None)
        self.follow_object(found, target)
        self._contents.add_unknown(FILES)

    def follow_target_module(self, target: str) -> None:
        """Add the source of the module that was named as ``module:attr`` or ``./file.py:attr``."""
        name = target.rpartition(":")[0]
        path = (self._contents.root / name).resolve()
        module = sys.modules.get(str(path) if name.endswith(".py") else name)
        file = getattr(module, "__file__", None)
        if file is not None:
            self.follow_module(Path(file).resolve(), name)

    def follow(self, path: Path) -> None:
        """Add a file and all that it imports."""
        waiting = [path.resolve()]
        while waiting:
            file = waiting.pop()
            if file in self._seen:
                continue
            if len(self._seen) >= MOST_FILES:
                self._contents.add_unknown(f"modules beyond the first {MOST_FILES:,} that are imported")
                return
            self._seen.add(file)
            waiting += self._read(file)

    def follow_module(self, path: Path, module: str) -> None:
        """Add the file of a module, the packages that it is in, and all that they import."""
        if _is_installed(path) or module.partition(".")[0] == _OURS:
            self._add_distribution(module)
            return
        # A file that is loaded by its path is in no package.
        depth = 0 if module.endswith(".py") else module.count(".") + (path.name == "__init__.py")
        packages = path.parents[:depth]
        if not path.is_relative_to(self._contents.root):
            # Its siblings are of the same project, wherever that lies.
            self._roots.add((packages[-1] if packages else path).parent)
        for folder in packages:
            if (folder / "__init__.py").is_file():
                self.follow(folder / "__init__.py")
        self.follow(path)

    def _read(self, path: Path) -> list[Path]:
        """Add one file and return the files that it imports."""
        name = self._name(path)
        self._contents.add_files(path, name)
        if path.suffix != ".py":
            return []
        try:
            source = path.read_bytes()
        except OSError:
            return []
        digest = bytes_digest(source)
        if digest not in _PARSED:
            _PARSED[digest] = imports_of(source)
        imports = _PARSED[digest]
        if not imports.readable:
            self._contents.add_unknown(f"what {name} imports, which is not valid Python")
        if imports.by_name:
            self._contents.add_unknown(f"modules that {name} imports by names that it makes")
        return [file for one in imports.modules for file in self._files(one, path)]

    def _files(self, wanted: Import, by: Path) -> list[Path]:
        """Return the files of the project that an import reads; of what is installed, add the version."""
        if wanted.level:
            starts = list(by.parents[wanted.level - 1 : wanted.level])
        elif wanted.module in self._places:
            starts = self._places[wanted.module]
        else:
            starts = self._places[wanted.module] = self._looked_for(wanted.module)
        if not starts:
            return []
        files, whole = _below(starts, wanted.module)
        if not whole:
            name = "." * wanted.level + wanted.module
            self._contents.add_unknown(f"the module {name}, which {self._name(by)} imports and is not there")
            return files
        parts = wanted.module.split(".") if wanted.module else []
        packages = [start.joinpath(*parts) for start in starts]
        own = [] if parts else [package / "__init__.py" for package in packages]
        taken = [_file_of(package, name) for package in packages for name in wanted.names]
        return [*files, *(one for one in own if one.is_file()), *(one for one in taken if one is not None)]

    def _looked_for(self, module: str) -> list[Path]:
        """Return the folders of the project that a module lies in; none where it is no part of it."""
        top = module.partition(".")[0]
        for folder in self._folders:
            if _below([folder], top)[1]:
                return [folder]
        if not self._here:
            return []
        places = [] if top == _OURS else [one for one in _found(top) if self._is_ours(one / top)]
        if not places and top not in sys.stdlib_module_names:
            self._add_distribution(module)
        return places

    def _is_ours(self, path: Path) -> bool:
        return not _is_installed(path) and any(path.is_relative_to(root) for root in self._roots)

    def _add_distribution(self, module: str) -> None:
        brought, top = Distributions.here().of(module), module.partition(".")[0]
        for name, version in brought.items():
            self._contents.add(name, version)
        places = _found(top)
        if not brought and not places:
            self._contents.add(top, "not installed")
        elif top != _OURS and not any(_is_installed(folder / top) for folder in places):
            self._contents.add_unknown(f"the source of {top}, which lies outside the project")

    def _name(self, path: Path) -> str:
        for root in (self._contents.root, *sorted(self._roots)):
            if path.is_relative_to(root):
                return path.relative_to(root).as_posix()
        return path.name


def _below(folders: Iterable[Path], module: str) -> tuple[list[Path], bool]:
    """Return the files that importing a module reads below one of the folders, and whether it is there."""
    parts = module.split(".") if module else []
    files: list[Path] = []
    for folder in folders:
        files, place = [], folder
        for number, part in enumerate(parts, 1):
            file, place = _file_of(place, part), place / part
            files += [] if file is None else [file]
            if not place.is_dir() and (file is None or number < len(parts)):
                break
        else:
            return files, True
    return files, False


def _file_of(folder: Path, name: str) -> Path | None:
    """Return the file of a module or of a package; None where there is none, as for a namespace."""
    for path in (folder / name / "__init__.py", folder / f"{name}.py"):
        if path.is_file():
            return path
    built = [one for ending in (".so", ".pyd") for one in folder.glob(f"{name}.*{ending}")]
    return min(built, default=None)


def _found(top: str) -> list[Path]:
    """Return the folders in which Python finds a module of this name, without importing it."""
    # Not `importlib.util.find_spec`, which answers with what is imported already.
    finders = (find for finder in sys.meta_path if (find := getattr(finder, "find_spec", None)))
    spec = next((found for find in finders if (found := find(top, None)) is not None), None)
    if spec is None:
        return []
    if spec.submodule_search_locations is not None:
        return [Path(place).resolve().parent for place in spec.submodule_search_locations]
    return [Path(spec.origin).resolve().parent] if spec.has_location and spec.origin else []


def _is_installed(path: Path) -> bool:
    """Return whether a path is of an installed distribution or of Python itself."""
    return not _INSTALLED.isdisjoint(path.parts) or path.is_relative_to(_STANDARD)
