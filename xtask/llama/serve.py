"""Runs llama.cpp's own HTTP server in the foreground, with one small model, for development and tests.

It speaks the protocol that most model servers speak (`/v1/chat/completions`, also with `response_format`), so it
tests our client of the protocol against a program of another project. The model has 135 million parameters, so the
quality of its text is poor and proves nothing.

The last line on standard output has the address and means that the server is ready; llama.cpp logs to standard error.
It exits with success on SIGTERM or SIGINT. It runs in the environment that `cargo xtask setup` creates;
`cargo xtask llm` starts it.

    serve.py MODEL PORT [TOKENS]      PORT 0 takes any free one; answers end at TOKENS unless a request says otherwise
"""

import os
import signal
import sys
from pathlib import Path

import xllamacpp

ENDING = {signal.SIGTERM, signal.SIGINT}
# The value of llama.cpp for "until the model ends its answer or the context is full".
UNLIMITED = -1


def settings(model, port, tokens):
    chosen = xllamacpp.CommonParams()
    chosen.model.path = str(model)
    # The model name in requests. The server accepts any other name too.
    chosen.model_alias = {model.name.split(".")[0]}
    # Loopback only: the server requires no key.
    chosen.hostnames = ["127.0.0.1"]
    chosen.port = port
    # One request at a time on one core: the tests need the other core.
    chosen.n_parallel = 1
    chosen.cpuparams.n_threads = 1
    chosen.cpuparams_batch.n_threads = 1
    chosen.n_ctx = 4096
    # For requests without a limit: a small model may not end its answer.
    chosen.n_predict = tokens
    # The start is faster, and the first request is slower.
    chosen.warmup = False
    # Errors and warnings.
    chosen.verbosity = 1
    return chosen


def main(model, port, tokens=UNLIMITED):
    if not model.is_file():
        sys.exit(f"{model} is not there; run `cargo xtask setup`")
    # Before the server starts its threads: they inherit the mask, so `sigwait` below gets the signal.
    signal.pthread_sigmask(signal.SIG_BLOCK, ENDING)
    try:
        server = xllamacpp.Server(settings(model, port, tokens))
    except RuntimeError as error:
        # The server has already printed the reason.
        sys.exit(f"the model server does not start on port {port}: {error}")
    print(f"ready: {server.listening_address}/v1", flush=True)
    signal.sigwait(ENDING)
    # Immediately: a regular shutdown would wait for the current answer, and no data can be lost.
    os._exit(0)


if __name__ == "__main__":
    main(Path(sys.argv[1]), *(int(number) for number in sys.argv[2:]))
