"""What all groups of calls share: the settings, and the two ways to run a flow."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

from reflect_sdk._settings import Settings, settle
from reflect_sdk._transport.address import TimeoutInput
from reflect_sdk._wire.http import Flow
from reflect_sdk._wire.mask import Mask
from reflect_sdk._wire.place import Place
from reflect_sdk._wire.waiting import wait_for
from reflect_sdk.models import Trace

if TYPE_CHECKING:
    import httpx2

    from reflect_sdk._outgoing import Outgoing

T = TypeVar("T")

POLL_INTERVAL = 0.25
# How long a read waits for this process's own runs to arrive first.
CATCHING_UP = 10.0


class Caller:
    """A client without its calls. Making one sends nothing."""

    def __init__(
        self,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        project_id: str | None = None,
        timeout: TimeoutInput = 60.0,
        max_retries: int = 2,
        retrieval_timeout: float = 5.0,
        memory_tokens: int | None = None,
        mask: Mask | None = None,
        spool: bool | str | os.PathLike[str] | None = None,
        http_client: httpx2.Client | None = None,
        async_http_client: httpx2.AsyncClient | None = None,
    ) -> None:
        """Sets the client up.

        Args:
            base_url: Where the server is; `REFLECT_BASE_URL` or `REFLECT_API_URL` when absent, else
                `http://localhost:8000`.
            api_key: The key; `REFLECT_API_KEY` when absent.
            project_id: The project; `REFLECT_PROJECT_ID` when absent, else `default`.
            timeout: Seconds for a call with all its repeats, or an object with connect, read, write and pool.
            max_retries: How often a call is repeated that failed for a reason that may pass.
            retrieval_timeout: Seconds after which a run goes on without memories.
            memory_tokens: How many tokens of memories go into a prompt; 1500 when absent.
            mask: A function from text to text. It sees every text of yours before it is sent, queued or written
                to disk.
            spool: False keeps runs that wait for the server in memory only; a folder says where to keep them. When
                absent, `REFLECT_SPOOL=off` and `REFLECT_SPOOL_DIR` say so.
            http_client: A client of your own for the blocking calls, with your proxies and certificates.
            async_http_client: The same for the awaitable ones.
        """
        self._settings: Settings = settle(
            base_url=base_url,
            api_key=api_key,
            project_id=project_id,
            timeout=timeout,
            max_retries=max_retries,
            retrieval_timeout=retrieval_timeout,
            memory_tokens=memory_tokens,
            mask=mask,
            spool=spool,
        )
        self._http_client = http_client
        self._async_http_client = async_http_client
        if http_client is not None:
            from reflect_sdk._transport import blocking

            blocking.lend(self.base_url, http_client)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r}, project_id={self.project_id!r})"

    @property
    def base_url(self) -> str:
        """Where the server is."""
        return self._settings.address.base_url

    @property
    def project_id(self) -> str:
        """The project that all calls are about."""
        return self._settings.place.project_id

    @property
    def _place(self) -> Place:
        return self._settings.place

    @property
    def _outgoing(self) -> Outgoing:
        """The runs of this client that are on their way."""
        from reflect_sdk._outgoing import Outgoing

        return Outgoing(self._settings)

    def _run(self, flow: Flow[T]) -> T:
        from reflect_sdk._transport import blocking

        return blocking.drive(flow, self._settings.address, self._settings.timeout, self._http_client)

    async def _run_async(self, flow: Flow[T]) -> T:
        from reflect_sdk._transport import awaiting

        settings = self._settings
        return await awaiting.drive(flow, settings.address, settings.timeout, self._async_http_client)

    def _waiting(
        self, trace_id: str, require_reviewed: bool, poll_interval: float, wait_timeout: float
    ) -> Flow[Trace]:
        return wait_for(
            self._place,
            trace_id,
            require_reviewed=require_reviewed,
            poll_interval=poll_interval,
            wait_timeout=wait_timeout,
            on_its_way=lambda: self._outgoing.holds(trace_id),
        )

    def _settled(self, trace_id: str, *, learned: bool, wait_timeout: float) -> Trace:
        """Sends a run that is still here, and waits until the server is done with it."""
        self._caught_up(trace_id)
        return self._run(self._waiting(trace_id, learned, POLL_INTERVAL, wait_timeout))

    async def _settled_async(self, trace_id: str, *, learned: bool, wait_timeout: float) -> Trace:
        await self._caught_up_async(trace_id)
        return await self._run_async(self._waiting(trace_id, learned, POLL_INTERVAL, wait_timeout))

    def _caught_up(self, trace_id: str | None = None) -> None:
        """Sends the runs that are still here, so that whoever reads sees what they wrote."""
        outgoing = self._outgoing
        if outgoing.holds_any() if trace_id is None else outgoing.holds(trace_id):
            outgoing.push(min(CATCHING_UP, self._place.manners.timeout))

    async def _caught_up_async(self, trace_id: str | None = None) -> None:
        outgoing = self._outgoing
        if outgoing.holds_any() if trace_id is None else outgoing.holds(trace_id):
            await outgoing.push_async(min(CATCHING_UP, self._place.manners.timeout))


def stored(trace_id: str | None) -> str:
    """The id of a trace, as `ctx.trace_id` gives it once the block has ended."""
    if not trace_id:
        raise ValueError("There is no trace id: the run's block has not ended, or there was nothing to store.")
    return trace_id


# An error about its arguments should name the class that people know.
Caller.__init__.__qualname__ = "ReflectClient.__init__"
