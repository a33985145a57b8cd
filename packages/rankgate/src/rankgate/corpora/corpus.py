"""A corpus: what a suite says of it, where it may come from, and what the rest of rankgate knows of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, cast

from rankgate.errors import Code, InputError, Problem, did_you_mean, escaped
from rankgate.io.text import project_path
from rankgate.locations import fits_glob, normal_path
from rankgate.model import CorpusSource, Document
from rankgate.plugins import load

GROUP = "rankgate.corpora"
"""The entry points that open corpora: functions of a `CorpusSource` and an `OpenContext`."""
SELECTION_KEYS = ("include", "exclude")
"""The options of every corpus of files."""

_EXCLUDED, _NOT_INCLUDED = "in exclude", "not in include"


class Corpus(Protocol):
    """Documents with names and texts, pinned by a fingerprint of their content.

    Documents of a corpus of files are named by paths, those of a corpus of records by opaque ids. A corpus of
    files may have a method `only(why_not, notes)`: it leaves out the files that `why_not` has a reason for.
    """

    @property
    def fingerprint(self) -> str:
        """The hash of all names and contents: equal content has an equal fingerprint, whatever the source."""

    @property
    def records(self) -> bool:
        """True if documents are records with ids, and not files with paths and lines."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What was skipped or replaced, in words and with counts."""

    @property
    def skipped(self) -> Mapping[str, str]:
        """Why an existing file is not in the corpus, by path."""

    @property
    def pin(self) -> Mapping[str, str]:
        """The options that pin exactly this state, such as its sha256; empty if the source has them."""

    def __contains__(self, name: str) -> bool: ...

    def __len__(self) -> int: ...

    def paths(self) -> tuple[str, ...]:
        """List the names, sorted."""

    def text(self, path: str) -> str:
        r"""Return a document's text, with ``\n`` at the ends of lines; KeyError for an unknown name."""

    def lines(self, path: str) -> int:
        """Count a document's lines; KeyError for an unknown name."""

    def documents(self) -> Iterator[Document]:
        """Iterate over the documents in the order of their names."""


@dataclass(frozen=True, slots=True)
class OpenContext:
    """Where a corpus may come from, and where it is cached."""

    here: Path
    """The folder that a source's place is relative to: the suite's."""
    root: Path
    """The folder that files must lie in: the project's."""
    cache: Path | None = None
    """The cache folder; by default the platform's."""
    progress: Callable[[str], None] | None = None
    """Receives the progress of long work, such as unpacking."""
    unpinned: bool = False
    """True if the name of a branch is enough; the hash that was found is in the notes."""

    def tell(self, words: str) -> None:
        """Report the start of long work."""
        if self.progress is not None:
            self.progress(words)


