"""Requests with retries, idempotency keys and pages."""

from __future__ import annotations

import random
import time
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from .errors import WorkforceError, seconds_of

Data = TypeVar("Data")

# Statuses after which the same request may succeed later; 502 and 504 come from proxies.
_TEMPORARY = frozenset({429, 500, 502, 503, 504})
_FIRST_PAUSE = 0.25
_OF_NETWORK = (httpx.NetworkError, httpx.TimeoutException, httpx.RemoteProtocolError, httpx.ProxyError)


@dataclass(frozen=True)
class Answer(Generic[Data]):
    """The `data` of a response, and the entity tag for `if_match` of the next write; None if there is none."""

    data: Data
    entity_tag: str | None


class Paths:
    """Sends requests to paths of the API. Retries after a failure of the network and after a temporary error,
    with growing pauses, or the pause of `Retry-After` (RFC 9110, section 10.2.3)."""

    def __init__(self, http: httpx.Client, attempts: int, longest_pause: float) -> None:
        self._http = http
        self._attempts = attempts
        self._longest_pause = longest_pause

    def send(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
        if_match: str | None = None,
    ) -> httpx.Response:
        """Returns a success. Raises WorkforceError, and errors of httpx if the network fails."""
        headers: dict[str, str] = {}
        if method not in ("GET", "HEAD"):
            headers["Idempotency-Key"] = idempotency_key or str(uuid.uuid4())
        if if_match is not None:
            headers["If-Match"] = if_match
        params = {name: value for name, value in (query or {}).items() if value is not None}
        attempt = 0
        while True:
            attempt += 1
            response = None
            growing = _FIRST_PAUSE * 2 ** (attempt - 1) * (0.5 + random.random() / 2)
            try:
                response = self._http.request(method, path, params=params, json=body, headers=headers)
                if response.is_success:
                    return response
                pause = _pause_after(response, growing)
            except _OF_NETWORK:
                if attempt >= self._attempts or growing > self._longest_pause:
                    raise
                pause = growing
            if response is not None and (
                pause is None or attempt >= self._attempts or pause > self._longest_pause
            ):
                raise WorkforceError.of(response)
            time.sleep(pause or 0)

    def answer(self, method: str, path: str, **options: Any) -> Answer[Any]:
        """Returns the `data` of a success with the entity tag of its resource."""
        response = self.send(method, path, **options)
        return Answer(response.json()["data"], response.headers.get("service-resource-etag"))

    def pages(self, path: str, query: Mapping[str, Any] | None = None) -> Iterator[Any]:
        """Reads a list from its first page to its last, without reading ahead: the next is requested when the
        items of this one are used up."""
        cursor: str | None = None
        while True:
            page: Any = self.send("GET", path, query={**(query or {}), "cursor": cursor}).json()
            yield from page["data"]
            pagination: Any = page.get("pagination") or {}
            cursor = pagination.get("next_cursor")
            if not cursor:
                return


def _pause_after(response: httpx.Response, growing: float) -> float | None:
    """Seconds until the next attempt; None for no retry."""
    retry_after = response.headers.get("retry-after")
    # 409 with Retry-After means that a request with the same key is in progress.
    if response.status_code == 409:
        return None if retry_after is None else seconds_of(retry_after)
    if response.status_code not in _TEMPORARY:
        return None
    return growing if retry_after is None else max(growing, seconds_of(retry_after))


def path_of(template: str, **ids: str) -> str:
    """Fills the ids into a path of the API."""
    return template.format(**{name: quote(value, safe="") for name, value in ids.items()})
