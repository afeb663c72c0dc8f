-- Stores the vote of a feedback token. A later vote of the token replaces the earlier one. Returns the id of the signal; no row if
-- the project was deleted.
insert into signal (project_id, signal_id, source, trace_id, passed, score, occurred_at, comment, key_id, trust, by_token, bounded,
                    once, matching, subject)
select project_id, $2, $3, $4, $5, $6, now(), $7, $8, $9, true, $10, $11, 0, signal_subject('trace_id', $4::uuid::text)
from project where project_id = $1 and deleted_at is null
on conflict (project_id, once) where once is not null do update
set passed = excluded.passed, score = excluded.score, comment = excluded.comment, occurred_at = excluded.occurred_at,
    changes = signal.changes + 1
returning signal_id
