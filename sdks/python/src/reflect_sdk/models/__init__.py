"""The server's responses as frozen dataclasses.

Each class has two published names: `Memory` and `MemoryResponse` are the same class.
"""

from reflect_sdk.models.care import Action, Erasure, MemoryChange, MemoryHistory, MemoryNeighbour, MemoryUse
from reflect_sdk.models.lesson import Lesson, LessonGrouping, LessonQuestion
from reflect_sdk.models.memory import AugmentedTask, Memory, Retrieval, Skill, StoredMemory
from reflect_sdk.models.project import (
    ApiKeyInfo,
    BootstrapInfo,
    CreatedApiKey,
    DeletedProject,
    HealthCheck,
    LoopHealth,
    Project,
    Uplift,
)
from reflect_sdk.models.queue import (
    BulkReview,
    DeferredTrace,
    JudgeOpinion,
    JudgeStatus,
    QueuedTrace,
    QueueLease,
    ReviewQueue,
)
from reflect_sdk.models.signal import AcceptedSignal, FeedbackToken, Signal, SignalSource
from reflect_sdk.models.trace import DeletedTraces, Review, ReviewOutcome, Trace, TraceSubmission

MemoryResponse = Memory
TraceResponse = Trace
TraceCreateResponse = TraceSubmission
ReviewResponse = Review
SkillResponse = Skill
ApiKeyResponse = ApiKeyInfo
ApiKeyCreateResponse = CreatedApiKey
BootstrapResponse = BootstrapInfo

__all__ = [
    "AcceptedSignal",
    "Action",
    "ApiKeyCreateResponse",
    "ApiKeyInfo",
    "ApiKeyResponse",
    "AugmentedTask",
    "BootstrapInfo",
    "BootstrapResponse",
    "BulkReview",
    "CreatedApiKey",
    "DeferredTrace",
    "DeletedProject",
    "DeletedTraces",
    "Erasure",
    "FeedbackToken",
    "HealthCheck",
    "JudgeOpinion",
    "JudgeStatus",
    "Lesson",
    "LessonGrouping",
    "LessonQuestion",
    "LoopHealth",
    "Memory",
    "MemoryChange",
    "MemoryHistory",
    "MemoryNeighbour",
    "MemoryResponse",
    "MemoryUse",
    "Project",
    "QueueLease",
    "QueuedTrace",
    "Retrieval",
    "Review",
    "ReviewOutcome",
    "ReviewQueue",
    "ReviewResponse",
    "Signal",
    "SignalSource",
    "Skill",
    "SkillResponse",
    "StoredMemory",
    "Trace",
    "TraceCreateResponse",
    "TraceResponse",
    "TraceSubmission",
    "Uplift",
]
