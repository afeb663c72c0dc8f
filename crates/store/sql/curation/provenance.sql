-- The source of a memory: run, review, import and key. Old runs may be missing. A step of a run has the review of the run's first memory.
with source as materialized (
  select m.source_trace, m.author_key, coalesce(m.source_review, (
    select f.source_review from memory f
    where m.step is not null and f.project_id = $1 and f.source_trace = m.source_trace and f.source_review is not null
      and f.memory_id < m.memory_id
    order by f.memory_id desc limit 1)) as source_review
  from memory m where m.project_id = $1 and m.memory_id = $2
)
select t.task, least(t.created_at, uuid_time(t.trace_id)) as ran_at, r.passed, r.review_id, r.feedback, r.reviewer, r.created_at as reviewed_at,
       r.superseded_by is null and r.withdrawn_at is null as live, k.public_id, k.label,
       i.import_key, i.source as import_source
from source m
left join trace t on t.project_id = $1 and t.trace_id = m.source_trace and t.erased_at is null
left join review r on r.project_id = $1 and r.review_id = m.source_review
left join memory_import i on i.project_id = $1 and i.memory_id = $2
left join api_key k on k.key_id = m.author_key and (k.project_id = $1 or k.project_id is null)
