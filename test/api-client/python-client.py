"""Uses the Python client; prints what it saw as JSON. Reads its task from the standard input."""

import json
import sys

import httpx
from workforce_hr import Client, WebhookVerificationError, WorkforceError, verify_webhook

task = json.load(sys.stdin)
seen = {}


def failure(call, kind):
    try:
        call()
    except kind as error:
        return error
    raise AssertionError("the call did not fail")


with Client(task["url"], task["apiKey"]) as workforce:
    body = {"work_email": task["emails"][0]}
    first = workforce.people.create(body, idempotency_key="python-1")
    again = workforce.people.create(body, idempotency_key="python-1")
    seen["same"] = first.data["id"] == again.data["id"]
    for email in task["emails"][1:]:
        workforce.people.create({"work_email": email})
    seen["emails"] = [person["work_email"] for person in workforce.people.list(limit=1)]
    seen["byPath"] = len(list(workforce.paths.pages("/people", {"limit": 2})))
    person_id = first.data["id"]
    read = workforce.people.get(person_id)
    workforce.people.update(person_id, {"last_name": "King"}, if_match=read.entity_tag)
    stale = failure(
        lambda: workforce.people.update(person_id, {"last_name": "Queen"}, if_match=read.entity_tag), WorkforceError
    )
    seen["stale"] = [stale.status, stale.code, stale.request_id is not None]
    wrong = failure(lambda: workforce.people.create({"work_email": "no address"}), WorkforceError)
    seen["wrong"] = [wrong.status, wrong.issue_of("work_email") is not None]

with Client(task["busyUrl"], "svc_live_x", user_agent="payroll/1") as busy:
    seen["afterRetries"] = busy.people.create({"work_email": "a@example.com"}).data["id"]
    seen["refused"] = failure(lambda: busy.people.get("a/b"), WorkforceError).retry_after
    seen["proxy"] = failure(lambda: busy.people.get("c"), WorkforceError).code

with Client("http://hr.example", "svc_live_x", attempts=2, transport=httpx.MockTransport(lambda _: 1 / 0)) as broken:
    failure(lambda: broken.people.get("a"), ZeroDivisionError)

vector = task["vector"]
now = int(vector["headers"]["Service-Webhook-Timestamp"])
genuine = vector["body"].encode()
verify = lambda **other: verify_webhook(
    **{"body": genuine, "headers": vector["headers"], "secrets": vector["secrets"], "now": now, **other}
)
seen["event"] = verify()["id"]
seen["notGenuine"] = [
    str(failure(lambda: verify(**other), WebhookVerificationError))
    for other in [
        {"body": genuine + b" "},
        {"secrets": "whsec_other"},
        {"now": now + 301},
        {"headers": {}},
        {"headers": {**vector["headers"], "Service-Webhook-Id": "evt_other"}},
    ]
]
print(json.dumps(seen))
