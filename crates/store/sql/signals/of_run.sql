-- The signals about a run, in the order in which they happened. Those of trusted keys first if there are too many.
select signal_id, source, key_name, key_value, passed, score, occurred_at, created_at, comment, url, metadata, key_id, trust, by_token,
       bounded, blind
from (select s.signal_id, s.source, s.key_name, s.key_value, s.passed, s.score, s.occurred_at, s.created_at, s.comment, s.url,
             s.metadata, s.key_id, s.trust, s.by_token, s.bounded, m.blind
      from signal_match m join signal s on s.project_id = m.project_id and s.signal_id = m.signal_id
      where m.project_id = $1 and m.trace_id = $2
      order by s.trust = 0, s.occurred_at desc, s.created_at desc, s.signal_id desc
      limit 2000) latest
order by occurred_at, created_at, signal_id
