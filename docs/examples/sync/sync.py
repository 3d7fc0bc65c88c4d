"""Keeps a copy of all people of Workforce HR that loses nothing. Python 3.9 or newer, standard library only.

    WORKFORCE_API_KEY=svc_live_… python3 sync.py https://hr.example.com copy.db

Run it on a schedule, and after a webhook.
"""

import json
import os
import sqlite3
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BEGINNING = "1970-01-01T00:00:00Z"
ATTEMPTS = 8


def sync(address, api_key, file, limit=200):
    """Brings the copy in the file up to date. A run that fails changes nothing, and the next one repeats it."""
    with sqlite3.connect(file) as copy:
        copy.execute("create table if not exists people (id text primary key, row text not null)")
        copy.execute("create table if not exists progress (since text not null)")
        (since,) = copy.execute("select coalesce(max(since), ?) from progress", (BEGINNING,)).fetchone()
        largest, cursor = since, None
        while True:
            # The same updated_since for every page: the cursor belongs to it.
            query = {"updated_since": since, "limit": limit, **({"cursor": cursor} if cursor else {})}
            page = read(f"{address}/api/v1/people?{urllib.parse.urlencode(query)}", api_key)
            for person in page["data"]:
                # Rows may repeat, because updated_since is inclusive: the last one counts.
                copy.execute("replace into people values (?, ?)", (person["id"], json.dumps(person)))
                largest = max(largest, person["updated_at"])
            cursor = page["pagination"].get("next_cursor")
            if not cursor:
                break
        # The time moves only after the last page, in the transaction of the rows.
        copy.execute("delete from progress")
        copy.execute("insert into progress values (?)", (largest,))


def read(url, api_key):
    """Repeats a read after a failure of the network, 429 and 5xx, with growing pauses or those of Retry-After."""
    for attempt in range(1, ATTEMPTS + 1):
        pause = 2 ** (attempt - 1)
        try:
            request = urllib.request.Request(url, headers={"Authorization": f"Bearer {api_key}"})
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if (error.code != 429 and error.code < 500) or attempt == ATTEMPTS:
                raise RuntimeError(f"{error.code}: {error.read().decode()}") from error
            pause = int(error.headers.get("Retry-After", pause))
        except OSError:
            if attempt == ATTEMPTS:
                raise
        time.sleep(pause)


if __name__ == "__main__":
    sync(sys.argv[1], os.environ["WORKFORCE_API_KEY"], sys.argv[2], *sys.argv[3:])
