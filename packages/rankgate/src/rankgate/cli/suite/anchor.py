"""``rankgate suite anchor``: the text that every target points at, pinned by its hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from rankgate.cli.options import exit_codes, suites_argument
from rankgate.cli.progress_line import ProgressLine
from rankgate.cli.suite.options import chosen_suites, deprecated, reading_options
from rankgate.errors import Code, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from rankgate.cli.suite.options import SuiteReader
    from rankgate.truth.anchors import AnchorComparison

_SHOWN = 20


@click.command()
@suites_argument
@click.option("--check", is_flag=True, help="Write nothing; exit with 1 if there is something to write.")
@click.option("--accept", is_flag=True, help="Anchor changed texts again, once you have read them.")
@reading_options
@exit_codes(
    passed="all anchored",
    gate_failed="something to write (with --check)",
    wrong_call="a text changed or is not there",
)
def anchor(suites: tuple[Path, ...], check: bool, accept: bool, reader: SuiteReader) -> int:
    """Pin the text that every target points at, in a file beside the suite.

    \b
    rankgate suite anchor search.yaml       writes search.anchors.json
    rankgate suite anchor --check           in CI: is every target anchored?

    A text that changed since it was anchored keeps its anchor, and is told, until it is accepted.
    """
    deprecated("anchor")
    return max(_anchor(path, reader, check=check, accept=accept) for path in chosen_suites(suites))


def _anchor(path: Path, reader: SuiteReader, *, check: bool, accept: bool) -> int:
    from rankgate.evaluation.project.opening import open_corpus
    from rankgate.truth.anchors import AnchorState, anchors_path, read_anchors, write_anchors
    from rankgate.truth.mending.anchoring import updated_anchors
    from rankgate.truth.mending.plan import Documents

    suite = reader.read(path)
    opened = open_corpus(suite, None)
    if opened is None:
        fix = "name it as corpus: in the suite, or with --corpus"
        raise InputError(Code.NO_CORPUS(str(path), "no corpus", "a corpus whose texts can be anchored", fix))
    file = anchors_path(path)
    kept = read_anchors(file)
    documents = Documents(opened)
    with ProgressLine():
        comparison, anchors = updated_anchors(suite, documents, kept, accept=accept)
    known = {} if kept is None else kept.cases
    to_write = anchors.cases != known
    if not check and (to_write or (kept is not None and anchors != kept)):
        write_anchors(anchors, file)
    for line in _told(path, file, comparison, check=check, to_write=to_write, accept=accept):
        click.echo(line)
    changed = any(each.inline or not accept for each in comparison.of(AnchorState.CHANGED))
    if changed or comparison.of(AnchorState.LOST):
        return 2
    return 1 if check and to_write else 0


def _told(
    path: Path, file: Path, comparison: AnchorComparison, *, check: bool, to_write: bool, accept: bool
) -> Iterator[str]:
    """Return what was done, or would be, and the locations that want a person."""
    from rankgate.reports.text.printable import printable
    from rankgate.truth.anchors import AnchorState

    changed, lost = comparison.of(AnchorState.CHANGED), comparison.of(AnchorState.LOST)
    inline = [each for each in changed if each.inline]
    them = "it" if len(inline) == 1 else "them"
    kept = "changed, kept" if to_write and not check else "changed"
    counts = (
        (len(comparison.of(AnchorState.MATCHING)), "unchanged"),
        (len(comparison.of(AnchorState.NEW)), "new"),
        (len(comparison.left_over), "dropped, of locations that are gone"),
        (len(changed) - len(inline), _accepted(check=check) if accept else kept),
        (len(inline), f"changed, anchored in the suite: correct {them} there"),
        (len(lost), "not in the corpus"),
    )
    said = ", ".join(f"{number} {words}" for number, words in counts if number) or "nothing to anchor"
    if to_write:
        done = f"{file} {'is out of date' if check else 'written'}"
    else:
        done = f"{file} {'left as it is' if changed or lost else 'is up to date'}"
    yield printable(f"{path}: {said}" if said == "nothing to anchor" else f"{done}: {said}")
    wanting = [each for each in (*changed, *lost) if each.inline or each in lost or not accept]
    for each in wanting[:_SHOWN]:
        where = each.case.where or f"{path}: case {each.case.id}"
        yield printable(f"{where}: '{each.location}', {each.state}")
    if len(wanting) > _SHOWN:
        yield f"… and {len(wanting) - _SHOWN} more"
    if wanting:
        yield printable(f"rankgate suite lint {path} explains each; rankgate suite mend {path} follows texts")
    if not accept and len(changed) > len(inline):
        yield printable(f"where the new text is right: rankgate suite anchor --accept {path}")


def _accepted(*, check: bool) -> str:
    return "changed, to be accepted" if check else "changed and accepted"
