"""What a system may offer beside `search`, and plugins by name.

A system needs only `search`. `SystemBase` declares each optional ability with its default: inherit from it,
or define the same names. Plugins are entry points, ``module:attr``, or ``./file.py:attr``. Listing names
reads package metadata and imports nothing; a plugin is imported when it is used.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import cache
from importlib import import_module
from importlib.machinery import SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, cast

from rankgate.errors import (
    Code,
    PluginError,
    Problem,
    RankgateError,
    SystemFailedError,
    contained,
    described,
    did_you_mean,
    escaped,
)
from rankgate.io.secrets import hidden, hidden_in_data, hiding
from rankgate.model import ColumnRanking, Ranking, as_given

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from importlib.metadata import EntryPoints
    from types import CodeType, ModuleType

    from rankgate.model import Query, System

COUNTERS = (
    "dropped",
    "unmatched_lines",
    "unnamed",
    "noise_lines",
    "restarts",
    "left_behind",
    "unmatched_hits",
)
"""What a system may count while it is asked, so that nothing is lost in silence; see `SystemBase`."""


@dataclass(frozen=True, slots=True)
class SystemIndex:
    """The index that a system built and searches."""

    name: str
    """What it is made of, in one word: two of one name are the same index."""
    folder: str | None = None
    """Where it lies on this machine; None where it lies elsewhere."""
    seconds: float | None = None
    """How long it took to build; None where it was there and nobody noted it."""


class SystemBase:
    """Base of a system, for whoever wants one: a name, a version, a description, an end, and counters.

    >>> class Shop(SystemBase):
    ...     def search(self, query):
    ...         return Ranking()
    >>> shop = Shop("shop")
    >>> shop.count(dropped=3)
    >>> shop.name, shop.version, shop.thread_safe, shop.dropped
    ('shop', None, False, 3)
    """

    version: str | None = None
    """For the manifest of a run; None where nobody knows it."""
    thread_safe: bool = False
    """True where several threads may ask one instance."""
    another: Callable[[], System] | None = None
    """Makes one more of it, for one more thread; None where it is there once."""
    batch: int = 1
    """How many queries its `search_many` is given at once; 1 where each is asked by `search`."""
    dropped: int = 0
    """How many hits over k were left out so far."""
    unmatched_lines: int = 0
    """How many lines of answers no rule matched so far."""
    unnamed: int = 0
    """How many hits were left out so far since the names of their files are not UTF-8."""
    unmatched_hits: int = 0
    """In how many answers with items the rule for hits found none so far."""

    def __init__(self, name: str) -> None:
        self.name = name
        """What people call it; a run's manifest and errors say it."""
        self._counting = Lock()

    @property
    def noise_lines(self) -> int:
        """How many lines its server printed that are no messages."""
        return 0

    @property
    def restarts(self) -> int:
        """How often it did not answer any more and was started again."""
        return 0

    @property
    def left_behind(self) -> int:
        """How often it did not return in time and its thread was left behind."""
        return 0

    def short_of(self, k: int) -> str:  # noqa: ARG002 - for those that return fewer
        """Return why it cannot return k hits, in words; nothing where it can."""
        return ""

    def built_index(self) -> SystemIndex | None:
        """Return the index that it built and searches; None where it builds none, or cannot tell."""
        return None

    def describe(self) -> dict[str, object]:
        """Return its options, for the manifest of a run; nothing secret is among them."""
        return {}

    def contents(self) -> Mapping[str, str]:
        """Return what its answers are made of, each with a digest or a version; nothing secret is among them.

        The names are those that people know: a path relative to the project, ``$NAME`` for a variable, a
        distribution, ``Python``.
        """
        return {}

    def close(self) -> None:
        """Let go of what it holds; called when the last query is answered, and perhaps again."""

    def count(
        self, *, dropped: int = 0, unmatched_lines: int = 0, unnamed: int = 0, unmatched_hits: int = 0
    ) -> None:
        """Count what was left out of an answer; from any thread."""
        if dropped or unmatched_lines or unnamed or unmatched_hits:
            with self._counting:
                self.dropped += dropped
                self.unmatched_lines += unmatched_lines
                self.unnamed += unnamed
                self.unmatched_hits += unmatched_hits


def system_name(system: object) -> str:
    """Return what a system is called: its own name, or that of its class."""
    name: str = getattr(system, "name", type(system).__name__)
    return name


@contextmanager
def asked_of(system: object, ability: str) -> Iterator[None]:
    """Use an ability of a system; whatever it raises is told as its failure, without secrets.

    Raises:
        SystemFailedError: for what is no error of rankgate.
    """
    with hiding():
        try:
            with contained():
                yield
        except RankgateError:
            raise
        except Exception as error:
            where = f"{system_name(system)}.{ability}"
            raise SystemFailedError(
                Code.SYSTEM_RAISED(where, escaped(described(error)), "an answer")
            ) from error


