-- How far a standby is, and how many of the given memories it does not have.
select pg_is_in_recovery() as is_standby,
       pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint as position,
       (select i.created_at from installation i) as installed_at,
       (select count(*) from unnest($2::uuid[]) as wanted (memory_id)
        where not exists (select from memory m
                          where m.project_id = $1 and m.memory_id = wanted.memory_id)) as missing
