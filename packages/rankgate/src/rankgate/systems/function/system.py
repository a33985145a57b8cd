"""A Python function as a system: ``module:attr``, ``./file.py:attr``, or the function itself."""

from __future__ import annotations

import inspect
import platform
from dataclasses import dataclass, field
from functools import cached_property, partial
from itertools import groupby, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from rankgate.errors import (
    Code,
    InputError,
    PluginError,
    Problem,
    RankgateError,
    SystemFailedError,
    contained,
)
from rankgate.io.typed import Count, Seconds, read_options
from rankgate.limited_calls import LeftBehindError, LimitedCalls
from rankgate.model import as_given
from rankgate.plugins import Exchange, SystemBase, contents_of
from rankgate.systems.adapter.answers import ranking_of
from rankgate.systems.adapter.failures import TimedOutError, failed, place_of, told
from rankgate.systems.adapter.options import load_hook
from rankgate.systems.adapter.portal import Portal
from rankgate.systems.function.calling import awaited, check_number, is_async, settled
from rankgate.systems.function.documents import DocumentReader, has_no_documents
from rankgate.systems.function.retrievers import RETRIEVERS, recognised, unknown_object
from rankgate.systems.function.signature import CallSignature
from rankgate.systems.registry import SystemKind
from rankgate.wording import many

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from rankgate.model import Node, Query, Ranking
    from rankgate.systems.function.documents import ReadDocuments
    from rankgate.systems.function.retrievers import KnownRetriever

_METHODS = ("documents", "tree", "read", "subtree")


@dataclass(frozen=True, slots=True)
class FunctionOptions:
    """How a function is loaded and used."""

    root: str = "."
    """The folder that modules are imported from and files are relative to; usually the project's."""
    thread_safe: bool = False
    """True where it may be called from several threads at once."""
    timeout: Seconds | None = None
    """How many seconds it has to answer; it is then called in a thread of its own. None for any time."""
    corpus_folder: str | None = None
    """The folder of the corpus, where documents of frameworks have their files; None for the suite's."""
    batch: Count = 1
    """How many queries it is given at once, as a list; 1 to call it for each."""


@dataclass(frozen=True, slots=True)
class _Configured(FunctionOptions):
    """The options in a configuration, where the function is named beside them."""

    target: str = field(kw_only=True)
    """The function, as ``module:attr`` or ``./file.py:attr``."""


KIND = SystemKind(
    "A Python function or class: module:attr or ./file.py:attr",
    base="root",
    options=_Configured,
)


