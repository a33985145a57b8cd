"""``rankgate suite fix``: a suite made right again after its documents changed."""

from __future__ import annotations

import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from rankgate.cli.options import PATH, exit_codes, format_option
from rankgate.errors import Code, ExitCode, InputError, LocationError, did_you_mean
from rankgate.reports.text.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rankgate.locations import Location
    from rankgate.project.suite_fix import Decision, Mended, Mending
    from rankgate.truth.follow import TargetChange

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_STATE = "COMMIT|VERSION|PATH"


@click.command()
@click.argument("suite", type=PATH)
@click.option("--from", "came_from", metavar=_STATE, help="The documents as they were when they were judged.")
@click.option("--to", metavar=_STATE, help="Documents to move to; . is the working tree of a git corpus.")
@click.option("--yes", is_flag=True, help="Write what is sure, and ask nothing.")
@click.option("--keep", is_flag=True, help="Keep every target whose text was edited where it stands.")
@click.option(
    "--take", multiple=True, metavar="NAME[=LOCATION]", help="Where a target is now. May be repeated."
)
@click.option("--missing", multiple=True, metavar="NAME", help="Remove a missing target. May be repeated.")
@click.option("--check", is_flag=True, help="Write nothing and ask nothing.")
@format_option("text", "json", words="Layout.")
@click.option("--root", type=_FOLDER, help="The folder that corpora must lie in; by default the project's.")
@exit_codes(
    ExitCode.WRONG_CALL, passed="every target is settled", gate_failed="something to write or to decide"
)
def fix(suite: Path, came_from: str | None, to: str | None, root: Path | None, **options: Any) -> int:
    """Make a suite right again after its documents changed.

    \b
    rankgate suite fix search.yaml                     show and ask, then write
    rankgate suite fix search.yaml --yes               write what is sure
    rankgate suite fix search.yaml --take rotate=keys.md#Rotation
    rankgate suite fix search.yaml --missing limits

    Text is followed where it can only be one place: moved, re-indented, in a renamed file, under another
    heading. The rest is proposed, the likeliest location first. NAME is a case, or a location of the suite.
    Texts that were not recorded are looked for in git: in the documents of the baseline, or of the commit
    that changed the suite last.
    """
    from rankgate.cli.progress_line import ProgressLine
    from rankgate.project.suite_fix import open_mending

    call = MendCall(suite, came_from, to, root, **options)
    call.check_options()
    if not suite.exists():
        raise InputError(Code.NO_SUCH_FILE(str(suite), "no such file", "a suite such as search.yaml"))
    with ProgressLine() as waiting:
        mending = open_mending(suite, came_from, to, root, waiting.tell)
    if mending.commit:
        # The commands that it prints mean the same once something was written.
        call = replace(call, came_from=mending.commit)
    return Session(mending, call).run()


@dataclass(frozen=True, slots=True)
class MendCall:
    """What the command line says."""

    suite: Path
    came_from: str | None
    """The documents as they were."""
    to: str | None
    """The documents to move to."""
    root: Path | None
    """The folder that corpora must lie in."""
    yes: bool = False
    """Whether what is sure is written without asking."""
    keep: bool = False
    """Whether targets stay whose text was edited where it stands."""
    take: tuple[str, ...] = ()
    """Where targets are now."""
    missing: tuple[str, ...] = ()
    """Missing targets to remove."""
    check: bool = False
    """Whether nothing is written."""
    style: str = "text"
    """The layout."""

    @property
    def decides(self) -> bool:
        """True where the call itself says what to write."""
        return self.yes or self.keep or bool(self.take or self.missing)

    @property
    def words(self) -> list[str]:
        """The command, without what it decides."""
        words = ["rankgate", "suite", "fix", str(self.suite)]
        for name, value in (("--from", self.came_from), ("--to", self.to), ("--root", self.root)):
            words += [] if value is None else [name, str(value)]
        return words

    def check_options(self) -> None:
        """Refuse options that contradict each other.

        Raises:
            InputError: where they do.
        """
        if self.check and self.decides:
            raise InputError(
                Code.CONFLICT("--check", "something to write", "nothing to write, or no --check")
            )


