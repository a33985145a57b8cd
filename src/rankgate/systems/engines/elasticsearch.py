"""Elasticsearch as a system: the user's own request to an index, or an index built from a corpus.

The official client asks, and its generation must be the server's.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rankgate.errors import InputError, Problem, RankgateError, SystemFailedError
from rankgate.systems.engines.elasticsearch_generations import opened, sent
from rankgate.systems.engines.search_client import SearchClient
from rankgate.systems.engines.search_errors import shown
from rankgate.systems.engines.search_options import Access, SearchOptions, read_access
from rankgate.systems.engines.search_system import SearchSystem
from rankgate.systems.kind import Kind
from rankgate.systems.options import read_options
from rankgate.systems.secrets import Secrets

if TYPE_CHECKING:
    from collections.abc import Mapping

KIND = Kind(
    "An index of Elasticsearch, by your own body, or one that is built",
    base="root",
    index=("index",),
    outside="a server",
    library="elasticsearch",
    extra="elasticsearch",
    tested="tested with Elasticsearch 7.10.2; 8.19.21 and 9.5.3 but for analyzers of languages and scripts",
)

_FOR_7 = "'elasticsearch<7.14' 'numpy<2'"
_OTHER_GENERATION = re.compile(r"version must be either version (\d+)")


@dataclass(frozen=True, slots=True)
class ElasticsearchOptions(SearchOptions):
    """Which index of Elasticsearch is asked, and how."""


class ElasticsearchClient(SearchClient):
    """The official client, of whichever generation is installed.

    Raises:
        InputError: where it is missing.
    """

    product = "Elasticsearch"

    def __init__(self, access: Access, name: str) -> None:
        super().__init__(_library(name), access, name)
        self._client = opened(self._library, access, name)

    def close(self) -> None:
        """Close the connections."""
        self._client.transport.close()

    def _sent(
        self, method: str, target: str, body: bytes | None, headers: dict[str, str], seconds: float
    ) -> object:
        other = None if seconds == self._access.timeout else seconds
        return sent(self._client, method, target, body, headers, other)

    def _failure(self, error: Exception, seconds: float) -> RankgateError:
        about = getattr(error, "info", None)
        if type(error).__name__ == "UnsupportedProductError":
            if not isinstance(about, dict):
                return SystemFailedError(Problem(self._name, shown(about), "an answer of Elasticsearch"))
            version = about.get("version")
            version = version if isinstance(version, dict) else {}
            if version.get("distribution") == "opensearch":
                fix = "ask it with kind = 'opensearch'"
                return InputError(Problem(self._name, "OpenSearch", "Elasticsearch", fix))
            return self._other(str(version.get("number") or "of another product or older than 7.14"))
        if other := _OTHER_GENERATION.search(str(about)):
            return self._other(other[1])
        return super()._failure(error, seconds)

    def _other(self, version: str) -> InputError:
        """Say that the client is not of the server's generation, and which one is."""
        client = ".".join(map(str, self._library.__version__))
        number = version.partition(".")[0]
        later = number.isdecimal() and int(number) >= 8
        fitting = f"'elasticsearch>={number},<{int(number) + 1}'" if later else _FOR_7
        found = f"a server {version}, which elasticsearch {client} does not ask"
        fix = f"to install: pip install {fitting}"
        return InputError(Problem(self._name, found, "a client of the server's generation", fix))


def open_elasticsearch(name: str, options: Mapping[str, object]) -> SearchSystem:
    """Open a cluster that a configuration names; the entry point of the kind `elasticsearch`.

    Raises:
        InputError: with every option that is unknown or wrong, a request that the server refuses, and a
            client of another generation than the server.
        SystemFailedError: where there is no server.
    """
    read, secrets = read_options(ElasticsearchOptions, options, name), Secrets()
    client = ElasticsearchClient(read_access(read, name, secrets), name)
    return SearchSystem("elasticsearch", client, read, secrets, name)


def _library(name: str) -> Any:
    try:
        return KIND.load(name)
    except AttributeError as error:
        # The clients of 7 look for what NumPy 2 does not have, while they are imported.
        fix = f"to install: pip install {_FOR_7}"
        found = f"elasticsearch, which does not load ({error})"
        raise InputError(Problem(name, found, "elasticsearch", fix)) from error
