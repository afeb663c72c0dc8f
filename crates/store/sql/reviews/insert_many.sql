-- Stores reviews. The unique index on live reviews refuses a second one for a run.
insert into review (project_id, review_id, trace_id, passed, feedback, alpha, mode, reviewer, authored, action_id,
                    learns_at, trust, created_at)
select $1, review_id, trace_id, passed, feedback, alpha, mode, reviewer, authored, action_id,
       now() + make_interval(secs => nullif(grace, 0)), trust, coalesce(reviewed_at, now())
from unnest($2::uuid[], $3::uuid[], $4::boolean[], $5::text[], $6::real[], $7::smallint[], $8::text[], $9::jsonb[],
            $10::uuid[], $11::float8[], $12::smallint[], $13::timestamptz[])
  as sent (review_id, trace_id, passed, feedback, alpha, mode, reviewer, authored, action_id, grace, trust, reviewed_at)
