-- The signals about a run, in the order in which they happened.
select s.signal_id, s.source, s.key_name, s.key_value, s.passed, s.score, s.occurred_at, s.created_at, s.comment, s.url, s.metadata,
       s.key_id, s.trust, s.by_token, m.blind
from signal_match m join signal s on s.project_id = m.project_id and s.signal_id = m.signal_id
where m.project_id = $1 and m.trace_id = $2
order by s.occurred_at, s.created_at, s.signal_id
limit 1000
