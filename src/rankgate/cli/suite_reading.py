"""What the commands about suites share: which suites, of which format, over which corpus."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.errors import InputError, Problem

if TYPE_CHECKING:
    from collections.abc import Callable

    from rankgate.model.suite import Suite

suites_argument = click.argument("suites", nargs=-1, metavar="[SUITE]...", type=click.Path(path_type=Path))


@dataclass(frozen=True, slots=True)
class SuiteReader:
    """Reads suites as the command line says."""

    read_as: str | None
    """The format; None where the file tells it."""
    corpus: str | None
    """The corpus in place of the suite's; None for that."""
    grades: str | None
    """What labels are worth."""

    def read(self, path: Path) -> Suite:
        """Read one suite.

        Raises:
            InputError: for a file that cannot be read, or is not right.
        """
        from rankgate.cli.suite_convert import read_corpus, read_grades
        from rankgate.suites.format import Reading
        from rankgate.suites.formats import load_suite

        if not path.exists():
            raise InputError(Problem(str(path), "no such file", "a suite such as search.yaml"))
        source = read_corpus(self.corpus)
        if source is not None and Path(source.place).exists():
            # A path on the command line is relative to here, one in a suite to the suite.
            place = Path(os.path.relpath(source.place, path.resolve().parent)).as_posix()
            source = replace(source, place=place)
        return load_suite(path, self.read_as, Reading(read_grades(self.grades), source))


def reading_options(command: Callable[..., int]) -> Callable[..., int]:
    """Give a command the options that say how a suite is read, as its argument `reader`."""

    @click.option("--from", "read_as", metavar="FORMAT", help="The format, where the file does not tell.")
    @click.option(
        "--corpus",
        metavar="[KIND:]PLACE",
        help="What places are in: docs/, sdist:click==8.3.2. Default: the suite's.",
    )
    @click.option("--grades", metavar="LABEL=GRADE,…", help="What each label of the file is worth.")
    @wraps(command)
    def with_reader(
        *args: Any, read_as: str | None, corpus: str | None, grades: str | None, **kwargs: Any
    ) -> int:
        return command(*args, reader=SuiteReader(read_as, corpus, grades), **kwargs)

    return with_reader


def chosen_suites(suites: tuple[Path, ...], command: str) -> tuple[Path, ...]:
    """Give the suites that are named, or those of the configuration.

    Raises:
        InputError: where there are none.
    """
    from rankgate.evaluation.configuration import find_configuration, shortest

    if suites:
        return suites
    configuration = find_configuration(Path.cwd())
    found = tuple(shortest(configuration.root / suite) for suite in configuration.suites)
    if not found:
        fix = "name a suite, or list suites in rankgate.toml"
        raise InputError(Problem(command, "no suite", "a suite such as search.yaml", fix))
    return found
