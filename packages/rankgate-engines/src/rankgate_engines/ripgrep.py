"""ripgrep as a system: files by how often they hold the words of a query. The floor that a search must beat.

There is no index: the folder is the corpus. A query is asked in two passes: how often each file matches, and
then, for the best files alone, where the first match is.
"""

from __future__ import annotations

import re
import shutil
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from rankgate.errors import Code, InputError, SystemFailedError
from rankgate.io.typed import Count, Seconds
from rankgate.model import Ranking
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.failures import printable
from rankgate.systems.adapter.options import ConfiguredSystem
from rankgate.systems.adapter.process import Finished, ProcessLimits, Programs, environment
from rankgate.systems.adapter.templates import check_filters, words_of
from rankgate.systems.registry import SystemKind, opener

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model import Query


_COUNTED = re.compile(rb"([^\0]+)\0([0-9]+)\n")
_PLACED = re.compile(rb"([^\0\n][^\0]*)\0([0-9]+):[^\n]*\n")
_FILES_AT_ONCE = 200
_FIX = "leave the filters out, or name the files in globs"
# Nothing of the machine's own settings: the same folder has the same answer everywhere.
_ALWAYS = (
    "--no-ignore-global",
    "--no-ignore-parent",
    "--no-ignore-exclude",
    "--no-require-git",
    "--color=never",
    "--path-separator=/",
)


@dataclass(frozen=True, slots=True)
class RipgrepOptions:
    """Which folder is searched, and how."""

    folder: str = "."
    """The folder of the files; paths of hits are relative to it."""
    query: Literal["any", "whole", "regex"] = "any"
    """Each word of it as a fixed string, any of which counts; all of it as one; or a regular expression."""
    case: Literal["smart", "sensitive", "insensitive"] = "smart"
    """Smart: upper case counts where the query has some."""
    globs: tuple[str, ...] = ()
    """The files to search, such as ``*.py``; with ``!`` before it, those to leave out."""
    ignore: bool = True
    """True where what .gitignore, .ignore and .rgignore inside the folder name is left out."""
    arguments: tuple[str, ...] = ()
    """Your own arguments beside these, such as ``--word-regexp`` or ``--type=py``."""
    program: str = "rg"
    """The program; one that is not found is looked for beside this Python as well."""
    timeout: Seconds = 30.0
    """Seconds until it is ended, for each of the two passes."""
    max_output: Count = 100_000_000
    """Bytes of output until it is ended."""
    root: str = "."
    """The folder that `folder` is relative to; usually the project's."""


KIND = SystemKind(
    "A folder, searched by ripgrep and ranked by counting: the floor",
    base="root",
    program="rg",
    extra="ripgrep",
    tested="tested with ripgrep 13.0",
    options=RipgrepOptions,
)


