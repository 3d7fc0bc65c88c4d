"""Errors of the service."""

from __future__ import annotations

import time
from email.utils import parsedate_to_datetime
from typing import TypedDict

import httpx


class ErrorDetail(TypedDict):
    """One reason for an error: the field, and its problem."""

    field: str
    issue: str


class WorkforceError(Exception):
    """A response of the service other than a success (contract part 7, "Error envelope").

    code is the kind of error, such as `precondition_failed`; `unknown` if a proxy answered, and then
    request_id, by which operators find the request, is None.
    """

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        request_id: str | None,
        details: list[ErrorDetail],
        headers: httpx.Headers,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.request_id = request_id
        self.details = details
        self.headers = headers

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the service requests the next attempt; None if it does not."""
        retry_after = self.headers.get("retry-after")
        return None if retry_after is None else seconds_of(retry_after)

    def issue_of(self, field: str) -> str | None:
        """The first reason for this field; None if there is none."""
        return next((detail["issue"] for detail in self.details if detail["field"] == field), None)

    @classmethod
    def of(cls, response: httpx.Response) -> WorkforceError:
        """Parses a response other than a success. Also accepts the response of a proxy."""
        status, headers = response.status_code, response.headers
        try:
            error = response.json()["error"]
            return cls(
                status, error["code"], error["message"], error["request_id"], error.get("details") or [], headers
            )
        except (ValueError, KeyError, TypeError, AttributeError):
            return cls(status, "unknown", f"The service answered with status {status}.", None, [], headers)


def seconds_of(retry_after: str) -> float:
    """The seconds of a `Retry-After` header; 0 for an invalid one."""
    if retry_after.isascii() and retry_after.isdigit():
        return float(retry_after)
    try:
        return max(0.0, parsedate_to_datetime(retry_after).timestamp() - time.time())
    except ValueError:
        return 0.0
