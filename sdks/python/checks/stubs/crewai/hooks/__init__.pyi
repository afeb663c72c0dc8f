from collections.abc import Callable
from typing import Any

def register_before_llm_call_hook(hook: Callable[[Any], bool | None]) -> None: ...
