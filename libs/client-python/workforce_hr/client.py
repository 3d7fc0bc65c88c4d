"""The client of one installation."""

from __future__ import annotations

from types import TracebackType

import httpx

from .generated.resources import VERSION, Resources
from .paths import Paths


class Client(Resources):
    """Has the methods of the API by resource (`people.list()`); `paths` takes the paths themselves.

    Each write gets an `Idempotency-Key` unless the caller passes one, and is then safe to repeat: the client
    repeats it if the network fails or the service is busy. A response other than a success raises
    `WorkforceError`.

    base_url: the address of the service, such as `https://hr.example`; the client adds `/api/v1`.
    user_agent: the program that uses the client, such as `payroll-sync/2.1`, for the logs of proxies.
    timeout: the time limit in seconds of each connect, read and write of an attempt.
    attempts: how often a request is sent at most; 1 for no retry.
    longest_pause: the longest pause in seconds between two attempts: the client gives up if the service
        requests more. The default is one window of a rate limit.
    transport: sends a request; that of httpx by default.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str,
        *,
        user_agent: str | None = None,
        timeout: float = 30.0,
        attempts: int = 4,
        longest_pause: float = 60.0,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        own = f"workforce-hr-python/{VERSION}"
        self._http = httpx.Client(
            base_url=f"{base_url.rstrip('/')}/api/v1",
            headers={
                "Authorization": f"Bearer {api_key}",
                "User-Agent": own if user_agent is None else f"{user_agent} {own}",
            },
            timeout=timeout,
            transport=transport,
        )
        self.paths: Paths = Paths(self._http, attempts, longest_pause)
        super().__init__(self.paths)

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