class Session:
    """One call: what is shown, asked and written."""

    def __init__(self, mending: Mending, call: MendCall) -> None:
        """Take what became of the targets, and what the command line says."""
        self._mending, self._call = mending, call
        self._open = list(mending.plan.open)
        self._names = _names(self._open)
        self._queries = {case.id: case.query for case in mending.suite.cases}

    def run(self) -> int:
        """Show, ask and write; return the exit code."""
        from rankgate.reports.mend import count_lines, mend_json, moved_lines

        mending, call = self._mending, self._call
        decisions = self._decided()
        if call.style == "json":
            mended = mending.mended([*mending.sure(), *decisions])
            written = self._written(mended) if call.decides else None
            told = mend_json(str(call.suite), mending.plan, mending.said, self._names, written)
            click.echo(told, nl=False)
            return self._code(mended, written=written is not None)
        for line in (*count_lines(str(call.suite), mending.plan, mending.said), *moved_lines(mending.plan)):
            click.echo(line)
        asks = not (call.check or call.decides or mending.preview) and _has_terminal()
        if asks:
            decisions += self._asked()
        else:
            self._listed({each.location for each in decisions})
        return self._finished(mending.mended([*mending.sure(), *decisions]), asks=asks)

    def _decided(self) -> list[Decision]:
        """Return what the command line decides."""
        from rankgate.project.suite_fix import Decision

        found = []
        for text in self._call.take:
            target, location = self._taken(text)
            found.append(Decision(target.location, location))
        for name in self._call.missing:
            target = self._named(name, "--missing")
            found.append(Decision(target.location, None))
        named = {each.location for each in found}
        if len(named) < len(found):
            raise InputError(Code.CONFLICT("--take, --missing", "one target twice", "one decision for each"))
        if self._call.keep:
            kept = [each for each in self._open if each.stands and each.location not in named]
            found += [Decision(each.location, each.location) for each in kept]
        return found

    def _taken(self, text: str) -> tuple[TargetChange, Location]:
        # A location may hold the sign itself, so each is tried.
        cuts = [at for at, sign in enumerate(text) if sign == "="]
        for at in cuts:
            target = self._find(text[:at])
            if target is not None:
                return target, self._location(target, text[at + 1 :], f"--take {text}")
        target = self._named(text[: cuts[0]] if cuts else text, "--take")
        return target, self._location(target, str(target.location), f"--take {text}")

    def _location(self, target: TargetChange, text: str, where: str) -> Location:
        """Read a location that the documents of today have."""
        from rankgate.locations import Location
        from rankgate.truth.lookup import Miss

        reader = self._mending.today.reader
        if target.location.quote is not None:
            known = [one.location for one in target.drift.candidates if str(one.location) == text]
            location = known[0] if known else Location.of_quote(target.location.quote, text)
        elif self._mending.today.corpus.records:
            location = Location.of_id(text)
        else:
            try:
                location = Location.at(text)
            except LocationError as error:
                told = error.problems[0]
                raise InputError(Code.TARGET_NOT_FOUND(where, told.found, told.expected, told.fix)) from error
        found = reader.find(location)
        if isinstance(found, Miss):
            raise InputError(Code.TARGET_NOT_FOUND(where, *reader.lookup.explain(location, found)))
        return location

    def _find(self, name: str) -> TargetChange | None:
        fits = [
            each
            for each in self._mending.plan.targets
            if name == str(each.location) or name == self._names.get(each.location)
        ]
        fits = fits or [each for each in self._mending.plan.targets if each.cases == (name,)]
        return fits[0] if len(fits) == 1 else None

    def _named(self, name: str, option: str) -> TargetChange:
        target = self._find(name)
        if target is not None:
            return target
        several = [str(each.location) for each in self._mending.plan.targets if name in each.cases]
        if several:
            fix = f"name the location: {', '.join(several[:5])}"
            raise InputError(
                Code.AMBIGUOUS(option, f"{name!r}, a case of several locations", "one target", fix)
            )
        known = [*self._names.values(), *(str(each.location) for each in self._mending.plan.targets)]
        expected = "a case or a location of the suite"
        raise InputError(Code.UNKNOWN_CASE(option, repr(name), expected, did_you_mean(name, known)))

    def _listed(self, decided: set[Location]) -> None:
        """Show what is open, and the commands that decide it."""
        from rankgate.reports.mend import command_lines, open_lines

        left = [each for each in self._open if each.location not in decided]
        if not left:
            return
        click.echo("\nTo decide:")
        for number, each in enumerate(left, 1):
            for line in open_lines(each, number, len(left), self._queries):
                click.echo(line)
        if self._mending.old is None and any(not each.known for each in left):
            click.echo(
                "\nNothing was recorded of some: --from COMMIT or FOLDER names the documents as they were."
            )
        if not self._mending.preview:
            click.echo("\nIn a terminal the command asks for each; these decide without asking:")
            for line in command_lines(self._call.words, self._names, left):
                click.echo(line)

    def _asked(self) -> list[Decision]:
        """Ask for each target that is open."""
        from rankgate.project.suite_fix import Decision
        from rankgate.reports.mend import open_lines, text_lines

        found: list[Decision] = []
        mending = self._mending
        for number, each in enumerate(self._open, 1):
            for line in open_lines(each, number, len(self._open), self._queries):
                click.echo(line)
            for line in text_lines(each, mending.old, mending.today):
                click.echo(line)
            answer = self._answer(each)
            if answer is None:
                break
            if answer == "s":
                continue
            if answer == "r":
                found.append(Decision(each.location, None))
            elif isinstance(answer, str):
                continue
            else:
                found.append(Decision(each.location, answer))
        return found

    def _answer(self, target: TargetChange) -> Location | str | None:
        """Return a location, s to skip, r to remove; None to stop asking."""
        candidates = target.drift.candidates
        numbers = (
            f"1-{len(candidates)} take it, or " if len(candidates) > 1 else "1 take it, or " * len(candidates)
        )
        while True:
            question = f"  {numbers}type a location; [r]emove, [s]kip, [q]uit"
            answer = click.prompt(question, default="", show_default=False, prompt_suffix=": ").strip()
            if answer == "q":
                return None
            if answer in ("s", "r"):
                return answer
            if answer.isdecimal() and 0 < int(answer) <= len(candidates):
                return candidates[int(answer) - 1].location
            if answer:
                try:
                    return self._location(target, answer, answer)
                except InputError as error:
                    click.echo(printable(f"  {error.problems[0]}"))

    def _finished(self, mended: Mended, *, asks: bool) -> int:
        """Show the difference and write it, where that is asked for."""
        from rankgate.reports.text.difference import difference
        from rankgate.wording import many

        mending, call = self._mending, self._call
        suite, anchors = mending.changes(mended)
        if suite:
            click.echo()
            for line in difference(mending.written, mended.revised.text, str(call.suite), "mended"):
                click.echo(line)
        written = False
        if (suite or anchors) and not mending.preview:
            both = ((call.suite, suite), (mending.anchors_file, anchors))
            changed = [file for file, changes in both if changes] + [*mended.baselines]
            files = " and ".join(printable(str(file)) for file in changed)
            click.echo()
            if call.decides or (asks and _yes(f"Write {files}?")):
                mending.write(mended)
                written = True
                click.echo(f"Written: {files}")
            elif not asks:
                new = sum(not each.known for each in mending.plan.targets)
                if new:
                    them = "it" if new == 1 else "them"
                    said = f"{many(new, 'text')} not recorded yet, so that no change of {them} would be seen."
                    click.echo(said)
                click.echo(f"To write {'what is sure' if mended.open else 'it'} to {files}:")
                click.echo(printable(f"  {_joined([*call.words, '--yes'])}"))
        for line in self._ending(mended):
            click.echo(line)
        return self._code(mended, written=written)

    def _ending(self, mended: Mended) -> Iterator[str]:
        from rankgate.wording import many

        for each in mended.left:
            yield printable(f"Not possible in place: {getattr(each.edit, 'old', each.edit)}: {each.why}")
        for target in mended.by_hand:
            yield printable(
                f"Correct by hand, as only targets of cases can be removed: {target.owners[-1].owner}"
            )
        if self._mending.preview:
            yield f"Nothing is written: {self._mending.preview}"
        if mended.open:
            need = "needs" if len(mended.open) == 1 else "need"
            said = f"{many(len(mended.open), 'target')} still {need} a decision"
            yield f"{said}; what was recorded of {'it' if need == 'needs' else 'them'} is kept."
        elif not any(self._mending.changes(mended)):
            yield "Nothing to fix."

    def _written(self, mended: Mended) -> dict[str, object] | None:
        if self._mending.preview:
            return None
        suite, anchors = self._mending.changes(mended)
        self._mending.write(mended)
        left = [str(each.edit) for each in mended.left]
        return {"suite": suite, "anchors": anchors, "left": left, "open": len(mended.open)}

    def _code(self, mended: Mended, *, written: bool) -> int:
        unsettled = mended.open or mended.left or mended.by_hand
        return 1 if unsettled or (any(self._mending.changes(mended)) and not written) else 0


def _names(some: Sequence[TargetChange]) -> Mapping[Location, str]:
    """Name each open target by its case where that is clear, else by its location."""
    cases: dict[str, int] = {}
    for each in some:
        for case in each.cases:
            cases[case] = cases.get(case, 0) + 1
    names: dict[Location, str] = {}
    for each in some:
        alone = [case for case in each.cases if cases[case] == 1]
        names[each.location] = alone[0] if alone else str(each.location)
    return names


def _has_terminal() -> bool:
    return sys.stdin.isatty() and sys.stdout.isatty()


def _yes(question: str) -> bool:
    while True:
        asked = f"{question} [y]es, [n]o"
        answer = click.prompt(asked, default="", show_default=False, prompt_suffix=": ").strip().lower()
        if answer[:1] in ("y", "n"):
            return bool(answer[:1] == "y")


def _joined(words: Sequence[str]) -> str:
    import shlex

    return shlex.join(words)
