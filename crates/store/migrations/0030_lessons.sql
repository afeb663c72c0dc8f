-- One lesson, many situations (docs/adr/0060). A row of `memory` is a situation; a lesson is the set of situations with one
-- `lesson_id`. No statement reads or rewrites a large table; indexes are in crates/store/src/indexes.rs, and a step of
-- maintenance groups what exists.

-- All nullable: a pack of an earlier version has no value for them.
alter table memory_stat
  add lesson_id uuid,        -- the founder of its lesson; null: not grouped, the digest of the text decides
  add advice uuid,           -- what it advises (rules/lessons/advice.rs); null: not computed yet, or no text
  add superseded_by uuid,    -- the review that superseded it; only with presence 1
  add absorbed int;          -- how many situations are merged into it (presence 3); null is 0
-- The step of its run, from 0. Null: the whole run.
alter table memory add step smallint;
-- How `used` is known: 0 client 1 model 2 text.
alter table utility_event add used_by smallint;
-- The answer of a model about near lessons: {"<memory_id>": "same" | "contradicts" | "different"}.
alter table draft add relations jsonb;

alter table memory_change drop constraint memory_change_facet_check;
-- 0 presence 1 quarantined 2 pinned 3 text 4 halved 5 pooled 6 lesson
alter table memory_change add constraint memory_change_facet_check check (facet between 0 and 6) not valid;

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
  action_id uuid,                          -- the action of the answer, if it changed something
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
  grouping_action uuid,
  primary key (project_id, only_row)
) partition by hash (project_id);
select split_by_project('learning_stat', 'with (fillfactor = 70)');
select guard_by_project('learning_stat');

select take_no_samples(relname::text) from pg_class
where oid in ('draft'::regclass, 'lesson_question'::regclass)
   or oid in (select inhrelid from pg_inherits
              where inhparent in ('draft'::regclass, 'lesson_question'::regclass));

-- The situation whose text is the text of a lesson: the founder, if it still belongs to it and may speak; else the oldest of a
-- trusted source; else the oldest with a text. Disabled, superseded and merged situations may speak; quarantined, retired,
-- deleted and erased ones may not while another can. A session plans it once, for any size of the project.
create function lesson_speaker(project int, lesson uuid) returns uuid
language plpgsql stable strict
set enable_seqscan = off set plan_cache_mode = force_generic_plan
as $$
declare
  speaker uuid;
begin
  select s.memory_id into speaker from memory_stat s
  where s.project_id = project and s.memory_id = lesson and s.lesson_id = lesson
    and s.status in (1, 4, 5) and s.author_key is null;
  if found then
    return speaker;
  end if;
  select s.memory_id into speaker from memory_stat s
  where s.project_id = project and s.lesson_id = lesson and s.status in (1, 4, 5) and s.author_key is null
  order by s.memory_id limit 1;
  if found then
    return speaker;
  end if;
  return (select s.memory_id from memory_stat s
          where s.project_id = project and s.lesson_id = lesson and s.status <> 3
          order by (s.status in (1, 4, 5)) desc, s.memory_id limit 1);
end $$;
