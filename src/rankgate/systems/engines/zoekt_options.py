"""The options of a zoekt server."""

from __future__ import annotations

from collections.abc import Mapping  # noqa: TC003 - annotations of options are read
from dataclasses import dataclass, field
from typing import Literal

from rankgate.errors import InputError, Problem, did_you_mean
from rankgate.systems.engines.zoekt_answers import Level  # noqa: TC001 - as above
from rankgate.systems.engines.zoekt_queries import ATOMS, Match, request_problem
from rankgate.systems.failures import shown

_MOST = {
    "DocumentRanksWeight": 1_000_000_000,
    "MaxDocDisplayCount": 100_000,
    "MaxMatchDisplayCount": 1_000_000,
    "NumContextLines": 1_000,
    "ShardMaxMatchCount": 10_000_000,
    "ShardRepoMaxMatchCount": 10_000_000,
    "TotalMaxMatchCount": 100_000_000,
    "UseBM25Scoring": True,
    "UseDocumentRanks": True,
}


@dataclass(frozen=True, slots=True)
class ZoektOptions:
    """Which server is asked, and how."""

    url: str
    """The server's address, such as ``http://localhost:6070``; it runs with ``-rpc``."""
    request: str | None = None
    """A query in zoekt's language with ``{query}`` in it, which becomes a group of words."""
    syntax: Literal["words", "zoekt"] = "words"
    """What a query's text is: words, or zoekt's own language."""
    match: Match = "all"
    """Of words: whether a file holds all of them, as zoekt reads words, or any."""
    level: Level = "file"
    """What a hit is: a file, or the lines of a chunk that matches."""
    repository: bool = False
    """True where the repository's name stands before the path."""
    filters: Mapping[str, str] = field(default_factory=lambda: {"lang": "lang", "repo": "repo"})
    """What each filter is in zoekt's language: `lang`, or `repo` by its whole name."""
    opts: Mapping[str, bool | int | float] = field(default_factory=dict)
    """zoekt's own search options, such as ``UseBM25Scoring``."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """Headers; ``${NAME}`` is read from the environment, as it is in `url`."""
    timeout: float = 30.0
    """Seconds from the look-up of the host to the last byte of the answer."""
    max_body: int = 50_000_000
    """Bytes of an answer, which holds every line that matches."""
    ca_file: str | None = None
    """Certificates to trust in place of the system's, for a server with its own."""
    root: str = "."
    """The folder that `ca_file` is relative to; usually the project's."""

    def __post_init__(self) -> None:
        wrong = None if self.request is None else request_problem(self.request)
        checks = (
            (wrong is None, "request", str(wrong), "{query} alone, or after content:, file: or sym:"),
            (
                self.request is None or self.syntax == "words",
                "syntax",
                "'zoekt' beside request",
                "one of them",
            ),
            (self.timeout > 0, "timeout", f"{self.timeout:g}", "more than 0"),
            (self.max_body > 0, "max_body", str(self.max_body), "more than 0"),
        )
        problems = [Problem(where, found, expected) for good, where, found, expected in checks if not good]
        problems += [
            Problem(f"filters.{name}", repr(atom), f"one of {', '.join(ATOMS)}")
            for name, atom in self.filters.items()
            if atom not in ATOMS
        ]
        problems += [problem for name, value in self.opts.items() for problem in _opt_problems(name, value)]
        if problems:
            raise InputError(problems)


def _opt_problems(name: str, value: float) -> list[Problem]:
    # zoekt itself passes over what it does not know.
    where = f"opts.{name}"
    if name not in _MOST:
        expected = f"one of {', '.join(_MOST)}"
        return [Problem(where, "an unknown option", expected, did_you_mean(name, _MOST))]
    most = _MOST[name]
    if isinstance(most, bool):
        good, expected = isinstance(value, bool), "true or false"
    else:
        kinds = (int, float) if name == "DocumentRanksWeight" else int
        good = isinstance(value, kinds) and not isinstance(value, bool) and 0 <= value <= most
        expected = f"a number from 0 to {most}"
    return [] if good else [Problem(where, shown(value), expected)]
