"""The manifest of a run: what was asked, of which system, when, and what the shards hold."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from rankgate.io.atomic import replacing
from rankgate.io.parquet import VERSION
from rankgate.io.records import written
from rankgate.io.secrets import hidden_in_data
from rankgate.model import ESTIMATE
from rankgate.runs.identity import OTHER_QUESTIONS, RunIdentity
from rankgate.runs.store.columns import TextLevel
from rankgate.runs.store.tables import Order

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class FileEntry:
    """One file of a shard."""

    rows: int
    """How many rows it has."""


@dataclass(frozen=True, slots=True)
class ShardEntry:
    """One shard of a run."""

    number: int
    """Which one; part of the names of its files."""
    queries: FileEntry
    """The file of queries."""
    hits: FileEntry
    """The file of hits."""
    texts: FileEntry
    """The file of texts."""


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run says about itself. Options never hold a secret: they are filtered when it is made."""

    system: str
    """The name of the system that was asked."""
    version: str | None = None
    """Its version, where it tells one."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Its options; what looks like a secret is replaced."""
    suite: str | None = None
    """The fingerprint of the suite."""
    corpus: str | None = None
    """The fingerprint of the corpus."""
    k: int | None = None
    """How many hits were asked for; None where that differs from query to query."""
    seed: int | None = None
    """The seed of whatever was drawn."""
    started: str | None = None
    """When the first query was asked: ISO 8601, UTC."""
    finished: str | None = None
    """When the last answer came; None while the run is not complete."""
    tokens: str = "system"
    """Who counted the tokens: `system`, the name of a tokenizer, or the name of an estimate."""
    estimated: bool = False
    """True where the tokens are an estimate."""
    texts: TextLevel = "none"
    """How much of the returned texts was kept."""
    order: Order = "returned"
    """Where the order of the rankings comes from."""
    part: str | None = None
    """Which part of a run it is, such as ``2/4``; None for a whole one."""
    paces: tuple[Mapping[str, Any], ...] = ()
    """How hard the system was asked; several where the run was resumed at another pace."""
    contents: Mapping[str, str] | None = None
    """What the system's answers are made of, each with a digest or a version; None where nobody looked."""
    questions: str | None = None
    """The fingerprint of all questions of the suite, of which a part asks some."""
    rules: str | None = None
    """The fingerprint of the suite's rules by which ids become locations; None where it has none."""
    commit: str | None = None
    """The commit of the project when the first query was asked; None where there was none."""
    changed: bool = False
    """True where files of the project were changed since that commit."""
    shards: tuple[ShardEntry, ...] = ()
    """What is stored, in the order in which it came."""
    kind: str = "run"
    """What the file is about."""
    schema: int = VERSION
    """The version of the folder's format."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "options", hidden_in_data(dict(self.options)))

    def with_paces(self, paces: tuple[Mapping[str, Any], ...]) -> Manifest:
        """Note how hard the system is asked from now on, where that is not what was noted last."""
        known = [dict(pace) for pace in self.paces]
        new = [dict(pace) for pace in paces if dict(pace) != (known[-1] if known else None)]
        return replace(self, paces=(*known, *new))

    def with_estimates(self) -> Manifest:
        """Note that tokens are estimated."""
        return replace(self, tokens=ESTIMATE, estimated=True)

    @property
    def identity(self) -> RunIdentity:
        """What the run answers."""
        named = {one.name: getattr(self, one.name) for one in fields(RunIdentity)}
        return RunIdentity(**named)

    def differences(self, now: Manifest) -> tuple[str, ...]:
        """Return in words what keeps two manifests from describing the same run: this before, the other now.

        Who counted the tokens is found out by the run itself, and how hard the system was asked changes no
        answer: neither is a difference.
        """
        words = [*self.identity.differences(now.identity)]
        if None in (self.questions, now.questions) and self.suite != now.suite:
            words.append(OTHER_QUESTIONS)
        if self.texts != now.texts:
            words.append(f"texts were kept as {self.texts!r} and are kept as {now.texts!r}")
        if self.part != now.part:
            words.append(f"it is {self._extent} and {now._extent} is wanted")
        if (self.seed, self.order) != (now.seed, now.order):
            words.append("the seed or the order of hits is another")
        return tuple(words)

    @property
    def _extent(self) -> str:
        return "a whole run" if self.part is None else f"part {self.part}"

    def to_json(self) -> str:
        """Write the manifest as JSON."""
        return json.dumps(written(self, Manifest), indent=2, ensure_ascii=False) + "\n"

    def write(self, path: Path) -> None:
        """Write the manifest to a file, which appears whole or not at all."""
        with replacing(path) as aside:
            aside.write_text(self.to_json(), encoding="utf-8", newline="\n")
