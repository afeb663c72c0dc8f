-- The job queue, and the state of maintenance.
--
-- A lane is all jobs of one kind in one project. Workers take one job of each lane in turn, so a long lane does not delay
-- another. The cost of a claim does not depend on the number of lanes (ADR 0055). A job contains ids and no content. The table
-- is outside row-level security, like the catalogue: a worker has to find a job before it knows the project.
create table job (
  project_id int not null,
  -- 0 learn, 1 index, 2 erase, 10 judge, 20 reembed. A tenth of it is the urgency: lower numbers come first.
  kind smallint not null check (kind between 0 and 29),
  -- How often a worker has started it since it was queued.
  attempts smallint not null default 0,
  -- How many attempts failed, as the kind of job counts them.
  failures smallint not null default 0,
  -- When it is due.
  run_at timestamptz not null,
  -- Since when it is ready to be claimed; also the order within its lane. Null while it is delayed.
  ready_at timestamptz,
  -- When it has to run again, because it was queued again while it ran.
  again_at timestamptz,
  -- The claim of the worker: only the worker that made this claim can end the job.
  turn bigint,
  -- The review, the trace or the erasure. Nil for jobs about a whole project.
  subject uuid not null,
  -- The worker that runs it.
  worker uuid,
  last_error text,
  primary key (project_id, kind, subject)
)
-- A claim changes no indexed column, so it stays on its page if there is room. Dead rows make claims slower: vacuum often.
with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000,
      autovacuum_vacuum_cost_delay = 0, autovacuum_analyze_scale_factor = 0.1);
-- Waiting and running jobs, lane by lane.
create index job_lane on job ((kind / 10), project_id, kind, ready_at) where ready_at is not null;
create index job_delayed on job (run_at) where ready_at is null;

-- The processes that run jobs. Unlogged: the table is empty after a crash of the database server, and on a promoted standby. The
-- last claims and ends of jobs may be lost then. Each worker finds that its row is missing and takes another id, so that no job
-- stays with a living worker that does not know it.
create unlogged table job_worker (
  worker uuid primary key,
  -- The process id on its machine.
  process int not null,
  seen_at timestamptz not null default now(),
  -- Since when it counts as dead. It then has to take another id.
  dead_at timestamptz
) with (fillfactor = 50);

-- Claims at most `most` jobs: one of each lane in turn, beginning after the lane where the last claim of the same urgency ended.
-- A lane with as many running jobs as its limit is skipped. Two workers that claim at the same time see the same first job of a
-- lane and only one of them gets it, so a limit holds without a lock, unless an earlier job becomes visible between the two.
--
-- Also returns one row without a subject for each urgency: the lane where the claim ended, and how many jobs others took or held.
create function claim_jobs(holder uuid, turn_number bigint, most int, last_urgency int, from_project int[], from_kind int[],
                           learning_limit int, judging_limit int)
returns table (urgency smallint, project_id int, kind smallint, subject uuid, failures smallint, missed int)
language plpgsql
-- The statistics of a queue are always old. Only the index gives the order without a sort.
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
as $$
declare
  -- The running jobs of a lane come first, or nearly so. A page shows all of them and the next ones.
  page_size constant int := greatest(learning_limit, judging_limit) + 16;
  longest_walk constant int := 50;
  lane record;
  at_project int;
  at_kind smallint;
  picked tid[];
  visited int;
  pages int;
  claimed int;
  lost int;
  progressed boolean;
begin
  for level in 0 .. last_urgency loop
    exit when most <= 0;
    -- A long job of the lowest urgency must not keep several learners of one process busy.
    if level = 2 then most := 1; end if;
    at_project := from_project[level + 1];
    at_kind := from_kind[level + 1];
    progressed := true;
    pages := 0;
    lost := 0;
    while most > 0 and pages < longest_walk loop
      pages := pages + 1;
      visited := 0;
      picked := '{}';
      for lane in
        select page.project_id, page.kind, count(page.worker) as running,
               (array_agg(page.place) filter (where page.worker is null))[1] as waiting,
               row_number() over (order by page.project_id, page.kind) as number,
               count(*) over () as lanes, sum(count(*)) over () as jobs
        from (select j.project_id, j.kind, j.worker, j.ctid as place from job j
              where j.ready_at is not null and j.kind / 10 = level and (j.project_id, j.kind) > (at_project, at_kind)
              order by j.kind / 10, j.project_id, j.kind, j.ready_at
              limit page_size) as page
        group by page.project_id, page.kind
        order by page.project_id, page.kind
      loop
        exit when cardinality(picked) >= most;
        -- The last lane of a full page may be cut off. The next page begins with it.
        exit when lane.jobs = page_size and lane.number = lane.lanes and lane.number > 1;
        visited := visited + 1;
        at_project := lane.project_id;
        at_kind := lane.kind;
        continue when lane.waiting is null;
        continue when lane.running >= case lane.kind when 0 then learning_limit when 10 then judging_limit else 1 end;
        picked := picked || lane.waiting;
      end loop;
      if visited = 0 then
        -- If others claim in the same lanes, let them commit before the next attempt.
        exit when not progressed or lost > 0;
        progressed := false;
        at_project := 0;
        at_kind := -1;
        continue;
      end if;
      continue when picked = '{}';
      return query
        -- The number of attempts must not overflow: the error would stop the claims of all projects.
        update job j set worker = holder, turn = turn_number, attempts = least(j.attempts, 32000) + 1
        from (select c.ctid as place from job c where c.ctid = any (picked) and c.worker is null for update skip locked) as free
        where j.ctid = free.place
        returning level::smallint, j.project_id, j.kind, j.subject, j.failures, 0;
      get diagnostics claimed = row_count;
      progressed := progressed or claimed > 0;
      lost := lost + cardinality(picked) - claimed;
      most := most - claimed;
    end loop;
    return query select level::smallint, at_project, at_kind, null::uuid, 0::smallint, lost;
  end loop;
