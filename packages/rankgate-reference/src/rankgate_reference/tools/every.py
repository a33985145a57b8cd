"""All tools, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rankgate_reference.answers import Answer, line_of
from rankgate_reference.tools.find_symbol import FIND_SYMBOL
from rankgate_reference.tools.get_node_content import GET_NODE_CONTENT
from rankgate_reference.tools.get_tree import GET_TREE
from rankgate_reference.tools.list_documents import LIST_DOCUMENTS
from rankgate_reference.tools.navigate_tree import NAVIGATE_TREE
from rankgate_reference.tools.search_documents import SEARCH_DOCUMENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate_reference.tools.tool import Desk

TOOLS = {
    tool.name: tool
    for tool in (
        SEARCH_DOCUMENTS,
        FIND_SYMBOL,
        LIST_DOCUMENTS,
        GET_TREE,
        GET_NODE_CONTENT,
        NAVIGATE_TREE,
    )
}
"""Every tool, in the order in which an agent sees them."""


def call(desk: Desk, name: str, given: Mapping[str, object]) -> Answer:
    """Call a tool by its name; one that is not there is an error like any other."""
    tool = TOOLS.get(name)
    if tool is None:
        return Answer(f"No tool is called {line_of(name, 80)!r}; there are: {', '.join(TOOLS)}.", error=True)
    return tool.call(desk, given)
