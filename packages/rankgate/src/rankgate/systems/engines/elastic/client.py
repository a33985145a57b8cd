"""What clients of OpenSearch and Elasticsearch share: each request is sent once and ends in time."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar
from urllib.parse import urlencode

from rankgate.errors import Code, Problem, RankgateError, RetriableError, SystemFailedError
from rankgate.systems.adapter.failures import TimedOutError, refused
from rankgate.systems.engines.elastic.answers import excerpt, lost_a_node, reason_of, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rankgate.systems.engines.elastic.options import Access

KEPT_OPEN = 128
"""How many connections to a node are kept; some clients open no more than they keep."""


class SearchClient(ABC):
    """A client of a library whose exceptions are named as those of Elasticsearch 7.

    What its errors tell may hold secrets, which `Secrets.hiding` takes out.

    Args:
        library: The module of the client.
        access: Where and how to ask.
    """

    product: ClassVar[str]
    """Whom it asks."""

    def __init__(self, library: Any, access: Access) -> None:
        self._library, self._access, self._name = library, access, access.name

    @abstractmethod
    def _sent(self, method: str, target: str, body: bytes | None, headers: dict[str, str]) -> object:
        """Send a request through the library and give what came back, read."""

    @abstractmethod
    def close(self) -> None:
        """Close the connections."""

    def request(
        self, method: str, path: str, params: Mapping[str, object], body: bytes | None
    ) -> dict[str, Any]:
        """Send one request, once, and give the JSON of its answer.

        Args:
            method: GET or POST.
            path: From the root, percent-encoded.
            params: What stands in the URL after it.
            body: JSON.

        Raises:
            SystemFailedError: for everything that is no success: a `StatusError` with the
                status, a `RetriableError` where it may pass, a `TimedOutError` where the time is over.
        """
        from rankgate.systems.http.deadline import Deadline

        # Clients take some parameters for their own; in the path they are the server's.
        target = f"{path}?{urlencode(_written(params), doseq=True)}" if params else path
        # Written as the clients write it, or some would send both.
        headers = {"content-type": "application/json"} if body is not None else {}
        with Deadline(self._access.options.timeout) as deadline:
            try:
                answer = self._sent(method, target, body, headers)
            except Exception as error:  # noqa: BLE001 - a library may raise anything; all of it is told
                if deadline.over:
                    raise self._late() from None
                raise self._failure(error) from None
        if deadline.expired:
            raise self._late()
        if not isinstance(answer, dict):
            raise SystemFailedError(Code.WRONG_ANSWER(self._name, shown(answer), "a JSON object"))
        return answer

    def _late(self) -> TimedOutError:
        found = f"no answer after {self._access.options.timeout:g} s"
        return TimedOutError(Problem(self._name, found, "an answer", "raise timeout, or look why it hangs"))

    def _failure(self, error: Exception) -> RankgateError:
        from rankgate.systems.http.failures import is_cut_off

        errors = self._library.exceptions
        # What is raised below the library comes up inside its own errors.
        inner = (getattr(error, "info", None), error.__cause__, *getattr(error, "errors", ()))
        if own := next((one for one in inner if isinstance(one, RankgateError)), None):
            return own
        if isinstance(error, errors.ConnectionTimeout):
            return self._late()
        if isinstance(error, errors.SSLError) and not is_cut_off(_cause(error)):
            return SystemFailedError(
                Code.CERTIFICATE(self._name, _named(_cause(error)), "a certificate to trust", "see ca_file")
            )
        if isinstance(error, errors.ConnectionError):
            return RetriableError(
                Code.NO_CONNECTION(self._name, _named(_cause(error)), "a server that answers")
            )
        status = getattr(error, "status_code", None)
        if isinstance(status, int):
            content = getattr(error, "info", None) or getattr(error, "error", None)
            return refused(self._name, status, reason_of(content), passing=lost_a_node(content))
        found = _named(f"{type(error).__name__}: {error}")
        return SystemFailedError(Code.WRONG_SERVER(self._name, found, f"an answer of {self.product}"))


def _named(text: str) -> str:
    from rankgate.systems.http.bounded import without_objects

    return excerpt(without_objects(text))


def _cause(error: Exception) -> str:
    return str(getattr(error, "error", None) or getattr(error, "message", None) or error)


def _written(params: Mapping[str, object]) -> dict[str, object]:
    return {name: str(value).lower() if isinstance(value, bool) else value for name, value in params.items()}
