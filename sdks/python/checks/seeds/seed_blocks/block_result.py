"""The result of a block, for checks."""

from __future__ import annotations

from typing import Any

from reflect_sdk import ReflectClient, Trace

from .prelude import Prelude


class BlockResult:
    """The names, the output and the traces of one block. Created before the block runs."""

    def __init__(self, prelude: Prelude) -> None:
        self._prelude = prelude
        self.printed = ""
        self._before = {trace.id for trace in self._delivered()}

    @property
    def client(self) -> ReflectClient:
        """A client of the document's project."""
        return self._prelude.client

    @property
    def said(self) -> str:
        """The last answer of the agent or the model."""
        return self._prelude.said

    @property
    def stored_trace_id(self) -> str:
        """The id of an unreviewed trace that was stored before the first block."""
        return self._prelude.stored_trace_id

    def __getitem__(self, name: str) -> Any:
        return self._prelude.names[name]

    def stored(self) -> list[Trace]:
        """The traces since the start of the block, newest first."""
        return [trace for trace in self._delivered() if trace.id not in self._before]

    def reviewed(self, trace_id: str) -> Trace:
        """Waits until the memory of the trace exists."""
        return self.client.wait_for_trace(trace_id, require_reviewed=True)

    def _delivered(self) -> list[Trace]:
        # The published clients send immediately and have no flush.
        flush = getattr(self.client, "flush", None)
        if flush is not None:
            left = flush()
            assert not left.pending and not left.spooled and not left.dropped, f"not delivered: {left}"
        return self.client.list_traces()
