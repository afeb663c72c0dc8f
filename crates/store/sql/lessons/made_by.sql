-- The memories that a review created: that of its run, and those of its steps. Steps of earlier reviews are retired.
select m.memory_id from memory m where m.project_id = $1 and m.source_review = $2
union all
select m.memory_id
from memory m join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id and not s.retired
where m.project_id = $1 and m.step is not null and m.source_review is null
  and m.source_trace = (select r.trace_id from review r where r.project_id = $1 and r.review_id = $2)
