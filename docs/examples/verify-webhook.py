"""Verifies webhooks of Workforce HR. Python 3.9 or newer, standard library only.

As a receiver on 127.0.0.1 that prints every event once:
    python3 verify-webhook.py 8080 < file-with-the-secret
"""

import hashlib
import hmac
import json
import re
import sys
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

TOLERANCE_SECONDS = 300
MAXIMUM_BODY_BYTES = 65_536


class NotGenuine(Exception):
    """The delivery is not from the service, or is too old."""


def verify_webhook(headers, body, secret, now=None):
    """Returns the id of the event of a genuine delivery, and raises NotGenuine for anything else.

    headers: anything with get(), whatever the case of the names
    body: the raw bytes as they came, before any parser saw them
    secret: the whole text, "whsec_" and all
    now: Unix time in seconds
    """
    event_id = headers.get("Service-Webhook-Id")
    timestamp = headers.get("Service-Webhook-Timestamp")
    signatures = headers.get("Service-Webhook-Signature")
    if not event_id or not timestamp or not signatures:
        raise NotGenuine("a header is missing")
    now = time.time() if now is None else now
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(now - int(timestamp)) > TOLERANCE_SECONDS:
        raise NotGenuine("the timestamp is too old or too new")
    digest = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    expected = ("v1=" + digest).encode()
    # Two in the 24 hours after the secret was rotated. One that matches is enough.
    given = [signature.strip().encode("utf-8", "surrogateescape") for signature in signatures.split(",")]
    if not any([hmac.compare_digest(signature, expected) for signature in given]):
        raise NotGenuine("no signature matches")
    # The signature covers the body, which names the event once more: the header alone could be another one's.
    if json.loads(body)["id"] != event_id:
        raise NotGenuine("the id is not that of the body")
    return event_id


class Receiver(BaseHTTPRequestHandler):
    """204 for what is genuine, 400 for what is not."""

    secret = ""
    # Yours keeps the ids it has seen in a database, with a unique key, for at least 30 days.
    seen = set()

    def do_POST(self):
        length = int(self.headers.get("Content-Length", 0))
        if length > MAXIMUM_BODY_BYTES:
            return self.answer(400)
        body = self.rfile.read(length)
        try:
            event_id = verify_webhook(self.headers, body, self.secret)
        except NotGenuine:
            return self.answer(400)
        if event_id not in self.seen:
            self.seen.add(event_id)
            print(body.decode(), flush=True)
        return self.answer(204)

    def answer(self, status):
        self.send_response(status)
        self.end_headers()

    def log_message(self, format, *values):
        """Prints events only."""


if __name__ == "__main__":
    Receiver.secret = sys.stdin.readline().strip()
    server = HTTPServer(("127.0.0.1", int(sys.argv[1])), Receiver)
    print("listening on port", server.server_port, flush=True)
    server.serve_forever()