end $$;

-- Returns the jobs of dead workers to the queue, first in their lane, and says how many. A worker is checked a second time one
-- minute later: it may have claimed jobs at the moment when it was marked.
create function recover_jobs(dead_after float8) returns bigint
language plpgsql as $$
declare
  dead uuid[];
  recovered bigint := 0;
begin
  with late as (
    select w.worker from job_worker w
    where w.dead_at is null and w.seen_at < now() - make_interval(secs => dead_after)
    for update skip locked
  ), marked as (
    update job_worker w set dead_at = now() from late where w.worker = late.worker returning w.worker
  ), old as (
    select w.worker from job_worker w where w.dead_at < now() - interval '1 minute' for update skip locked
  ), removed as (
    delete from job_worker w using old where w.worker = old.worker returning w.worker
  )
  select array_agg(gone.worker) into dead from (select worker from marked union all select worker from removed) as gone;
  if dead is not null then
    recovered := release_jobs(dead);
  end if;
  return recovered;
end $$;

-- Releases all jobs of these workers. A job that was queued again while it ran waits until that time. A job that has interrupted
-- its worker three times waits longer each time, because it may be the cause.
create function release_jobs(holders uuid[]) returns bigint
language plpgsql as $$
declare
  released bigint;
begin
  update job j
  set worker = null, turn = null, again_at = null, last_error = 'the worker was interrupted',
      run_at = case when j.again_at is not null then j.again_at
                    when j.attempts >= 3 then now() + make_interval(secs => least(2 ^ least(j.attempts, 10), 300))
                    else j.run_at end,
      ready_at = case when j.again_at is null and j.attempts < 3 then j.ready_at end
  where j.worker = any (holders);
  get diagnostics released = row_count;
  return released;
end $$;

-- Moves the jobs of the earlier queue, whose tables were those of a library, and says how many. Jobs that a running process of an
-- earlier version holds stay there. Called by this migration, and by maintenance until that version is gone.
create function adopt_earlier_jobs() returns bigint
language plpgsql as $$
declare
  adopted bigint := 0;
begin
  if to_regclass('reflect_jobs._private_jobs') is null or to_regclass('reflect_jobs._private_workers') is null then
    return 0;
  end if;
  execute $move$
    with taken as (
      delete from reflect_jobs._private_jobs j using reflect_jobs._private_tasks t
      where t.id = j.task_id and t.identifier in ('learn', 'place', 'erase', 'judge', 'reembed')
        and (j.locked_at is null
             or not exists (select from reflect_jobs._private_workers w
                            where w.id = j.locked_by and w.last_heartbeat_at > now() - interval '1 minute'))
      returning t.identifier, j.payload, j.run_at, j.key, j.attempts >= j.max_attempts as spent
    ), known as (
      select distinct on (1, 2, 3)
             (payload ->> 'project_id')::int as project_id,
             case identifier when 'learn' then 0 when 'place' then 1 when 'erase' then 2 when 'judge' then 10 else 20 end as kind,
             coalesce(payload ->> 'review_id', payload ->> 'erasure_id', payload ->> 'trace_id',
                      '00000000-0000-0000-0000-000000000000')::uuid as subject,
             run_at, coalesce((payload ->> 'failures')::smallint, 0::smallint) as failures
      from taken
      -- A job without a key and without attempts was replaced by a later one.
      where not (spent and key is null)
      order by 1, 2, 3, run_at
    )
    insert into job (project_id, kind, subject, failures, run_at, ready_at)
    select project_id, kind, subject, failures, run_at, case when run_at <= now() then now() end from known
    on conflict do nothing
  $move$;
  get diagnostics adopted = row_count;
  return adopted;
end $$;
select adopt_earlier_jobs();

-- The steps of maintenance: how far the current cycle is, and when a cycle last ended without an error.
create table maintenance_step (
  step text primary key,
  -- The last project that the cycle has visited. 0 between two cycles.
  visited_project int not null default 0,
  -- How many seconds the cycle has worked, and in how many projects it failed.
  worked float8 not null default 0,
  failed_projects int not null default 0,
  last_error text,
  ended_at timestamptz,
  succeeded_at timestamptz,
  created_at timestamptz not null default now()
);