def system_version(system: object) -> str | None:
    """Return the version that a system says it has."""
    version: str | None = getattr(system, "version", None)
    return version


def description_of(system: object) -> Mapping[str, object]:
    """Return the options that a system describes; none where it describes nothing."""
    describe: Callable[[], Mapping[str, object]] = getattr(system, "describe", dict)
    with asked_of(system, "describe"):
        return describe()


def shortfall_of(system: object, k: int) -> tuple[str, ...]:
    """Return why a system cannot return k hits, where it says so."""
    short_of: Callable[[int], str] = getattr(system, "short_of", lambda _k: "")
    with asked_of(system, "short_of"):
        said = short_of(k)
    return (said,) if said else ()


def built_index_of(system: object) -> SystemIndex | None:
    """Return the index that a system built and searches; None where it does not say."""
    built_index: Callable[[], object] = getattr(system, "built_index", lambda: None)
    with asked_of(system, "built_index"):
        found = built_index()
    return found if isinstance(found, SystemIndex) else None


def whole_documents(system: object) -> bool:
    """Check whether a system that builds its own index makes pieces of whole documents by itself."""
    return getattr(system, "whole_documents", False) is True


def contents_of(system: object) -> Mapping[str, str]:
    """Return what a system says its answers are made of; nothing where it does not say."""
    contents: Callable[[], Mapping[str, str]] = getattr(system, "contents", dict)
    with asked_of(system, "contents"):
        return contents()


def time_limit_of(system: object) -> float | None:
    """Return how many seconds a system has for an answer, by the `timeout` that it describes, if any."""
    limit = description_of(system).get("timeout")
    return float(limit) if isinstance(limit, int | float) and not isinstance(limit, bool) else None


def without_secrets(ranking: Ranking) -> Ranking:
    """Return a ranking with secrets in the texts of its hits masked; ids and paths, which are judged, stay.

    >>> from rankgate.model import Hit
    >>> from rankgate.io.secrets import hide
    >>> hide("k3y-0123456789")
    >>> without_secrets(Ranking((Hit("a", text="uses k3y-0123456789"),))).hits[0].text
    'uses ***'
    """
    if isinstance(ranking, ColumnRanking):
        whole = "\n".join(filter(None, ranking.columns.get("text", ())))
        if hidden_in_data(whole) == whole:
            return ranking
    hits = (
        replace(hit, text=hidden_in_data(hit.text), fields=hidden_in_data(hit.fields)) for hit in ranking.hits
    )
    return replace(ranking, hits=tuple(hits))


def is_thread_safe(system: object) -> bool:
    """Return whether several threads may ask one instance."""
    return getattr(system, "thread_safe", False) is True


def batch_of(system: object) -> int:
    """Return how many queries a system is given at once.

    >>> batch_of(SystemBase("shop"))
    1
    """
    batch = getattr(system, "batch", 1)
    return batch if isinstance(batch, int) and callable(getattr(system, "search_many", None)) else 1


def another_of(system: object) -> Callable[[], System] | None:
    """Return what makes one more of a system; None where it is there once."""
    another: Callable[[], System] | None = getattr(system, "another", None)
    return another


def close_system(system: object) -> None:
    """Close a system, where it can be closed."""
    close: Callable[[], object] | None = getattr(system, "close", None)
    if close is not None:
        with asked_of(system, "close"):
            close()


def counts_of(system: object) -> dict[str, int]:
    """Return what a system counted so far, by `COUNTERS`; 0 for what it does not count."""
    return {name: getattr(system, name, 0) for name in COUNTERS}


@dataclass(frozen=True, slots=True)
class Exchange:
    """One query and its answer, with everything in between; control characters are as they came."""

    request: str
    """What was sent: the command line, and what was written to it."""
    raw: str
    """What came back, before any rule."""
    ranking: Ranking = field(default_factory=Ranking)
    """The hits that the rules made of it."""
    unmatched_rules: tuple[str, ...] = ()
    """The rules that found nothing in any hit."""
    error: str | None = None
    """Why the answer is none, where it is none."""
    read: tuple[str, ...] = ()
    """Where in the answer fields of hits were found, where no rule of a configuration says it."""


def exchange_with(system: System, query: Query) -> Exchange:
    """Ask one query and keep all of it; a system that has an `exchange` of its own shows the raw answer.

    >>> from rankgate.model import Hit, Query
    >>> class Shop:
    ...     name = "shop"
    ...     def search(self, query):
    ...         return Ranking((Hit("a"),))
    >>> exchange_with(Shop(), Query("x", k=3)).request
    "shop('x', k=3)"
    """
    found = _exchange(system, query)
    return replace(
        found,
        request=hidden(found.request),
        raw=hidden(found.raw),
        ranking=without_secrets(found.ranking),
        error=None if found.error is None else hidden(found.error),
    )


