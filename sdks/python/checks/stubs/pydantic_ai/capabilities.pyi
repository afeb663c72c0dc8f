from typing import Generic, TypeVar

DepsT = TypeVar("DepsT")

class AbstractCapability(Generic[DepsT]): ...

class CapabilityOrdering:
    def __init__(self, *, position: str | None = None) -> None: ...