class FunctionSystem(SystemBase):
    """Asks a function, a class or an object with `search`, a framework's retriever; synchronous or not.

    >>> from rankgate.model import Query
    >>> FunctionSystem(lambda query, k: [query] * k).search(Query("a", k=2)).hits[1].id
    'a'
    """

    def __init__(
        self, target: object, options: FunctionOptions | None = None, *, name: str | None = None
    ) -> None:
        options = options or FunctionOptions()
        self._given = target if isinstance(target, str) else ""
        self._target = self._given or _name_of(target)
        super().__init__(name or self._target)
        self.thread_safe = options.thread_safe
        self._timeout, self._calls = options.timeout, LimitedCalls()
        found = _load(target, options.root) if isinstance(target, str) else target
        self._portal = Portal()
        self._made: object = None
        if isinstance(found, type):
            self.another = partial(type(self), found, options, name=self.name)
            """Makes one more of a class; a function is there once."""
            found = self._made = self._instance(found)
        self._found = found
        self.batch = options.batch
        if self.batch > 1:
            # What is asked for many is called with a list, of one query too.
            found = getattr(found, "search_many", found)
        self._retriever = self._recognised(found)
        self._function = self._retriever.function if self._retriever else _callable(found, self._target)
        self._code = (found,) if self._retriever else (found, self._function)
        self._files = _files(*self._code)
        self._root = options.root
        self._documents = DocumentReader(options.root, options.corpus_folder)
        known = self._retriever and self._retriever.calling
        self._calling = known or CallSignature.of(self._function, self._target)
        self._is_async = is_async(self._function)
        version = getattr(inspect.getmodule(self._code[-1]), "__version__", None)
        self.version = version if isinstance(version, str) else None

    def search(self, query: Query) -> Ranking:
        """Ask the function.

        Raises:
            SystemFailedError: for what it raises, and for an answer that is none.
        """
        came = self._came(query)
        hits = came if has_no_documents(came) else self._documents_in(came).hits
        return self._ranked(hits, query)

    def search_many(self, queries: Sequence[Query]) -> list[Ranking]:
        """Ask the function several queries in one call, or in one for each k and each choice of filters.

        Raises:
            SystemFailedError: for what it raises, and for an answer that is none.
        """
        calls = [list(alike) for _, alike in groupby(queries, lambda one: (one.k, dict(one.filters)))]
        read = [self._documents_in(one).hits for alike in calls for one in self._answers(alike)]
        return [self._ranked(hits, query) for hits, query in zip(read, queries, strict=True)]

    def exchange(self, query: Query) -> Exchange:
        """Ask the function, and keep what it returned and how it was read."""
        filters = f", filters={dict(query.filters)!r}" if query.filters else ""
        request = f"{self.name}({query.text!r}, k={query.k}{filters})"
        if self._retriever is not None:
            request += f"\n{self._retriever}"
        try:
            found = self._documents_in(self._came(query))
            ranking = self._ranked(found.hits, query)
        except SystemFailedError as error:
            return Exchange(request, "", error=error.coded)
        came = found.hits if isinstance(found.hits, (list, tuple)) else ranking.hits
        raw = "\n".join(map(as_given, found.documents or came))
        return Exchange(request, raw, ranking, found.left, read=found.read)

    def _answers(self, queries: Sequence[Query]) -> Sequence[object]:
        """Return what the function answers to queries of one k and the same filters, in one call."""
        arguments, keywords = self._calling.arguments_of_many(queries)
        try:
            with contained():
                answers = self._in_time(lambda: self._answer(arguments, keywords, len(queries)))
                return check_number(answers, len(queries))
        except Exception as error:
            raise failed(error, self._target, self._files) from error

    def _came(self, query: Query) -> object:
        """Return what the function answers to one query."""
        if self.batch > 1:
            return self._answers([query])[0]
        arguments, keywords = self._calling.arguments(query)
        try:
            with contained():
                if self._timeout is None:
                    return self._answer(arguments, keywords, query.k)
                return self._in_time(lambda: self._answer(arguments, keywords, query.k))
        except Exception as error:
            raise failed(error, self._target, self._files) from error

    def _documents_in(self, answer: object) -> ReadDocuments:
        try:
            with contained():
                return self._documents.read(answer)
        except Exception as error:
            raise failed(error, self._target, self._files) from error

    def _ranked(self, hits: object, query: Query) -> Ranking:
        ranking, dropped = ranking_of(hits, query.k)
        if dropped:
            self.count(dropped=dropped)
        return ranking

    def short_of(self, k: int) -> str:
        """Return why a retriever cannot return k hits; nothing where it can, or does not say."""
        if self._retriever is None or self._retriever.limit is None:
            return ""
        name, most = self._retriever.limit
        if most >= k:
            return ""
        empty = f"rank {k} counts" if most + 1 == k else f"ranks {most + 1} to {k} count"
        said = f"the retriever is set to {many(most, 'hit')} ({name}), and {k} are asked for"
        return f"{said}: {empty} as empty"

    @property
    def left_behind(self) -> int:
        """How often it did not return in time and its thread was left behind."""
        return self._calls.left_behind

    def _in_time(self, work: Callable[[], Any]) -> Any:
        """Call the user's code, in the time that it has."""
        if self._timeout is None:
            return work()
        try:
            return self._calls.call(work, self._timeout)
        except LeftBehindError as error:
            # What blocks the event loop would block the next call too.
            self._portal = Portal()
            fix = "its thread was left behind"
            raise TimedOutError(Problem(self._target, str(error), "an answer", fix)) from error

    def _answer(self, arguments: Sequence[object], keywords: Mapping[str, Any], k: int) -> object:
        if self._is_async:
            return self._portal.call(settled(self._function, arguments, keywords, k))
        answer = self._function(*arguments, **keywords)
        if type(answer) is not list:
            answer = self._whole(answer, k)
        return self._retriever.take(answer) if self._retriever and self._retriever.take else answer

    def describe(self) -> dict[str, object]:
        """Return the options, for the manifest of a run."""
        limit = {} if self._timeout is None else {"timeout": self._timeout}
        known = {} if self._retriever is None else {"retriever": str(self._retriever)}
        batch = {} if self.batch == 1 else {"batch": self.batch}
        own = {"kind": "function", "target": self._target, "thread_safe": self.thread_safe}
        return {**own, **limit, **batch, **known}

    def contents(self) -> Mapping[str, str]:
        """Return the digests of the project's Python files, and the version of Python."""
        return {**self._contents, **contents_of(self._found)}

    @cached_property
    def _contents(self) -> dict[str, str]:
        from rankgate.io.digests import ContentsReader
        from rankgate.systems.contents import add_python

        reader = ContentsReader(Path(self._root))
        reader.add("Python", platform.python_version())
        add_python(reader, self._files)
        return reader.contents

    def close(self) -> None:
        """End the event loop, and close what was made here, where it can be closed."""
        made, self._made = self._made, None
        close = getattr(made, "close", None)
        try:
            if callable(close):
                with contained():
                    ended = close()
                    if inspect.isawaitable(ended):
                        self._portal.call(awaited(ended))
        except Exception as error:
            raise failed(error, self._target, self._files) from error
        finally:
            self._portal.close()

    def _whole(self, answer: object, k: int) -> object:
        """Wait for an answer that is still to come, and take k hits of a stream."""
        if inspect.isawaitable(answer) or hasattr(answer, "__anext__"):
            return self._portal.call(settled(lambda: answer, (), {}, k))
        return list(islice(answer, k)) if inspect.isgenerator(answer) else answer

    def _recognised(self, found: object) -> KnownRetriever | None:
        try:
            with contained():
                return recognised(found, self._target)
        except RankgateError:
            raise
        except Exception as error:
            raise InputError(
                Code.WRONG_SIGNATURE(self._target, told(error), f"one of {RETRIEVERS}")
            ) from error

    def _instance(self, kind: type) -> object:
        try:
            with contained():
                return kind()
        except Exception as error:
            where = place_of(error, _files(kind)) or self._target
            fix = "a class is made without arguments; name a function where it needs some"
            raise PluginError(Problem(where, told(error), f"{kind.__name__}() to work", fix)) from error


