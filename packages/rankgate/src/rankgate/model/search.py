"""What is asked, what comes back, and the protocols that a system under test may speak."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from itertools import repeat
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from rankgate.model.locations import Lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from rankgate.model.locations import Characters, Location


@dataclass(frozen=True, slots=True)
class Query:
    """One question to a system."""

    text: str
    """What the user typed."""
    k: int = 10
    """How many hits are wanted at most."""
    filters: Mapping[str, str | tuple[str, ...]] = field(default_factory=dict)
    """Facets that every hit must carry."""

    def values(self, name: str) -> tuple[str, ...]:
        """Return the values of a filter, any of which will do; none where there is no such filter.

        >>> query = Query("rotate", filters={"lang": "py", "kind": ("class", "function")})
        >>> query.values("lang"), query.values("kind"), query.values("other")
        (('py',), ('class', 'function'), ())
        """
        value = self.filters.get(name, ())
        return (value,) if isinstance(value, str) else tuple(value)


@dataclass(frozen=True, slots=True, init=False)
class Hit:
    """One result: an id, a location, or both.

    >>> Hit(path="auth/keys.md", lines=None, score=1.5).id is None
    True
    """

    id: str | None = None
    """The system's own name for it."""
    path: str | None = None
    """The file it comes from."""
    lines: Lines | None = None
    """The lines it shows."""
    score: float | None = None
    """The system's score; the order of the ranking counts, not this."""
    text: str | None = None
    """The text it returned."""
    tokens: int | None = None
    """What reading it costs, as the system reports."""
    characters: Characters | None = None
    """The characters it shows, where the system counts those."""
    fields: Mapping[str, Any] | None = None
    """What else the system returned, such as a price. Reports show those that a suite's `show` names."""

    def __init__(
        self,
        id: str | None = None,  # noqa: A002 - the name of the field
        path: str | None = None,
        lines: Lines | None = None,
        score: float | None = None,
        text: str | None = None,
        tokens: int | None = None,
        characters: Characters | None = None,
        fields: Mapping[str, Any] | None = None,
    ) -> None:
        # Hits are what there is most of, and the way that a frozen class writes itself takes twice as long.
        _set_id(self, id)
        _set_path(self, path)
        _set_lines(self, lines)
        _set_score(self, score)
        _set_text(self, text)
        _set_tokens(self, tokens)
        _set_characters(self, characters)
        _set_fields(self, fields)


def as_given(item: object) -> str:
    """Write one answer of a system as it came; of a hit what is set.

    >>> as_given(Hit(path="keys.md", lines=Lines(3, 5), score=1.5)), as_given("keys.md:3-5")
    ("path='keys.md' lines=3-5 score=1.5", "'keys.md:3-5'")
    """
    if not isinstance(item, Hit):
        return repr(item)
    given = ((one.name, getattr(item, one.name)) for one in fields(Hit))
    shown = ((name, str(value) if isinstance(value, Lines) else repr(value)) for name, value in given)
    return " ".join(f"{name}={value}" for name, value in shown if value != "None")


_set_id, _set_path, _set_lines, _set_score, _set_text, _set_tokens, _set_characters, _set_fields = (
    vars(Hit)[item.name].__set__ for item in fields(Hit)
)


@dataclass(frozen=True, slots=True)
class Ranking:
    """The hits of one query, best first. The order is the answer; scores do not reorder it."""

    hits: tuple[Hit, ...] = ()
    """Best first."""
    tokens: int | None = None
    """What the whole answer costs to read, as the system reports."""


