"""A typed client of the Workforce HR API."""

from .client import Client
from .errors import ErrorDetail, WorkforceError
from .generated import models
from .generated.models import WebhookEventType
from .generated.resources import CONTRACT_VERSION
from .paths import Answer
from .webhooks import WebhookEvent, WebhookVerificationError, verify_webhook

__all__ = [
    "CONTRACT_VERSION",
    "Answer",
    "Client",
    "ErrorDetail",
    "WebhookEvent",
    "WebhookEventType",
    "WebhookVerificationError",
    "WorkforceError",
    "models",
    "verify_webhook",
]
