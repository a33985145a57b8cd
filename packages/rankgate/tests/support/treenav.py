"""treenav-mcp, an MCP server that answers in text: its configuration, its judgments, and its own formula."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rankgate.model import Node

HIDDEN = {"CPP1": "acquire", "RB3": "calculate_total"}
"""The targets that its tree does not have: the check of CPP1 returns early, RB3 is left out of the mean."""

HIDDEN_AT = {"CPP1": "connection_pool.cpp::acquire", "RB3": "order_processor.rb::calculate_total"}
"""Where they stand in its own fixtures."""

SYSTEM = r"""
corpora_outside = true
[systems.treenav]
kind = "mcp"
command = COMMAND
tool = "search_documents"
arguments = { query = "{query}", limit = "{k}", filters = "{filters}" }
output = "text"
pattern = '''(?mx)
  ^\d+\.\ \[.*\n
  \ +Section:\ (?:\w+\ (?=[^\n]*\(code:))?(?P<id>.*)\n
  \ +Score:\ (?P<score>[\d.]+).*\n
  \ +Snippet:\ (?P<text>.*)$'''
empty = '^No results found'

[systems.treenav.navigate.documents]
tool = "list_documents"
arguments = { limit = 100 }
output = "text"
pattern = '(?m)^• \[(?P<id>\S+)\] (?P<title>.*) \(\d+ sections, .*\n +path: (?P<path>.*)$'

[systems.treenav.navigate.tree]
tool = "get_tree"
arguments = { doc_id = "{document}" }
output = "lines"
pattern = '''(?x)
  ^(?P<indent>\ *)\[(?P<id>\S+:n\d+)\]\ \#+\x20
  (?:(?:class|enum|function|interface|method|type|variable)\ )?(?P<title>.*)\ \(\d+\ words\)$'''

[systems.treenav.navigate.read]
tool = "get_node_content"
arguments = { doc_id = "{document}", node_ids = ["{node}"] }
output = "text"
pattern = '(?s)\A━━━ [^\n]* ━━━\n\n(?P<text>.*)\Z'

