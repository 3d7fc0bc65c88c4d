"""Verification of webhooks."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import TypedDict, cast

from .generated.models import WebhookEventType


class WebhookResource(TypedDict):
    """The resource that changed."""

    id: str
    resource_type: str


class WebhookEvent(TypedDict):
    """The content of a webhook (contract part 6): only which resource changed."""

    id: str
    type: WebhookEventType
    api_version: str
    occurred_at: str
    data: WebhookResource


class WebhookVerificationError(Exception):
    """A delivery that is not genuine, or too old. The message has the reason."""


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: float = 300.0,
    now: float | None = None,
) -> WebhookEvent:
    """Returns the event of a genuine delivery (contract part 6, "Signature": HMAC-SHA256 over timestamp, dot
    and body). Process each event once: it may be delivered again. Raises WebhookVerificationError.

    body: the received bytes, before parsing.
    secrets: the secret of the endpoint, including `whsec_`; for 24 hours after a rotation either of two.
    tolerance: the maximum difference in seconds between the timestamp and now.
    now: Unix time in seconds; that of the clock by default.
    """
    given_headers = {name.lower(): value for name, value in headers.items()}
    identifier = _header_of(given_headers, "service-webhook-id")
    timestamp = _header_of(given_headers, "service-webhook-timestamp")
    given = [part.strip() for part in _header_of(given_headers, "service-webhook-signature").split(",")]
    current = time.time() if now is None else now
    if re.fullmatch(r"[0-9]{1,12}", timestamp) is None or abs(current - int(timestamp)) > tolerance:
        raise WebhookVerificationError("the timestamp is too old or too new")
    for secret in [secrets] if isinstance(secrets, str) else secrets:
        digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        # Compared as bytes, because text would have to be ASCII.
        if any(hmac.compare_digest(f"v1={digest}".encode(), signature.encode()) for signature in given):
            return _event_of(body, identifier)
    raise WebhookVerificationError("no signature matches")


def _header_of(headers: Mapping[str, str], name: str) -> str:
    value = headers.get(name)
    if value is None:
        raise WebhookVerificationError(f"the header {name} is missing")
    return value


def _event_of(body: bytes, identifier: str) -> WebhookEvent:
    """The signature covers the body, which contains the event's id again: the header alone could belong to
    another event."""
    event = cast(WebhookEvent, json.loads(body))
    if event["id"] != identifier:
        raise WebhookVerificationError("the header service-webhook-id differs from the id in the body")
    return event
