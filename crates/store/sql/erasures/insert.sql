-- Stores a request to erase one run or one subject.
insert into erasure (project_id, erasure_id, trace_id, subject, keep_memories, requested_by)
values ($1, $2, $3, $4, $5, $6)
