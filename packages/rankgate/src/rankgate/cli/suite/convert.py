"""``rankgate suite convert``: a suite of another tool becomes a suite of rankgate."""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.cli.options import PATH, echo_names
from rankgate.errors import Code, InputError
from rankgate.wording import many

if TYPE_CHECKING:
    from rankgate.model import CorpusSource, Suite
    from rankgate.suites.formats import SuiteFormat


@click.command()
@click.argument("source", metavar="IN", type=PATH)
@click.argument("target", metavar="OUT", type=PATH)
@click.option(
    "--from", "read_as", metavar="FORMAT", help="The format of IN, where its content does not tell."
)
@click.option("--to", "write_as", metavar="FORMAT", help="The format of OUT, where its name does not tell.")
@click.option("--grades", metavar="LABEL=GRADE,…", help="What each label of IN is worth.")
@click.option("--source", "label", metavar="SOURCE", help="Who judged: person, import, model, clicks, …")
@click.option(
    "--corpus", metavar="[KIND:]PLACE", help="What the locations of IN are in: docs/, archive:docs.zip."
)
@click.option("--option", "options", multiple=True, metavar="KEY=VALUE", help="An option of IN's format.")
@click.option("--force", is_flag=True, help="Write over OUT.")
@click.option("--strict", is_flag=True, help="Exit 1 where OUT cannot hold all of IN.")
def convert(
    source: Path,
    target: Path,
    read_as: str | None,
    write_as: str | None,
    label: str | None,
    force: bool,
    strict: bool,
    **options: Any,
) -> int:
    """Read a suite in any format and write a suite of rankgate.

    \b
    rankgate suite convert code.csv code.yaml --corpus src/
    rankgate suite convert judged.json search.yaml --grades relevant=2,secondary=1
    rankgate suite convert clicks.csv clicks.yaml --source clicks

    Notes count what was left out. `rankgate list formats` shows the formats and their options.
    """
    from rankgate.cli.suite.options import read_corpus, read_grades, read_pairs
    from rankgate.model import SOURCE_KINDS
    from rankgate.suites.formats import OWN, ReadOptions, format_for, format_named, format_of, load_suite

    if not source.exists():
        raise InputError(Code.NO_SUCH_FILE(str(source), "no such file or folder", "a suite"))
    writes = format_named(write_as) if write_as else format_for(target)
    if writes.write is None:
        raise InputError(
            Code.CANNOT_CONVERT(f"--to {writes.name}", "a format that is only read", "one that is written")
        )
    if _taken(target) and not force:
        raise InputError(
            Code.ALREADY_THERE(str(target), "something is there", "a new file", "write over it with --force")
        )
    if label is not None and label.split(maxsplit=1)[:1] not in [[kind] for kind in SOURCE_KINDS]:
        kinds = ", ".join(SOURCE_KINDS)
        said = f"--source: unknown source {label!r}, expected one of {kinds}"
        raise InputError(Code.WRONG_OPTION("--source", repr(label), kinds, "", said))
    reads = format_named(read_as, source) if read_as else format_of(source)
    corpus = read_corpus(options["corpus"])
    reading = ReadOptions(read_grades(options["grades"]), corpus, read_pairs("--option", options["options"]))
    suite = load_suite(source, reads.name, reading)
    echo_names(_read(source, reads, suite))
    if reads.name not in OWN and suite.name == _stem(source):
        # The file says no name; the suite goes on as OUT.
        suite = replace(suite, name=_stem(target))
    if label is not None:
        cases = (
            replace(case, targets=tuple(replace(each, source=label) for each in case.targets))
            for case in suite.cases
        )
        suite = replace(suite, cases=tuple(cases))
    here = source.parent if corpus is None else Path()
    suite = replace(suite, corpus=_seen_from(suite.corpus, here, target.parent), path=str(target))
    for note in suite.notes:
        click.echo(f"note   {_line(note)}")
    lost = writes.write(suite, target)
    echo_names(f"wrote  {target} as {writes.name}")
    for words in lost:
        click.echo(f"{click.style('warn', fg='yellow')}   {_line(words)}", err=True)
    return 1 if lost and strict else 0


def _stem(path: Path) -> str:
    return path.name.split(".")[0] or "suite"


def _taken(target: Path) -> bool:
    return any(target.iterdir()) if target.is_dir() else target.exists()


def _read(source: Path, reads: SuiteFormat, suite: Suite) -> str:
    grades = Counter(each.grade for case in suite.cases for each in case.targets)
    by_grade = ", ".join(
        f"{count:,} of grade {grade:g}" for grade, count in sorted(grades.items(), reverse=True)
    )
    said = f"{many(len(suite.cases), 'case')}, {many(grades.total(), 'target')}"
    return f"read   {source} as {reads.name}: {said}" + (f" ({by_grade})" if grades else "")


def _seen_from(source: CorpusSource | None, here: Path, there: Path) -> CorpusSource | None:
    """Spell the place of a corpus, which is relative to the suite's file, from another folder."""
    if source is None or not (here / source.place).exists():
        return source
    place = os.path.relpath(here / source.place, there).replace(os.sep, "/")
    return replace(source, place=f"{place}/" if source.place.endswith("/") else place)


def _line(text: str) -> str:
    from rankgate.reports.text.printable import printable

    return printable(text)