@dataclass(frozen=True, slots=True)
class Selection:
    """The globs that choose the documents of a corpus."""

    include: tuple[str, ...] = ()
    """A path must match one of them; empty for every path."""
    exclude: tuple[str, ...] = ()
    """A path must match none of them, whatever `include` says."""

    @classmethod
    def of(cls, source: CorpusSource) -> Selection:
        """Read the globs of a source."""
        found = []
        for key in SELECTION_KEYS:
            value = source.options.get(key, ())
            globs = (value,) if isinstance(value, str) else tuple(value)
            if key in source.options and (not globs or "" in globs):
                fix = "write globs such as **/*.md or release-notes/**"
                where = f"{named(source)}: {key}"
                raise InputError(Code.WRONG_VALUE(where, "nothing", "a glob or several", fix))
            found.append(globs)
        return cls(*found)

    def why_not(self, path: str) -> str | None:
        """Return why a file is left out; None for a document."""
        for glob in self.exclude:
            if fits_glob(path, glob):
                return f"{_EXCLUDED} ({glob})"
        chosen = not self.include or any(fits_glob(path, glob) for glob in self.include)
        return None if chosen else _NOT_INCLUDED

    def unused(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Return a note for each glob that matches no file."""
        return tuple(
            f"no file fits {key} {escaped(glob[:80])}"
            for key, globs in zip(SELECTION_KEYS, (self.include, self.exclude), strict=True)
            for glob in globs
            if not any(fits_glob(path, glob) for path in paths)
        )


def is_chosen(why: str) -> bool:
    """Check whether a file was left out because of `include` or `exclude`, and not by its nature."""
    return why.startswith((_EXCLUDED, _NOT_INCLUDED))


def open_source(source: CorpusSource, context: OpenContext) -> Corpus:
    """Open a corpus through the plugin of its kind, without the files that the suite leaves out.

    Raises:
        PluginError: for an unknown kind.
        InputError: for a source that is missing, not allowed, or not what it was pinned to.
    """
    opener = cast("Callable[[CorpusSource, OpenContext], Corpus]", load(GROUP, source.kind))
    selection = Selection.of(source)
    options = {key: value for key, value in source.options.items() if key not in SELECTION_KEYS}
    corpus = opener(replace(source, options=options), context)
    if selection == Selection():
        return corpus
    only = getattr(corpus, "only", None)
    if only is None:
        found = f"include or exclude with {source.kind}"
        fix = "take include and exclude out: records have ids, and no paths"
        raise InputError(Code.NO_CORPUS(named(source), found, "a corpus of files", fix))
    chosen = cast("Corpus", only(selection.why_not, selection.unused(corpus.paths())))
    if not len(chosen):
        found = f"none of {len(corpus)} files left by include and exclude"
        fix = f"globs fit whole paths, such as {corpus.paths()[0]}; ** fits any number of folders"
        raise InputError(Code.NO_CORPUS(named(source), found, "documents", fix))
    return chosen


def moved_to(source: CorpusSource, to: str) -> CorpusSource:
    """Name another state of a corpus: a commit of the repository, or another path without a pinned hash."""
    if not to.strip():
        raise InputError(Code.MISSING_OPTION(named(source), "nothing to move to", "a commit or a path"))
    if source.kind == "git":
        return replace(source, options={**source.options, "commit": to})
    options = {key: value for key, value in source.options.items() if key != "sha256"}
    return replace(source, place=to, options=options)


def named(source: CorpusSource) -> str:
    """Name a source in an error, on one line and not too long."""
    place = source.place if len(source.place) <= 200 else source.place[:199] + "…"
    return escaped(f"corpus {source.kind} {place}")


def check_options(source: CorpusSource, known: Sequence[str], lists: Sequence[str] = ()) -> None:
    """Check that every option is known, and that only those of `lists` have several values."""
    problems: list[Problem] = []
    for key, value in source.options.items():
        where = f"{named(source)}: {key}"
        if key not in known:
            expected = f"one of {', '.join(known)}" if known else "none"
            found = f"the option {escaped(key[:80])!r}"
            problems.append(Code.UNKNOWN_KEY(named(source), found, expected, did_you_mean(key, known)))
        elif not isinstance(value, str) and key not in lists:
            problems.append(Code.WRONG_VALUE(where, "a list", "one value"))
        elif not value or (not isinstance(value, str) and "" in value):
            problems.append(Code.WRONG_VALUE(where, "nothing", "a value"))
        elif key == "sha256" and not re.fullmatch("[0-9a-fA-F]{64}", str(value)):
            shown = repr(value if len(value) <= 80 else f"{value[:79]}…")
            problems.append(Code.WRONG_VALUE(where, shown, "a SHA-256, 64 hexadecimal digits"))
    if problems:
        raise InputError(problems)


def under_of(source: CorpusSource) -> str:
    """Return the folder inside that a source names, normalised; empty for all of it."""
    under = str(source.options.get("under", "."))
    return "" if under in {".", "./"} else normal_path(under)


def corpus_path(path: Path, root: Path, expected: str, *, folder: bool = False) -> Path:
    """Return the file or folder of a corpus, which must be inside the project, with every link resolved."""
    return project_path(path, root, f"corpus {path}", expected, folder=folder)
