"""Runs llama.cpp's own HTTP server in the foreground, with one small model, for development and tests.

It speaks the protocol that most model servers speak (`/v1/chat/completions`, also with `response_format`), so it
proves that our side of the protocol works against somebody else's program. The model has 135 million parameters:
what it writes is poor, and nothing may be concluded from it.

The last line on standard output says that it is ready and where; llama.cpp's own words go to standard error. It ends,
with success, on SIGTERM or SIGINT. It runs in the environment made by `cargo xtask setup`; `cargo xtask llm` starts it.

    serve.py MODEL PORT [TOKENS]      PORT 0 takes any free one; answers end at TOKENS unless a request says otherwise
"""

import os
import signal
import sys
from pathlib import Path

import xllamacpp

ENDING = {signal.SIGTERM, signal.SIGINT}
# What llama.cpp takes for "until the model ends its answer or the context is full".
UNLIMITED = -1


def settings(model, port, tokens):
    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(model)
    # What requests may call the model. The server takes any other name too.
    chosen.model_alias = {model.name.split(".")[0]}
    # Loopback only: the server asks nobody for a key.
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = port
    # One request at a time on one core: the tests beside it need the other.
    chosen.n_parallel = 1
    chosen.cpuparams.n_threads = 1
    chosen.cpuparams_batch.n_threads = 1
    chosen.n_ctx = 4096
    # For requests that set no limit of their own: a small model may not find the end by itself.
    chosen.n_predict = tokens
    # The first request is slower by as much as the start is quicker.
    chosen.warmup = False
    # Errors and warnings.
    chosen.verbosity = 1
    return chosen


def main(model, port, tokens=UNLIMITED):
    if not model.is_file():
        sys.exit(f"{model} is not there; run `cargo xtask setup`")
    # Before the server starts its threads: they inherit the mask, so the signal comes to `sigwait` below.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        server = xllamacpp.Server(settings(model, port, tokens))
    except RuntimeError as error:
        # The reason stands above, in the server's own words.
        sys.exit(f"the model server does not start on port {port}: {error}")
    print(f"ready: {server.listening_address}/v1", flush=True)
    signal.sigwait(ENDING)
    # At once: an orderly end would wait for the answer that is being written, and nothing here can be lost.
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(number) for number in sys.argv[2:]))
