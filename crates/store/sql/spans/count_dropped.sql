-- Counts the spans that a run did not take because it is too large.
update otlp_run r set dropped = r.dropped + given.spans
from unnest($2::uuid[], $3::int[]) as given (otlp_id, spans)
where r.project_id = $1 and r.otlp_id = any($2::uuid[]) and r.otlp_id = given.otlp_id