[systems.treenav.navigate.subtree]
tool = "navigate_tree"
arguments = { doc_id = "{document}", node_id = "{node}" }
output = "text"
pattern = '(?s)\ASubtree: [^\n]*\n\n(?P<text>.*)\Z'
"""


@dataclass(frozen=True)
class Target:
    """A node that a query should find."""

    node: str
    """Its id."""
    written: dict[str, Any]
    """How a suite has it: a section of a document by its place, a symbol by what a hit calls it."""
    grade: int
    """How relevant it is."""

    @property
    def of_document(self) -> bool:
        """Whether it is a section, and not a symbol of a program."""
        return "at" in self.written


class Nodes:
    """The nodes of the server, found by parts of titles as its own test finds them."""

    def __init__(self, system: Any) -> None:
        self.documents: list[Node] = list(system.documents())
        self.trees: dict[str, list[Node]] = {one.id: list(system.tree(one.id)) for one in self.documents}

    def document(self, title: str) -> Node:
        return next(one for one in self.documents if title.lower() in one.title.lower())

    def node(self, document: Node, title: str | None) -> Node | None:
        nodes = self.trees[document.id]
        if title is None:
            return nodes[0]
        wanted = title.lower()
        rules = (
            lambda node: node.title == title,
            lambda node: node.title.lower() == wanted,
            lambda node: _name(node) == wanted,
            lambda node: wanted in _name(node),
            lambda node: wanted in node.title.lower(),
        )
        return next((node for rule in rules for node in nodes if rule(node)), None)

    def targets(self, query: dict[str, Any]) -> list[Target]:
        found = []
        for one in query["relevant"]:
            document = self.document(one["docTitle"])
            if (node := self.node(document, one.get("nodeTitle"))) is not None:
                found.append(Target(node.id, _written(document, node), one["relevance"]))
        return found

    def case(self, query: dict[str, Any]) -> dict[str, Any]:
        """Return a query as a case of a suite."""
        targets = [{**one.written, "grade": one.grade} for one in self.targets(query)]
        case = {"name": query["id"], "query": query["query"], "category": query["category"], "at": targets}
        if "filter" in query:
            case["filters"] = query["filter"]
        must = query.get("mustBeInTop", {})
        top = self._top(must) if must else None
        return case if top is None else {**case, "top": {**top, "within": must["k"]}}

    def _top(self, must: dict[str, Any]) -> dict[str, Any] | None:
        """Return what must be at the top: a node, or any part of a document where it names none."""
        document = self.document(must["docTitle"])
        if "nodeTitle" not in must:
            return {"at": document.location.path} if str(document.location.path).endswith(".md") else None
        node = self.node(document, must["nodeTitle"])
        return None if node is None else _written(document, node)


def _written(document: Node, node: Node) -> dict[str, Any]:
    if str(document.location.path).endswith(".md"):
        return {"at": f"{document.location.path}#{node.title}"}
    return {"id": f"{node.title} ({node.id})"}


def _name(node: Node) -> str:
    """Return a title as its test compares it, without the first word, which is the kind of a symbol."""
    return (node.title.partition(" ")[2] or node.title).lower()


def suite(cases: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    """Return a suite of cases, in which a node is found where exactly its lines are shown."""
    return {
        "match": {"iou": 0.99},
        "map": [{"from": r"(.*) \(docs:([\w-]+):([\w-]+):n\d+\)", "to": r"\2/\3.md#\1"}],
        "metrics": ["ndcg@10", "rr@10"],
        "gates": ["ndcg@10 >= 0.65", "rr@10 >= 0.7"],
        "cases": [*cases, {"query": "xyzunknownterm987", "expect": "empty"}],
        **more,
    }


def configured(**words: object) -> str:
    """Return the configuration with words put in."""
    text = SYSTEM
    for name, value in words.items():
        text = text.replace(name, str(value))
    return text


PROBES = {
    "scenarios": [
        {
            "name": "N1 authorization code flow",
            "steps": [
                {"search": "oauth authorization code", "finds": "auth/oauth.md#Authorization Code Flow"},
                {
                    "tree": "auth/oauth.md",
                    "has": ["Authorization Code Flow", "Client Credentials Flow", "Token Refresh"],
                },
                {"read": "auth/oauth.md#Authorization Code Flow", "contains": "redirect_uri"},
            ],
        },
        {
            "name": "N4 a whole document",
            "steps": [{"subtree": "architecture/overview.md#System Architecture", "complete": True}],
        },
        {
            "name": "N5 siblings",
            "steps": [
                {"tree": "api/endpoints.md", "has": ["Authentication Endpoints", "User Endpoints"]},
                {
                    "read": "api/endpoints.md#Authentication Endpoints",
                    "contains": "/auth",
                    "excludes": "/users/",
                },
            ],
        },
        {
            "name": "N6 one section",
            "steps": [{"read": "runbooks/rollback.md#Rollback Steps", "contains": "helm rollback"}],
        },
    ],
    "invariants": [
        {"stable": "oauth"},
        {
            "filter-only": "deploy",
            "filters": {"type": ["runbook"]},
            "only": ["runbooks/**", "infra/kubernetes.md"],
        },
        {"empty": "xyzunknownterm987"},
    ],
}
"""Its scenarios and invariants over documents."""
CODE_PROBES: dict[str, list[dict[str, Any]]] = {
    "scenarios": [
        {
            "name": "N2 and N3 a class and its methods",
            "steps": [
                {
                    "tree": "AuthService.java",
                    "has": ["authenticate", "validateToken"],
                    "under": {"authenticate": "AuthService", "validateToken": "AuthService"},
                },
                {"read": "AuthService.java::AuthService.validateToken", "contains": "validateToken"},
            ],
        },
        {
            "name": "N7 an interface and a class",
            "steps": [
                {
                    "tree": "router.ts",
                    "has": ["RouteHandler", "Router"],
                    "under": {"addRoute": "Router", "handleRequest": "Router"},
                }
            ],
        },
        {
            "name": "N9 methods of a Go type",
            "steps": [
                {
                    "tree": "cluster.go",
                    "under": {
                        "Connect": "ClusterManager",
                        "Disconnect": "ClusterManager",
                        "GetNode": "ClusterManager",
                    },
                }
            ],
        },
        {
            "name": "N10 methods of a Rust type",
            "steps": [
                {"tree": "config.rs", "under": {"from_env": "Config", "validate": "Config"}},
                {"read": "config.rs::Config.from_env", "contains": ["from_env", "API_KEY"]},
            ],
        },
    ],
    "invariants": [{"stable": "router"}, {"monotone": "oauth token", "k": [3, 10]}],
}
"""Those over programs, and what holds of any query."""
ONLY_IN_MEMORY = {"N9 methods of a Go type", "N10 methods of a Rust type"}
"""Its test looks at the store; the text that it answers has these methods below the function or constant that
stands before them."""


def own_formula(ranked: list[str], grades: dict[str, int]) -> float:
    """Return nDCG@10 over nodes, as its own test computes it."""
    gained = sum(grades.get(name, 0) / math.log2(at + 2) for at, name in enumerate(ranked[:10]))
    ideal = sorted(grades.values(), reverse=True)[:10]
    return gained / sum(grade / math.log2(at + 2) for at, grade in enumerate(ideal))


def node_names(hits: Any) -> list[str]:
    """Return the nodes of hits, which are called ``Title (node)``."""
    return [hit.id.rpartition(" (")[2].rstrip(")") for hit in hits]
