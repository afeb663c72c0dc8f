"""The client for blocking code. Each call also has an asynchronous variant."""

from __future__ import annotations

from reflect_sdk._calls.care import CareCalls
from reflect_sdk._calls.lessons import LessonCalls
from reflect_sdk._calls.memories import MemoryCalls
from reflect_sdk._calls.projects import ProjectCalls
from reflect_sdk._calls.queue import QueueCalls
from reflect_sdk._calls.reviews import ReviewCalls
from reflect_sdk._calls.runs import RunCalls
from reflect_sdk._calls.signals import SignalCalls
from reflect_sdk._calls.stored_memories import StoredMemoryCalls
from reflect_sdk._calls.traces import TraceCalls
from reflect_sdk._settings import checked_base_url
from reflect_sdk._transport.address import Address, TimeoutInput, whole_timeout
from reflect_sdk._wire import projects
from reflect_sdk._wire.exchange import RequestPolicy
from reflect_sdk._wire.http import Flow
from reflect_sdk.models import BootstrapInfo


class ReflectClient(
    RunCalls,
    MemoryCalls,
    StoredMemoryCalls,
    CareCalls,
    LessonCalls,
    TraceCalls,
    ReviewCalls,
    SignalCalls,
    QueueCalls,
    ProjectCalls,
):
    """Talks to one project of a Reflect server.

    Every call blocks; the variant with the suffix `_async` is a coroutine. Threads may share a client. All clients
    of a process share one connection pool.

    Example:
        client = ReflectClient(base_url="http://localhost:8000", api_key="rf_live_...", project_id="support")
        with client.trace("Refund order 1182") as ctx:
            answer = my_agent(ctx.augmented_task)
            ctx.set_output(trajectory=[{"role": "assistant", "content": answer}], result="pass")
    """

    _async_ending = "_async"

    @classmethod
    def bootstrap(
        cls,
        *,
        base_url: str,
        bootstrap_token: str,
        user_id: str,
        project_id: str,
        key_label: str = "Default Admin Key",
        environment: str = "live",
        timeout: TimeoutInput = 60.0,
    ) -> BootstrapInfo:
        """Creates the first project of a new server and its master key. This works once per server.

        Args:
            base_url: The server's URL.
            bootstrap_token: The server's REFLECT_BOOTSTRAP_TOKEN.
            user_id: Your user id.
            project_id: The project to create.
            key_label: The label of the key.
            environment: "live" or "test"; part of the key's prefix.
            timeout: Seconds for the call.
        """
        from reflect_sdk._transport import blocking

        address, flow = _bootstrap(base_url, bootstrap_token, user_id, project_id, key_label, environment, timeout)
        return blocking.drive(flow, address, timeout)

    @classmethod
    async def bootstrap_async(
        cls,
        *,
        base_url: str,
        bootstrap_token: str,
        user_id: str,
        project_id: str,
        key_label: str = "Default Admin Key",
        environment: str = "live",
        timeout: TimeoutInput = 60.0,
    ) -> BootstrapInfo:
        """The same as `bootstrap`, awaited."""
        from reflect_sdk._transport import awaiting

        address, flow = _bootstrap(base_url, bootstrap_token, user_id, project_id, key_label, environment, timeout)
        return await awaiting.drive(flow, address, timeout)


def _bootstrap(
    base_url: str,
    bootstrap_token: str,
    user_id: str,
    project_id: str,
    key_label: str,
    environment: str,
    timeout: TimeoutInput,
) -> tuple[Address, Flow[BootstrapInfo]]:
    url = checked_base_url(base_url)
    body = {
        "user_id": user_id,
        "project_id": project_id,
        "key_label": key_label,
        "environment": environment,
    }
    policy = RequestPolicy(url, whole_timeout(timeout), max_retries=2)
    return Address(url, ""), projects.bootstrap(policy, bootstrap_token, body)
