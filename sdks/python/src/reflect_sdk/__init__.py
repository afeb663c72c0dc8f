"""Reflect: memory for agents that learns from outcomes.

    from reflect_sdk import ReflectClient

    client = ReflectClient(base_url="http://localhost:8000", api_key="rf_live_...", project_id="support")
    with client.trace("Refund order 1182") as ctx:
        answer = my_agent(ctx.augmented_task)
        ctx.set_output(trajectory=[{"role": "assistant", "content": answer}], result="pass")

Importing the package loads only this file. Each name is loaded on first use.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from reflect_sdk._version import __version__

if TYPE_CHECKING:
    from reflect_sdk._calls.reviews import TraceReview
    from reflect_sdk._calls.signals import OutgoingSignal
    from reflect_sdk._delivery import DeliveryCounters, FlushResult
    from reflect_sdk.async_client import AsyncReflectClient
    from reflect_sdk.client import ReflectClient
    from reflect_sdk.converters import from_deepagents, from_openai_agents
    from reflect_sdk.errors import (
        APIConnectionError,
        APIStatusError,
        APITimeoutError,
        AuthenticationError,
        BadRequestError,
        ConfigurationError,
        ConflictError,
        IngestFailedError,
        InternalServerError,
        InvalidArgumentError,
        InvalidResponseError,
        InvalidReviewResultError,
        MaskError,
        NotFoundError,
        PermissionDeniedError,
        RateLimitError,
        ReflectError,
        RunEndedError,
        TruncatedResultWarning,
        UnknownFieldError,
        UnprocessableError,
        WaitTimeoutError,
    )
    from reflect_sdk.models import (
        AcceptedSignal,
        Action,
        ApiKeyCreateResponse,
        ApiKeyInfo,
        ApiKeyResponse,
        AugmentedTask,
        BootstrapInfo,
        BootstrapResponse,
        BulkReview,
        CreatedApiKey,
        DeferredTrace,
        DeletedProject,
        DeletedTraces,
        Erasure,
        FeedbackToken,
        HealthCheck,
        JudgeOpinion,
        JudgeStatus,
        Lesson,
        LessonGrouping,
        LessonQuestion,
        LoopHealth,
        Memory,
        MemoryChange,
        MemoryHistory,
        MemoryNeighbour,
        MemoryResponse,
        MemoryUse,
        Project,
        QueuedTrace,
        QueueLease,
        Retrieval,
        Review,
        ReviewOutcome,
        ReviewQueue,
        ReviewResponse,
        Signal,
        SignalSource,
        Skill,
        SkillResponse,
        StoredMemory,
        Trace,
        TraceCreateResponse,
        TraceResponse,
        TraceSubmission,
        Uplift,
    )
    from reflect_sdk.tracing.context import TraceContext
    from reflect_sdk.tracing.current import copy_context, current_trace
    from reflect_sdk.tracing.decorator import reflect_trace
    from reflect_sdk.tracing.result import TraceResult

__all__ = [
    "APIConnectionError",
    "APIStatusError",
    "APITimeoutError",
    "AcceptedSignal",
    "Action",
    "ApiKeyCreateResponse",
    "ApiKeyInfo",
    "ApiKeyResponse",
    "AsyncReflectClient",
    "AugmentedTask",
    "AuthenticationError",
    "BadRequestError",
    "BootstrapInfo",
    "BootstrapResponse",
    "BulkReview",
    "ConfigurationError",
    "ConflictError",
    "CreatedApiKey",
    "DeferredTrace",
    "DeletedProject",
    "DeletedTraces",
    "DeliveryCounters",
    "Erasure",
    "FeedbackToken",
    "FlushResult",
    "HealthCheck",
    "IngestFailedError",
    "InternalServerError",
    "InvalidArgumentError",
    "InvalidResponseError",
    "InvalidReviewResultError",
    "JudgeOpinion",
    "JudgeStatus",
    "Lesson",
    "LessonGrouping",
    "LessonQuestion",
    "LoopHealth",
    "MaskError",
    "Memory",
    "MemoryChange",
    "MemoryHistory",
    "MemoryNeighbour",
    "MemoryResponse",
    "MemoryUse",
    "NotFoundError",
    "OutgoingSignal",
    "PermissionDeniedError",
    "Project",
    "QueueLease",
    "QueuedTrace",
    "RateLimitError",
    "ReflectClient",
    "ReflectError",
    "Retrieval",
    "Review",
    "ReviewOutcome",
    "ReviewQueue",
    "ReviewResponse",
    "RunEndedError",
    "Signal",
    "SignalSource",
    "Skill",
    "SkillResponse",
    "StoredMemory",
    "Trace",
    "TraceContext",
    "TraceCreateResponse",
    "TraceResponse",
    "TraceResult",
    "TraceReview",
    "TraceSubmission",
    "TruncatedResultWarning",
    "UnknownFieldError",
    "UnprocessableError",
    "Uplift",
    "WaitTimeoutError",
    "__version__",
    "copy_context",
    "current_trace",
    "from_deepagents",
    "from_openai_agents",
    "reflect_trace",
]

_MODULES = {
    "AsyncReflectClient": "async_client",
    "DeliveryCounters": "_delivery",
    "FlushResult": "_delivery",
    "OutgoingSignal": "_calls.signals",
    "ReflectClient": "client",
    "TraceContext": "tracing.context",
    "TraceResult": "tracing.result",
    "TraceReview": "_calls.reviews",
    "copy_context": "tracing.current",
    "current_trace": "tracing.current",
    "from_deepagents": "converters",
    "from_openai_agents": "converters",
    "reflect_trace": "tracing.decorator",
}


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    default = "errors" if name.endswith(("Error", "Warning")) else "models"
    module = _MODULES.get(name, default)
    value = getattr(importlib.import_module(f"{__name__}.{module}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
