-- Removes signals about runs that were deleted. Returns their ids.
delete from signal s using trace t
where s.project_id = $1 and s.signal_id = any($2::uuid[]) and not s.has_run
  and t.project_id = $1 and t.trace_id = s.trace_id and t.erased_at is not null
returning s.signal_id
