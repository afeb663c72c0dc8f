-- The planner keeps samples of values, also of such that are gone, until it takes new ones.
analyze trace, trace_body, trace_state, review, draft, memory, memory_vector, parked_vector, skill, retrieval, idempotency, erasure
