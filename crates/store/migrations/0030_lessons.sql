-- One lesson, many situations (docs/adr/0060). A row of `memory` is a situation; a lesson is the set of situations with one
-- `lesson_id`. Tables and functions come first. The columns of tables in use follow in migrations of their own (0031 to 0036),
-- so each lock of such a table ends at once. Indexes are in crates/store/src/indexes.rs, and a step of maintenance groups what
-- exists.

-- Pairs of lessons that contradict each other and that evidence cannot decide. Ids only.
create table lesson_question (
  project_id int not null,
  question_id uuid not null,
  first_lesson uuid not null,              -- the older lesson
  second_lesson uuid not null,
  first_memory uuid not null,              -- the situations in which it was noticed
  second_memory uuid not null,
  similarity real not null,
  created_at timestamptz not null default now(),
  answer smallint check (answer between 0 and 3),   -- 0 first 1 second 2 both 3 same; null: open
  action_id uuid,                          -- the action of the answer; undoing it opens the question again
  answered_by text,
  answered_at timestamptz,
  primary key (project_id, question_id)
) partition by hash (project_id);
create unique index lesson_question_pair on lesson_question (project_id, first_lesson, second_lesson);
select split_by_project('lesson_question');
select guard_by_project('lesson_question');

-- Statistics of learning and the progress of the background grouping. One row per project, written after the memory.
create table learning_stat (
  project_id int not null,
  only_row smallint not null default 0 check (only_row = 0),   -- moving a project needs a key beside the project
  replayed int not null default 0,
  weight_scores real[] not null default '{}',       -- one per weight of rules/replay.rs
  use_found int[] not null default '{}',            -- similarities of used lessons, by bin (rules/inferred_use.rs)
  use_unused int[] not null default '{}',
  grouping smallint not null default 0 check (grouping between 0 and 3),  -- 0 waiting 1 running 2 done 3 reverted
  grouped_to uuid,                                   -- the last memory that was looked at
  grouped bigint not null default 0,                 -- how many memories were looked at
  to_group bigint not null default 0,                -- how many were not grouped when it began
  grouping_began timestamptz,
  grouping_action uuid,
  primary key (project_id, only_row)
) partition by hash (project_id);
select split_by_project('learning_stat', 'with (fillfactor = 70)');
select guard_by_project('learning_stat');

select take_no_samples(relname::text) from pg_class
where oid = 'lesson_question'::regclass
   or oid in (select inhrelid from pg_inherits where inhparent = 'lesson_question'::regclass);

-- The situation whose text is the text of a lesson: the founder, if it still belongs to it and may speak; else the oldest of a
-- trusted source; else the oldest with a text. Disabled, superseded and merged situations may speak; quarantined, retired,
-- deleted and erased ones may not while another can. A memory that was corroborated keeps the trust of its source. A session
-- plans it once, for any size of the project. The index `memory_stat_speaker` has the situations that may speak in this order.
create function lesson_speaker(project int, lesson uuid) returns uuid
language plpgsql stable strict
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  speaker uuid;
begin
  select s.memory_id into speaker from memory_stat s
  where s.project_id = project and s.memory_id = lesson and s.lesson_id = lesson
    and s.status in (1, 4, 5) and s.trust <> 0;
  if found then
    return speaker;
  end if;
  select s.memory_id into speaker from memory_stat s
  where s.project_id = project and s.lesson_id = lesson and s.status in (1, 4, 5)
  order by s.trust = 0, s.memory_id limit 1;
  if found then
    return speaker;
  end if;
  return (select s.memory_id from memory_stat s
          where s.project_id = project and s.lesson_id = lesson and s.status <> 3
          order by s.memory_id limit 1);
end $$;