class NavigableFunctionSystem(FunctionSystem):
    """Passes navigation on; what it raises becomes an error that names the line of the user's code."""

    def documents(self) -> Sequence[Node]:
        """List the roots."""
        nodes: Sequence[Node] = self._passed("documents")
        return nodes

    def tree(self, document: str) -> Sequence[Node]:
        """List a document's nodes."""
        nodes: Sequence[Node] = self._passed("tree", document)
        return nodes

    def read(self, node: str) -> str:
        """Return one node's own text."""
        text: str = self._passed("read", node)
        return text

    def subtree(self, node: str) -> str:
        """Return the text of a node and of all below it."""
        text: str = self._passed("subtree", node)
        return text

    def _passed(self, method: str, *arguments: str) -> Any:
        try:
            with contained():
                return self._in_time(lambda: self._step(method, *arguments))
        except Exception as error:
            raise failed(error, f"{self._target}.{method}", self._files) from error

    def _step(self, method: str, *arguments: str) -> Any:
        answer = getattr(self._found, method)(*arguments)
        return self._portal.call(awaited(answer)) if inspect.isawaitable(answer) else answer


def function_system(
    target: object, options: FunctionOptions | None = None, *, name: str | None = None
) -> FunctionSystem:
    """Make a system of a function or a class; one whose documents can be walked, where it has the methods."""
    options = options or FunctionOptions()
    found = _load(target, options.root) if isinstance(target, str) else target
    kind = NavigableFunctionSystem if _is_navigable(found) else FunctionSystem
    return kind(target, options, name=name)


def open_function(name: str, options: Mapping[str, object]) -> FunctionSystem:
    """Open a function that a configuration names; the entry point of the kind `function`.

    Raises:
        InputError: for options that are wrong, and a function that does not load.
    """
    given = read_options(_Configured, options, name)
    return function_system(given.target, given, name=name)


def _load(target: str, root: str) -> object:
    try:
        return load_hook(target, root, "system")
    except PluginError as error:
        cause = error.__cause__ or error
        if isinstance(cause, (PluginError, ImportError, AttributeError)):
            raise
        where = place_of(cause) or repr(target)
        raise PluginError(Code.NOT_IMPORTABLE(where, told(cause), f"{target} to be importable")) from error


def _callable(found: object, target: str) -> Callable[..., Any]:
    search = getattr(found, "search", None)
    function = search if callable(search) and not inspect.isroutine(found) else found
    if not callable(function):
        raise unknown_object(found, target)
    return cast("Callable[..., Any]", function)


def _name_of(target: object) -> str:
    kind = target if inspect.isroutine(target) or isinstance(target, type) else type(target)
    module, name = getattr(kind, "__module__", None), getattr(kind, "__qualname__", "?")
    return f"{module}:{name}" if module else name


def _files(*found: object) -> frozenset[str]:
    """List the files in which the user's code stands, as tracebacks name them."""
    files = set()
    for one in (*found, *(type(item) for item in found)):
        try:
            files.add(inspect.getfile(inspect.unwrap(one)))  # type: ignore[arg-type]
        except (TypeError, ValueError, OSError):
            continue
    return frozenset(files)


def _is_navigable(found: object) -> bool:
    """Return whether a class or an object has all that a `Navigator` has.

    >>> _is_navigable(str), _is_navigable(NavigableFunctionSystem)
    (False, True)
    """
    return all(callable(getattr(found, name, None)) for name in _METHODS)
