"""What the commands about suites share: which suites, in which format, over which corpus."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from rankgate.model import CorpusSource, Suite


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
        from rankgate.suites.formats import ReadOptions, load_suite

        if not path.exists():
            raise InputError(Code.NO_SUCH_FILE(str(path), "no such file", "a suite such as search.yaml"))
        source = read_corpus(self.corpus)
        if source is not None and Path(source.place).exists():
            # A path on the command line is relative to here, one in a suite to the suite.
            place = Path(os.path.relpath(source.place, path.resolve().parent)).as_posix()
            source = replace(source, place=place)
        return load_suite(path, self.read_as, ReadOptions(read_grades(self.grades), source))


def reading_options(command: Callable[..., int]) -> Callable[..., int]:
    """Add the options that say how a suite is read, as the argument `reader`."""

    @click.option("--from", "read_as", metavar="FORMAT", help="The format, where the file does not tell.")
    @click.option(
        "--corpus",
        metavar="[KIND:]LOCATION",
        help="What locations are in: docs/, archive:docs.zip. Default: the suite's.",
    )
    @click.option("--grades", metavar="LABEL=GRADE,…", help="What each label of the file is worth.")
    @wraps(command)
    def with_reader(
        *args: Any, read_as: str | None, corpus: str | None, grades: str | None, **kwargs: Any
    ) -> int:
        return command(*args, reader=SuiteReader(read_as, corpus, grades), **kwargs)

    return with_reader


def chosen_suites(suites: Sequence[Path]) -> Sequence[Path]:
    """Return the suites that are named, or those of the configuration, which is read only for these.

    Raises:
        InputError: where there are none.
    """
    from rankgate.project.find import find_configuration

    return suites or find_configuration(Path.cwd()).chosen_suites(suites)


def read_grades(text: str | None) -> dict[str, float]:
    """Read what labels are worth, as in ``relevant=2,secondary=1``.

    >>> read_grades("relevant=2,secondary=1")
    {'relevant': 2.0, 'secondary': 1.0}

    Raises:
        InputError: for what is no label and number, and for a label that is given twice.
    """
    from rankgate.io.tables import number_of

    found: dict[str, float] = {}
    for part in text.split(",") if text is not None else ():
        label, _, worth = part.rpartition("=")
        grade = number_of(worth)
        if not label.strip() or grade is None:
            raise InputError(Code.WRONG_OPTION("--grades", repr(part), "label=number, separated by commas"))
        if label.strip() in found:
            raise InputError(Code.WRONG_OPTION("--grades", f"{label.strip()!r} twice", "each label once"))
        found[label.strip()] = grade
    return found


def read_corpus(text: str | None) -> CorpusSource | None:
    """Read where a corpus is: ``docs/``, or ``kind:place`` with more as ``,key=value``.

    >>> str(read_corpus("folder:docs/"))
    'docs/'

    Raises:
        InputError: for an option that is no key and value.
    """
    from rankgate.corpora.corpus import GROUP
    from rankgate.model import CorpusSource
    from rankgate.plugins import listed

    if text is None:
        return None
    kind, colon, rest = text.partition(":")
    known = bool(colon) and kind in listed(GROUP)
    place, *more = (rest if known else text).split(",")
    if not place:
        raise InputError(Code.WRONG_OPTION("--corpus", repr(text), "a path, or kind:path"))
    return CorpusSource(place, kind if known else "folder", read_pairs("--corpus", more))


def read_pairs(where: str, texts: tuple[str, ...] | list[str]) -> dict[str, str]:
    """Read texts of ``key=value``; of a key that is given twice, the last counts.

    Raises:
        InputError: for a text that is no key and value.
    """
    found = {}
    for text in texts:
        key, given, value = text.partition("=")
        if not given or not key:
            raise InputError(Code.WRONG_OPTION(where, repr(text), "key=value"))
        found[key] = value
    return found
