-- Stores a verdict. The unique index on live reviews refuses a second one.
insert into review (project_id, review_id, trace_id, passed, feedback, alpha, mode, reviewer, authored)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