def _exchange(system: System, query: Query) -> Exchange:
    own: Callable[[Query], Exchange] | None = getattr(system, "exchange", None)
    if callable(own):
        return own(query)
    filters = f", filters={dict(query.filters)!r}" if query.filters else ""
    request = f"{system_name(system)}({query.text!r}, k={query.k}{filters})"
    try:
        with asked_of(system, "search"):
            ranking = system.search(query)
    except SystemFailedError as error:
        return Exchange(request, "", error=error.coded)
    return Exchange(request, "\n".join(map(as_given, ranking.hits)), ranking)


IN_EXTRAS = {"reference": "reference", **dict.fromkeys(("bm25s", "lancedb", "ripgrep", "tantivy"), "engines")}
"""Kinds of systems that distributions of the project bring, each with the extra that installs it."""


@cache
def listed(group: str) -> dict[str, EntryPoint]:
    """List the plugins of a group, by name, without importing any.

    >>> "ndcg" in listed("rankgate.metrics")
    True

    Raises:
        PluginError: where two distributions claim one name.
    """
    found: dict[str, EntryPoint] = {}
    for point in sorted(_installed(tuple(sys.path)).select(group=group), key=lambda point: point.name):
        other = found.setdefault(point.name, point)
        if other.value != point.value:
            raise PluginError(
                Problem(
                    f"{group} {point.name!r}",
                    f"{other.value} and {point.value}",
                    "one plugin of that name",
                    "uninstall one",
                )
            )
    return found


@cache
def _installed(path: tuple[str, ...]) -> EntryPoints:
    """Return the entry points of every distribution on a path, whose files are read once."""
    del path
    # Python 3.11 has another type for all groups together, which is selected from in the same way.
    return cast("EntryPoints", entry_points())


def load(group: str, name: str) -> object:
    """Import one plugin of a group, by its name or as ``module:attr`` or ``./file.py:attr``.

    Raises:
        PluginError: for a name that is unknown, or a plugin that does not import.
    """
    point = listed(group).get(name)
    if point is None and ":" not in name:
        fix = did_you_mean(name, listed(group), most=3)
        if group == "rankgate.systems" and name in IN_EXTRAS:
            fix = f"pip install 'rankgate[{IN_EXTRAS[name]}]'"
        raise PluginError(Code.UNKNOWN_PLUGIN(group, repr(name), "one of " + ", ".join(listed(group)), fix))
    target = point.value if point is not None else name
    module, _, attribute = target.rpartition(":")
    found: object = None
    try:
        with contained():
            found = _module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except Exception as error:  # a plugin may raise anything while it is imported
        near = get_close_matches(attribute, dir(found), n=1) if isinstance(error, AttributeError) else []
        meant = f"{module}:{near[0]}" if near else _near_file(module, attribute)
        fix = f"did you mean {meant}?" if meant else ""
        missing = isinstance(error, (ImportError, AttributeError))
        said = str(error) if missing else described(error)
        raise PluginError(Code.NOT_IMPORTABLE(repr(name), said, f"{target} to be importable", fix)) from error
    return found


def _near_file(module: str, attribute: str) -> str:
    """Return the file of a like name beside one that does not exist; empty where there is none."""
    path = Path(module)
    if not module.endswith(".py") or path.exists() or not path.parent.is_dir():
        return ""
    near = get_close_matches(path.name, [one.name for one in path.parent.glob("*.py")], n=1)
    return f"{path.parent / near[0]}:{attribute}" if near else ""


def load_from(group: str, name: str, root: str) -> object:
    """Import one plugin as `load` does; modules and files are looked for in a folder first.

    Raises:
        PluginError: as `load`.
    """
    module, _, attribute = name.rpartition(":")
    if not module or name in listed(group):
        return load(group, name)
    folder = str(Path(root).resolve())
    if folder not in sys.path:
        sys.path.insert(0, folder)
    if module.endswith(".py"):
        module = str(Path(root) / module)
    return load(group, f"{module}:{attribute}")


class _TextLoader(SourceFileLoader):
    """Loads a file as it stands now: compiled code of the same second and size may be of an older text."""

    def get_code(self, fullname: str) -> CodeType:
        """Compile the file."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


def _module(name: str) -> ModuleType:
    if not name.endswith(".py"):
        return import_module(name)
    path = Path(name).resolve()
    spec = spec_from_file_location(str(path), path, loader=_TextLoader(str(path), str(path)))
    if spec is None or spec.loader is None or not path.is_file():
        raise ImportError(f"no Python file at {name}")
    module = module_from_spec(spec)
    # Dataclasses look their module up by name. A file may share its name with an installed module, so it gets
    # one that no import statement can spell.
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module
