"""Converts runs of agent frameworks to trajectories.

The functions do not import the frameworks: they read the attributes that an object has.

    trajectory = from_openai_agents(await Runner.run(agent, task))
    trajectory = from_deepagents(agent.invoke({"messages": [{"role": "user", "content": task}]}))
    client.create_trace(task=task, trajectory=trajectory, review_result="pass")
"""

from __future__ import annotations

from reflect_sdk.converters.deepagents import from_deepagents
from reflect_sdk.converters.openai_agents import from_openai_agents

__all__ = ["from_deepagents", "from_openai_agents"]
