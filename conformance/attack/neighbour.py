"""Another tenant: queries its memories at a steady rate and prints when, how long and with which status.

    python3 neighbour.py < {"port": …, "path": …, "key": …, "rate": …}

A process of its own, so that the work of the attackers does not slow down the measurement.
"""

from __future__ import annotations

import http.client
import json
import sys
import time

SECONDS = 35.0


def main() -> None:
    """Runs until standard output is closed."""
    place = json.load(sys.stdin)
    headers = {"Authorization": f"Bearer {place['key']}", "Content-Type": "application/json"}
    connection = http.client.HTTPConnection("127.0.0.1", place["port"], timeout=SECONDS)
    number, due = 0, time.monotonic()
    while True:
        time.sleep(max(0.0, due - time.monotonic()))
        # A late query does not make the next ones early: the rate is an upper bound.
        due = max(due + 1 / place["rate"], time.monotonic())
        number += 1
        body = json.dumps({"task": f"Water the plants on floor {number % 7}", "limit": 3})
        began = time.monotonic()
        try:
            connection.request("POST", place["path"], body, headers)
            response = connection.getresponse()
            response.read()
            status = response.status
        except (OSError, http.client.HTTPException):
            status = 0
            connection.close()
        print(f"{began:.6f} {time.monotonic() - began:.6f} {status}", flush=True)


if __name__ == "__main__":
    try:
        main()
    except BrokenPipeError:
        sys.exit(0)
