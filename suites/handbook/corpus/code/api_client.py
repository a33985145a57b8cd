"""A client of the Tallyhook API that repeats calls where that is safe."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

SAFE_METHODS = frozenset({"GET", "PUT", "DELETE"})


@dataclass(frozen=True)
class Response:
    """An answer of the server."""

    status: int
    body: dict
    headers: dict[str, str] = field(default_factory=dict)

    @property
    def retry_after(self) -> float | None:
        """Seconds that the server asks to wait, if it does."""
        value = self.headers.get("Retry-After")
        return None if value is None else float(value)


class ApiError(Exception):
    """A call that failed for good."""

    def __init__(self, response: Response) -> None:
        error = response.body.get("error", {})
        super().__init__(error.get("message", f"status {response.status}"))
        self.code = error.get("code", "unknown")
        self.status = response.status
        self.request_id = error.get("request_id")


@dataclass(frozen=True)
class RetryPolicy:
    """How often a call is repeated, and how long is waited before."""

    max_retries: int = 4
    base: float = 0.5
    cap: float = 20.0

    def delay(self, attempt: int, retry_after: float | None = None) -> float:
        """Draw a wait with full jitter; never less than what the server asked for."""
        drawn = random.uniform(0, min(self.cap, self.base * 2**attempt))
        return max(drawn, retry_after or 0.0)

    def should_retry(self, method: str, status: int, has_idempotency_key: bool) -> bool:
        """Tell whether a call that ended so may be sent again."""
        if status in (429, 503):
            return True
        if status in (500, 502, 504):
            return method in SAFE_METHODS or has_idempotency_key
        return False


class RetryBudget:
    """Stops repeating when too many of the calls are repeats."""

    def __init__(self, share: float = 0.1, least: int = 10) -> None:
        self._share = share
        self._least = least
        self._calls = 0
        self._repeats = 0

    def record_call(self) -> None:
        """Count a call that is no repeat."""
        self._calls += 1

    def try_spend(self) -> bool:
        """Count a repeat, if there is room for one."""
        if self._repeats >= max(self._least, self._calls * self._share):
            return False
        self._repeats += 1
        return True


@dataclass(frozen=True)
class Page:
    """One page of a list."""

    items: list[dict]
    next_cursor: str | None


class TallyhookClient:
    """Calls the API with a key."""

    def __init__(
        self,
        send: Callable[[str, str, dict | None, dict[str, str]], Response],
        policy: RetryPolicy | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._send = send
        self._policy = policy or RetryPolicy()
        self._sleep = sleep
        self._budget = RetryBudget()

    def create_job(self, name: str, schedule: str, url: str, **fields: object) -> dict:
        """Create a job; a lost answer does not create it twice."""
        job = {"name": name, "schedule": schedule, "target": {"url": url}, **fields}
        return self.request("POST", "/v1/jobs", job)

    def pause_job(self, job_id: str) -> dict:
        """Stop new runs of a job."""
        return self.request("POST", f"/v1/jobs/{job_id}/pause")

    def list_jobs(self, limit: int = 25, cursor: str | None = None) -> Page:
        """Read one page of jobs."""
        query = f"?limit={limit}" + (f"&cursor={cursor}" if cursor else "")
        body = self.request("GET", f"/v1/jobs{query}")
        return Page(body["items"], body["next_cursor"])

    def iterate_jobs(self) -> Iterator[dict]:
        """Read all jobs, page after page."""
        cursor = None
        while True:
            page = self.list_jobs(limit=100, cursor=cursor)
            yield from page.items
            cursor = page.next_cursor
            if cursor is None:
                return

    def redeliver_event(self, event_id: str, endpoint: str | None = None) -> dict:
        """Have an event sent again, to one endpoint or to all."""
        return self.request("POST", f"/v1/events/{event_id}/redeliver", {"endpoint": endpoint})

    def request(self, method: str, path: str, body: dict | None = None) -> dict:
        """Make a call, and make it again as the policy and the budget allow."""
        headers = {"Idempotency-Key": uuid.uuid4().hex} if method == "POST" else {}
        self._budget.record_call()
        attempt = 0
        while True:
            response = self._send(method, path, body, headers)
            if response.status < 400:
                return response.body
            again = self._policy.should_retry(method, response.status, bool(headers))
            if not again or attempt >= self._policy.max_retries or not self._budget.try_spend():
                raise ApiError(response)
            self._sleep(self._policy.delay(attempt, response.retry_after))
            attempt += 1
