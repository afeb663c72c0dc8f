"""Forks before or after the first use; some children exit normally, some with os._exit."""

from __future__ import annotations

import os
import sys
import threading

from runs import ORDER, Runs

runs = Runs()
after_first_use = ORDER["after_first_use"]
beside: list[threading.Thread] = []
if after_first_use:
    runs.many(ORDER["count"])
    # Other threads are inside runs and inside the outbox at each fork.
    beside = [threading.Thread(target=runs.many, args=(ORDER["count"],)) for _ in range(4)]
    for thread in beside:
        thread.start()

children: list[int] = []
for number in range(ORDER["children"]):
    pid = os.fork()
    if pid == 0:
        runs.many(ORDER["count"])
        if number % 2:
            os._exit(0)
        sys.exit(0)
    children.append(pid)

if after_first_use:
    runs.many(ORDER["count"])
failed = [pid for pid in children if os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) != 0]
for thread in beside:
    thread.join()
if failed:
    sys.exit(f"children {failed} did not exit normally")
