"""Which files of a corpus are documents: `include` and `exclude`, by globs over their paths."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rankgate.corpora.options import SELECTION_KEYS, named
from rankgate.errors import Code, InputError, escaped
from rankgate.model.locations import fits_glob

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rankgate.model.suite import CorpusSource


_EXCLUDED, _NOT_INCLUDED = "in exclude", "not in include"


@dataclass(frozen=True, slots=True)
class Selection:
    """The files that a suite wants of a corpus.

    >>> chosen = Selection(("**/*.md",), ("release-notes/**",))
    >>> chosen.why_not("guide/start.md"), chosen.why_not("guide/site.css")
    (None, 'not in include')
    >>> chosen.why_not("release-notes/2.0.md")
    'in exclude (release-notes/**)'
    """

    include: tuple[str, ...] = ()
    """Globs that a path must fit one of; none for every path."""
    exclude: tuple[str, ...] = ()
    """Globs that it must not fit, whatever `include` says."""

    @classmethod
    def of(cls, source: CorpusSource) -> Selection:
        """Read what a suite says of its corpus.

        Raises:
            InputError: for an empty glob.
        """
        found = []
        for key in SELECTION_KEYS:
            value = source.options.get(key, ())
            globs = (value,) if isinstance(value, str) else tuple(value)
            if key in source.options and (not globs or "" in globs):
                fix = "write globs such as **/*.md or release-notes/**"
                raise InputError(
                    Code.WRONG_VALUE(f"{named(source)}: {key}", "nothing", "a glob or several", fix)
                )
            found.append(globs)
        return cls(*found)

    def __bool__(self) -> bool:
        return bool(self.include or self.exclude)

    def why_not(self, path: str) -> str | None:
        """Return why a file is left out; None where it is a document."""
        for glob in self.exclude:
            if fits_glob(path, glob):
                return f"{_EXCLUDED} ({glob})"
        if self.include and not any(fits_glob(path, glob) for glob in self.include):
            return _NOT_INCLUDED
        return None

    def unused(self, paths: Sequence[str]) -> Iterator[str]:
        """Return the globs that no file fits, in words: most are misspelt.

        >>> list(Selection(("**/*.md",), ("relese-notes/**",)).unused(["guide/start.md"]))
        ['no file fits exclude relese-notes/**']
        """
        for key, globs in zip(SELECTION_KEYS, (self.include, self.exclude), strict=True):
            for glob in globs:
                if not any(fits_glob(path, glob) for path in paths):
                    yield f"no file fits {key} {escaped(glob[:80])}"


def is_chosen(why: str) -> bool:
    """Check whether the reason to leave a file out is what a suite says, and not what the file is."""
    return why.startswith((_EXCLUDED, _NOT_INCLUDED))


def without_selection(source: CorpusSource) -> CorpusSource:
    """Return a source with the options of its kind alone."""
    return replace(
        source, options={key: value for key, value in source.options.items() if key not in SELECTION_KEYS}
    )
