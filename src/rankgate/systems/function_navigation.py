"""A class of the user's whose documents can be walked as well as searched, in this process."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from rankgate.systems.failures import failed
from rankgate.systems.function import FunctionSystem, awaited

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rankgate.model.search import Node

_METHODS = ("documents", "tree", "read", "subtree")


def is_navigable(found: object) -> bool:
    """Tell whether a class or an object has all that a `Navigator` has.

    >>> is_navigable(str), is_navigable(NavigableFunctionSystem)
    (False, True)
    """
    return all(callable(getattr(found, name, None)) for name in _METHODS)


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
        """Give one node's own text."""
        text: str = self._passed("read", node)
        return text

    def subtree(self, node: str) -> str:
        """Give the text of a node and of all below it."""
        text: str = self._passed("subtree", node)
        return text

    def _passed(self, method: str, *arguments: str) -> Any:
        try:
            answer = getattr(self._found, method)(*arguments)
            return self._portal.call(awaited(answer)) if inspect.isawaitable(answer) else answer
        except (Exception, SystemExit) as error:
            raise failed(error, f"{self._target}.{method}", self._files) from error