class RipgrepSystem(ConfiguredSystem[RipgrepOptions]):
    """Asks ripgrep. Several may run at once.

    Raises:
        InputError: for a folder that is not there, or ripgrep missing.
    """

    kind = "ripgrep"
    data_options = ("folder",)

    def __init__(self, options: RipgrepOptions, *, name: str = "ripgrep") -> None:
        super().__init__(options, name)
        self._folder = Path(options.root) / options.folder
        if not self._folder.is_dir():
            found = f"no folder {printable(str(self._folder))}"
            raise InputError(Code.NO_SUCH_FILE(f"{name}.folder", found, "the folder to search"))
        self._program = _found(options.program, name)
        self._programs = Programs()
        self.version: str | None = self._asked_version()

    def search(self, query: Query) -> Ranking:
        """Ask ripgrep.

        Raises:
            SystemFailedError: where it does not answer, and for filters.
        """
        check_filters(query, frozenset(), _FIX)
        patterns = self._patterns(query.text)
        if not patterns:
            return Ranking()
        counts = _COUNTED.findall(self._printed(patterns, ("--count-matches",), ("./",)))
        named = [(-int(count), path) for path, count in counts if _is_utf8(path)]
        self.count(unnamed=len(counts) - len(named))
        best = sorted(named)[: query.k]
        starts = self._starts(patterns, [path for _, path in best])
        rows = [
            {
                "path": path.decode().removeprefix("./"),
                "start": starts.get(path),
                "score": float(-count),
            }
            for count, path in best
        ]
        return ranking_of(rows, query.k)[0]

    def close(self) -> None:
        """End the programs that other threads still wait for."""
        self._programs.close()

    def _patterns(self, text: str) -> bytes:
        """Write a pattern a line, as ripgrep reads them; empty where there is nothing to look for."""
        if self._options.query == "any":
            lines = words_of(text)
        else:
            # A line break would begin another pattern, and no line holds one.
            lines = tuple(filter(None, [" ".join(text.splitlines()).strip()]))
        return "".join(f"{line}\n" for line in lines).encode(errors="replace")

    def _starts(self, patterns: bytes, paths: Sequence[bytes]) -> dict[bytes, int]:
        """Find the line of the first match in each of these files."""
        first = ("--line-number", "--only-matching", "--replace=", "--max-count=1", "--no-heading")
        starts: dict[bytes, int] = {}
        for number in range(0, len(paths), _FILES_AT_ONCE):
            names = [path.decode() for path in paths[number : number + _FILES_AT_ONCE]]
            for path, line in _PLACED.findall(self._printed(patterns, first, names)):
                starts.setdefault(path, int(line))
        return starts

    def _printed(self, patterns: bytes, how: Sequence[str], files: Sequence[str]) -> bytes:
        options = self._options
        arguments = [self._program, *_ALWAYS, f"--{_CASES[options.case]}"]
        arguments += [] if options.query == "regex" else ["--fixed-strings"]
        arguments += [] if options.ignore else ["--no-ignore"]
        arguments += [f"--glob={glob}" for glob in options.globs]
        arguments += [*options.arguments, "--with-filename", "--null", *how, "--file=-", "--", *files]
        finished = self._run(arguments, patterns)
        # 1 where nothing is found.
        if finished.code not in (0, 1):
            found = f"exit code {finished.code} ({finished.last_words or 'nothing on stderr'})"
            raise SystemFailedError(Code.PROGRAM_FAILED(self.name, found, "exit code 0 or 1"))
        return finished.output

    def _run(self, arguments: Sequence[str], stdin: bytes | None = None) -> Finished:
        limits = ProcessLimits(self._options.timeout, self._options.max_output)
        folder = str(self._folder)
        return self._programs.run(arguments, stdin=stdin, limits=limits, cwd=folder, env=environment(()))

    def _asked_version(self) -> str | None:
        try:
            said = self._run([self._program, "--version"]).output.decode(errors="replace").split()
        except SystemFailedError as error:
            raise InputError(Code.NOT_STARTED(f"{self.name}.program", str(error), "ripgrep")) from error
        if said[:1] != ["ripgrep"]:
            found = f"{printable(self._program)}, which is another program"
            raise InputError(Code.NOT_STARTED(f"{self.name}.program", found, "ripgrep"))
        return said[1] if said[1:] else None


_CASES = {"smart": "smart-case", "sensitive": "case-sensitive", "insensitive": "ignore-case"}


open_ripgrep = opener(RipgrepSystem, RipgrepOptions)
"""The entry point of the kind `ripgrep`."""


def _is_utf8(name: bytes) -> bool:
    try:
        name.decode()
    except UnicodeDecodeError:
        return False
    return True


def _found(program: str, name: str) -> str:
    found = shutil.which(program) or shutil.which(program, path=str(Path(sys.executable).parent))
    if found is None:
        found = f"{program!r}, which is not installed"
        raise InputError(Code.NOT_STARTED(f"{name}.program", found, "ripgrep", KIND.install))
    return str(Path(found).absolute())
