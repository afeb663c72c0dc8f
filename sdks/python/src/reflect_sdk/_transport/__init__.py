"""How requests travel: pools of connections that a process, or an event loop, has once."""
