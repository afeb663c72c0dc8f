-- What a standby must have before a retrieval may read it: the end of the log, and the memories that were created a moment
-- ago. Their ids contain the time at which they were created; the interval allows for clocks that differ. Commits are
-- visible after their part of the log is flushed, unless synchronous_commit is off.
select pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint as position,
       array(select m.memory_id from memory m
             where m.project_id = $1 and m.memory_id >= uuid_at(now() - interval '5 minutes')
             order by m.memory_id desc limit 1000) as recent
