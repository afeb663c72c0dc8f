"""The base class of the clients: settings, and running a flow with blocking or asynchronous I/O."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, TypeVar

from reflect_sdk._settings import Settings, resolve_settings
from reflect_sdk._transport.address import TimeoutInput
from reflect_sdk._wire.http import Flow
from reflect_sdk._wire.mask import Mask
from reflect_sdk._wire.project_api import ProjectApi
from reflect_sdk._wire.waiting import wait_for
from reflect_sdk.errors import InvalidArgumentError
from reflect_sdk.models import Trace

if TYPE_CHECKING:
    import httpx2

    from reflect_sdk._outgoing import Outgoing

T = TypeVar("T")

POLL_INTERVAL = 0.25
# How long a read waits until this process's own runs are sent.
FLUSH_TIMEOUT = 10.0


class BaseClient:
    """A client without API methods. The constructor sends nothing."""

    # The ending of the asynchronous calls, for error messages.
    _async_ending = ""

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
        """Configures the client.

        Args:
            base_url: The server's URL; `REFLECT_BASE_URL` or `REFLECT_API_URL` when absent, else
                `http://localhost:8000`.
            api_key: The key; `REFLECT_API_KEY` when absent.
            project_id: The project; `REFLECT_PROJECT_ID` when absent, else `default`.
            timeout: Seconds for a call including retries, or an object with connect, read, write and pool.
            max_retries: How often a call is retried after a temporary failure.
            retrieval_timeout: Seconds after which a run continues without memories.
            memory_tokens: The token budget for memories in a prompt; 1500 when absent.
            mask: A function from str to str. It is applied to every user text before the text is sent, queued or
                written to disk.
            spool: False keeps unsent runs in memory only; a path sets the spool directory. When absent,
                `REFLECT_SPOOL=off` and `REFLECT_SPOOL_DIR` apply.
            http_client: Your own HTTP client for blocking calls, for example with proxies and certificates.
            async_http_client: The same for asynchronous calls.
        """
        self._settings: Settings = resolve_settings(
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

            blocking.register_client(self.base_url, http_client)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(base_url={self.base_url!r}, project_id={self.project_id!r})"

    @property
    def base_url(self) -> str:
        """The server's URL."""
        return self._settings.address.base_url

    @property
    def project_id(self) -> str:
        """The project that all calls use."""
        return self._settings.api.project_id

    @property
    def _api(self) -> ProjectApi:
        return self._settings.api

    def _called(self, call: str) -> ProjectApi:
        """The API for one call of the user; its errors begin with the name of the call."""
        return self._settings.api.named(call)

    def _awaited(self, call: str) -> ProjectApi:
        """The same for an asynchronous call."""
        return self._settings.api.named(call + self._async_ending)

    @property
    def _outgoing(self) -> Outgoing:
        """Delivery of this client's runs."""
        from reflect_sdk._outgoing import Outgoing

        return Outgoing(self._settings)

    def _run(self, flow: Flow[T]) -> T:
        from reflect_sdk._distributions import warn_about_foreign
        from reflect_sdk._transport import blocking

        warn_about_foreign()
        return blocking.drive(flow, self._settings.address, self._settings.timeout, self._http_client)

    async def _run_async(self, flow: Flow[T]) -> T:
        from reflect_sdk._distributions import warn_about_foreign
        from reflect_sdk._transport import awaiting

        warn_about_foreign()
        settings = self._settings
        return await awaiting.drive(flow, settings.address, settings.timeout, self._async_http_client)

    def _waiting(
        self, api: ProjectApi, trace_id: str, require_reviewed: bool, poll_interval: float, wait_timeout: float
    ) -> Flow[Trace]:
        return wait_for(
            api,
            trace_id,
            require_reviewed=require_reviewed,
            poll_interval=poll_interval,
            wait_timeout=wait_timeout,
            is_queued=lambda: self._outgoing.holds(trace_id),
        )

    def _wait_until_processed(self, trace_id: str, *, learned: bool, wait_timeout: float) -> Trace:
        """Sends the run if it is still queued, and waits until the server has processed it."""
        self._flush_pending(trace_id)
        return self._run(self._waiting(self._called("trace"), trace_id, learned, POLL_INTERVAL, wait_timeout))

    async def _wait_until_processed_async(self, trace_id: str, *, learned: bool, wait_timeout: float) -> Trace:
        await self._flush_pending_async(trace_id)
        waiting = self._waiting(self._awaited("trace"), trace_id, learned, POLL_INTERVAL, wait_timeout)
        return await self._run_async(waiting)

    def _flush_pending(self, trace_id: str | None = None) -> None:
        """Sends queued runs first, which lets a read return what this process wrote before."""
        outgoing = self._outgoing
        if outgoing.holds_any() if trace_id is None else outgoing.holds(trace_id):
            outgoing.push(min(FLUSH_TIMEOUT, self._api.policy.timeout))

    async def _flush_pending_async(self, trace_id: str | None = None) -> None:
        outgoing = self._outgoing
        if outgoing.holds_any() if trace_id is None else outgoing.holds(trace_id):
            await outgoing.push_async(min(FLUSH_TIMEOUT, self._api.policy.timeout))


def require_trace_id(api: ProjectApi, trace_id: str | None) -> str:
    """Returns the trace id; raises `InvalidArgumentError` if it is missing, as `ctx.trace_id` is inside the block."""
    if not trace_id:
        raise InvalidArgumentError(
            f"{api.call}: the trace id is missing.",
            hint="The block of the run has not ended yet, or the run had nothing to store.",
        )
    return trace_id


# A TypeError about the arguments shows the public class name.
BaseClient.__init__.__qualname__ = "ReflectClient.__init__"