class ColumnRanking(Ranking):
    """A ranking that is kept by columns, as adapters make it of the usual answers, which they have checked.

    Its hits are made when somebody asks for them; between a system and the tables of a run nobody does.

    >>> ranking = ColumnRanking.of({"path": ("a.md", "b.md"), "start": (1, 5), "end": (3, 9)}, 2)
    >>> ranking.hits[1].path, str(ranking.hits[1].lines), ranking == Ranking(ranking.hits)
    ('b.md', '5-9', True)
    """

    __slots__ = ("columns", "size")

    columns: Mapping[str, Sequence[Any]]
    """Some of id, path, start, end (lines), score, text and tokens, each with a value for every hit."""
    size: int
    """How many hits there are."""

    def __new__(cls, hits: tuple[Hit, ...] = (), tokens: int | None = None) -> Ranking:  # type: ignore[misc]
        """Return a plain ranking: with hits that are others, such as `replace` makes, columns are nothing."""
        return Ranking(hits, tokens)

    @classmethod
    def of(cls, columns: Mapping[str, Sequence[Any]], size: int) -> ColumnRanking:
        """Keep columns."""
        self: ColumnRanking = object.__new__(cls)
        _set_columns(self, columns)
        _set_size(self, size)
        _set_ranking_tokens(self, None)
        return self

    @property
    def hits(self) -> tuple[Hit, ...]:
        """The hits, best first."""
        try:
            made: tuple[Hit, ...] = _get_hits(self)
        except AttributeError:
            made = tuple(self._each())
            _set_hits(self, made)
        return made

    def _each(self) -> Iterable[Hit]:
        column, nothing = self.columns.get, repeat(None, self.size)
        start = column("start")
        lines: Iterable[Lines | None] = nothing if start is None else map(Lines, start, self.columns["end"])
        strings = (column(name) or repeat(None, self.size) for name in ("id", "path"))
        others = (column(name) or repeat(None, self.size) for name in ("score", "text", "tokens"))
        return map(Hit, *strings, lines, *others)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Ranking):
            return NotImplemented
        return (self.hits, self.tokens) == (other.hits, other.tokens)

    __hash__ = Ranking.__hash__

    def __reduce__(self) -> tuple[Any, ...]:
        return ColumnRanking.of, (self.columns, self.size)


_set_columns, _set_size = (vars(ColumnRanking)[name].__set__ for name in ColumnRanking.__slots__)
_get_hits, _set_hits = vars(Ranking)["hits"].__get__, vars(Ranking)["hits"].__set__
_set_ranking_tokens = vars(Ranking)["tokens"].__set__


@runtime_checkable
class System(Protocol):
    """Anything that can be asked."""

    def search(self, query: Query) -> Ranking:
        """Answer one query."""
        ...


@runtime_checkable
class BatchSystem(System, Protocol):
    """A system that answers several queries in one call."""

    batch: int
    """How many queries it is given at once; 1 where each is asked by `search`."""

    def search_many(self, queries: Sequence[Query]) -> Sequence[Ranking]:
        """Return one answer for each query, in their order."""
        ...


@dataclass(frozen=True, slots=True)
class Document:
    """One document of a corpus."""

    id: str
    """Unique in the corpus; for files, the path."""
    text: str
    """Its whole text."""
    facets: Mapping[str, str] = field(default_factory=dict)
    """What it can be filtered by."""
    title: str = ""
    """What a person would call it."""
    path: str | None = None
    """The file it is, or is a piece of; None for a record."""
    lines: Lines | None = None
    """The lines of the file that it is; None for all of them, and for a piece that could not be placed."""
    characters: Characters | None = None
    """The characters of the file that it is; None where it is whole lines."""


@dataclass(frozen=True, slots=True)
class KeptText:
    """What a run has of the text of one hit."""

    query: str
    """The query."""
    rank: int
    """The hit's rank, from 1."""
    hash: str | None
    """The name of the text that was returned; None where none was."""
    text: str | None
    """What was kept of it; None where nothing was."""
    whole: bool
    """False where only the start was kept, or nothing."""


@runtime_checkable
class Indexer(Protocol):
    """A system that can build its own index.

    Documents are cut for it. One that makes pieces of its own has `whole_documents = True`, and is given the
    documents as they are.
    """

    @property
    def wants_documents(self) -> bool:
        """True where it searches what it builds; False where its options name an index that is there."""
        ...

    def build(self, documents: Iterable[Document], name: str) -> bool:
        """Build an index of this name, unless there is one, and search it from now on.

        Where there is one already, whole, the documents are not looked at: equal names, equal content.

        Returns:
            True where it was built, False where it was there.
        """
        ...


@dataclass(frozen=True, slots=True)
class Node:
    """A piece of a document's tree: a section, a symbol, or the document itself."""

    id: str
    """The system's name for it."""
    title: str
    """What a person sees."""
    location: Location
    """Where it is."""
    parent: str | None = None
    """The id of the node above."""


@runtime_checkable
class Navigator(Protocol):
    """A system whose documents can be walked."""

    def documents(self) -> Sequence[Node]:
        """List the roots."""
        ...

    def tree(self, document: str) -> Sequence[Node]:
        """List a document's nodes, parents before children."""
        ...

    def read(self, node: str) -> str:
        """Read one node's own text."""
        ...

    def subtree(self, node: str) -> str:
        """Read the text of a node and of all below it, depth first."""
        ...
