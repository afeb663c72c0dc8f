"""An agent that refunds orders: a run that fails, what was wrong with it, and a run that does better."""

from __future__ import annotations

from typing import Any

FAILED_TASK = "Refund order 1182, whose parcel arrived broken"
FAILED_RUN: list[dict[str, Any]] = [
    {"role": "user", "content": FAILED_TASK},
    {
        "role": "assistant",
        "content": "I pay the refund.",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "pay_refund", "arguments": '{"order": 1182, "amount": 240.00}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "name": "pay_refund", "content": '{"status": "paid"}'},
    {"role": "assistant", "content": "The refund of 240.00 is on its way."},
]
FEEDBACK = "The order cost 24.00, not 240.00. Look the price up with find_order before a refund is paid."

# Other words for the same kind of work, and work of another kind.
SIMILAR_TASK = "A customer wants the money back for order 2291, which was damaged in the mail"
UNRELATED_TASK = "Write a haiku about the first snow in the mountains"

BETTER_RUN: list[dict[str, Any]] = [
    {"role": "user", "content": SIMILAR_TASK},
    {
        "role": "assistant",
        "content": "I look the order up first.",
        "tool_calls": [
            {
                "id": "c1",
                "type": "function",
                "function": {"name": "find_order", "arguments": '{"order": 2291}'},
            }
        ],
    },
    {"role": "tool", "tool_call_id": "c1", "name": "find_order", "content": '{"price": 18.50}'},
    {"role": "assistant", "content": "The order cost 18.50, and 18.50 is on its way."},
]
