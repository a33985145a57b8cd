"""The source of functions, followed from file to file without importing anything."""

from __future__ import annotations

import ast
import platform
import sys
from functools import partial
from pathlib import Path
from textwrap import dedent
from typing import TYPE_CHECKING

import pytest

from rankgate.files.digests import ContentsReader
from rankgate.model.systems import SystemContents
from rankgate.systems.contents.imports import imports_of
from rankgate.systems.contents.python_sources import FILES, PythonSources
from rankgate.systems.function.system import FunctionOptions, FunctionSystem

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Write:
    """Writes the files of a project, whose root is imported from."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def written(**files: str) -> Path:
        for name, text in files.items():
            path = tmp_path / (name.replace("__", "/").replace("/init", "/__init__") + ".py")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text))
        return tmp_path

    return written


def followed(root: Path, start: str) -> SystemContents:
    """Return what is found from a file on."""
    reader = ContentsReader(root)
    PythonSources(reader).follow(root / start)
    return reader.contents


def files(contents: SystemContents) -> list[str]:
    """Return the files of the project among contents."""
    return [name for name in contents.known if "/" in name or name.endswith(".py")]


def system(root: Path, target: object) -> FunctionSystem:
    """Open a function of a project."""
    return FunctionSystem(target, FunctionOptions(root=str(root)))


def test_absolute_and_relative_imports_are_followed_with_their_packages(write: Write) -> None:
    root = write(
        pkg_a__init="",
        pkg_a__search="from .ranking import best\nimport pkg_a.words\nfrom pkg_b import deep",
        pkg_a__ranking="def best(): from ..pkg_b.deep.inner import x",
        pkg_a__words="",
        pkg_b__init="",
        pkg_b__deep__init="from . import inner as other",
        pkg_b__deep__inner="x = 1",
        unrelated="",
    )
    assert files(followed(root, "pkg_a/search.py")) == [
        "pkg_a/__init__.py",
        "pkg_a/ranking.py",
        "pkg_a/search.py",
        "pkg_a/words.py",
        "pkg_b/__init__.py",
        "pkg_b/deep/__init__.py",
        "pkg_b/deep/inner.py",
    ]


def test_a_package_without_init_is_a_namespace(write: Write) -> None:
    root = write(nsp__one="from nsp import two", nsp__two="import nsp.three.four", nsp__three__four="")
    assert files(followed(root, "nsp/one.py")) == ["nsp/one.py", "nsp/three/four.py", "nsp/two.py"]


def test_imports_in_a_circle_end(write: Write) -> None:
    root = write(circle_a="import circle_b", circle_b="import circle_a")
    assert files(followed(root, "circle_a.py")) == ["circle_a.py", "circle_b.py"]


def test_imports_for_type_checkers_do_not_count(write: Write) -> None:
    root = write(
        typed="""
            from typing import TYPE_CHECKING
            if TYPE_CHECKING:
                import typed_other
            else:
                import typed_real
        """,
        typed_other="",
        typed_real="",
    )
    assert files(followed(root, "typed.py")) == ["typed.py", "typed_real.py"]


def test_versions_of_distributions_stand_for_what_is_installed(write: Write) -> None:
    root = write(uses="import click, json, yaml, os.path, rankgate.model\nimport numpy.linalg as l")
    known = followed(root, "uses.py").known
    assert set(known) == {"Python", "click", "numpy", "pyyaml", "rankgate", "uses.py"}
    assert known["Python"] == platform.python_version()
    assert known["click"] == sys.modules["importlib.metadata"].version("click")


def test_a_module_that_is_not_installed_is_said_to_be_missing(write: Write) -> None:
    root = write(wants="try:\n    import no_such_engine\nexcept ImportError:\n    pass")
    assert followed(root, "wants.py").known["no_such_engine"] == "not installed"


ODD = {
    "import a_one, a_two as two  # import": ["a_one", "a_two"],
    "from a_pkg import (  # first\n    one,\n    two,\n)": ["a_pkg"],
    "from a_pkg import (\n    one,\n    two as other,\n)": ["a_pkg"],
    "from a_pkg \\\n    import one": ["a_pkg"],
    "from a_pkg import one, \\\n    two": ["a_pkg"],
    "import a_one; import a_two": ["a_one", "a_two"],
    "try: import a_one\nexcept ImportError: pass": ["a_one"],
    "if 1: from a_pkg import *": ["a_pkg"],
    "x = 1; import a_one": ["a_one"],
    "def f():\n\timport a_one.deep.er": ["a_one.deep.er"],
    "'''\nimport that is told\n'''\nimport a_one": ["a_one"],
    "# import this\nimport a_one": ["a_one"],
    "import a_one\r\nimport a_two\r\n": ["a_one", "a_two"],
}
"""Ways to write imports, and the modules that are imported."""


@pytest.mark.parametrize("source", ODD)
def test_every_way_to_write_an_import_is_read(source: str) -> None:
    assert sorted(one.module for one in imports_of(source.encode()).modules) == ODD[source]


def test_files_of_libraries_import_at_least_what_the_parser_sees() -> None:
    library = Path(platform.__file__).parent
    files = [
        path for name in ("asyncio", "email", "http", "importlib") for path in library.glob(f"{name}/*.py")
    ]
    assert len(files) > 50
    for path in files:
        source = path.read_bytes()
        tree = list(ast.walk(ast.parse(source)))
        named = {one.name for node in tree if isinstance(node, ast.Import) for one in node.names}
        froms = {(node.module or "", node.level) for node in tree if isinstance(node, ast.ImportFrom)}
        found = imports_of(source).modules
        assert named <= {one.module for one in found}, path
        assert froms <= {(one.module, one.level) for one in found}, path


def test_what_cannot_be_parsed_or_found_is_unknown_and_no_crash(write: Write) -> None:
    root = write(
        starts="from . import broken\nimport starts_pkg.gone", broken="import (", starts_pkg__init=""
    )
    contents = followed(root, "starts.py")
    assert files(contents) == ["broken.py", "starts.py", "starts_pkg/__init__.py"]
    assert contents.unknown == (
        "the module starts_pkg.gone, which starts.py imports and is not there",
        "what broken.py imports, which is not valid Python",
    )


def test_a_name_that_stands_in_the_text_is_followed_and_one_that_is_made_is_unknown(write: Write) -> None:
    root = write(
        loads="import importlib\nimportlib.import_module('loads_one')\n__import__('loads_' + 'two')",
        loads_one="",
        loads_two="",
    )
    contents = followed(root, "loads.py")
    assert files(contents) == ["loads.py", "loads_one.py"]
    assert contents.unknown == ("modules that loads.py imports by names that it makes",)


def test_a_function_of_a_module_and_of_a_file_are_made_of_the_same_files(write: Write) -> None:
    root = write(
        app_f__init="", app_f__search="from app_f import rank\ndef search(query, k): ...", app_f__rank=""
    )
    by_module, by_file = system(root, "app_f.search:search"), system(root, "./app_f/search.py:search")
    names = ["app_f/__init__.py", "app_f/rank.py", "app_f/search.py"]
    assert [name for name in by_module.contents() if "/" in name] == names
    assert by_file.contents() == by_module.contents()
    assert by_file.unknown() == (FILES,)
    loaded = sys.modules["app_f.search"].search
    assert system(root, loaded).contents() == by_module.contents()


def test_a_change_of_an_imported_module_changes_the_contents(write: Write) -> None:
    root = write(app_c="import app_c_rank\ndef search(query, k): ...", app_c_rank="boost = 1")
    before = system(root, "app_c:search").contents()
    write(app_c_rank="boost = 2")
    after = system(root, "app_c:search").contents()
    assert {name for name in after if after[name] != before[name]} == {"app_c_rank.py"}


def test_a_class_counts_with_the_file_of_its_base(write: Write) -> None:
    root = write(
        app_k="from app_k_base import Base\nclass Search(Base): ...",
        app_k_base="class Base:\n    def search(self, query, k): ...",
    )
    assert files(SystemContents(system(root, "app_k:Search").contents())) == ["app_k.py", "app_k_base.py"]


def test_an_object_a_closure_and_a_partial_call_hold_values_that_no_source_tells(tmp_path: Path) -> None:
    boost = 2

    def closure(query: str, k: int) -> list[str]:
        return [query] * boost

    def plain(query: str, k: int, more: int = 0) -> list[str]:
        return [query] * k

    class Search:
        def search(self, query: str, k: int) -> list[str]:
            return [query] * k

    for target in (closure, partial(plain, more=1), Search(), Search().search):
        assert any("was made with" in words for words in system(tmp_path, target).unknown())
    for found in (plain, Search):
        assert system(tmp_path, found).unknown() == (FILES,)


def test_a_function_without_a_file_is_known_by_its_source_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import linecache

    text = "def search(query, k):\n    return [query]\n"
    typed: dict[str, Callable[..., object]] = {"__name__": "__main__"}  # type: ignore[dict-item]
    exec(compile(text, "<cell 1>", "exec"), typed)
    assert "the source of __main__:search" in system(tmp_path, typed["search"]).unknown()
    monkeypatch.setitem(linecache.cache, "<cell 1>", (len(text), None, text.splitlines(keepends=True), ""))
    held = system(tmp_path, typed["search"])
    assert "source of __main__:search" in held.contents()
    assert "what __main__:search takes from the code around it" in held.unknown()


def test_a_system_of_the_users_own_adds_what_it_says_itself(tmp_path: Path) -> None:
    class Own:
        def search(self, query: str, k: int) -> list[str]:
            return [query] * k

        def contents(self) -> dict[str, str]:
            return {"weights": "3"}

        def unknown(self) -> tuple[str, ...]:
            return ("the weather",)

    assert system(tmp_path, Own).contents()["weights"] == "3"
    assert "the weather" in system(tmp_path, Own).unknown()


def test_what_a_virtual_environment_inside_the_project_holds_is_no_source_of_it(
    write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    packages = tmp_path / ".venv/lib/python3/site-packages"
    (packages / "engine_x").mkdir(parents=True)
    (packages / "engine_x/__init__.py").touch()
    (packages / "engine_x_dist-1.5.dist-info").mkdir()
    (packages / "engine_x_dist-1.5.dist-info/RECORD").write_text("engine_x/__init__.py,,\n")
    monkeypatch.syspath_prepend(str(packages))
    contents = followed(write(asks="import engine_x"), "asks.py")
    assert files(contents) == ["asks.py"]
    assert contents.known["engine_x_dist"] == "1.5"
    assert not contents.unknown
