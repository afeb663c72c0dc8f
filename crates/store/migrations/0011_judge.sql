-- What a project's judge said of runs, so that people can see it, and so that it can be held against what they say.

-- One look of a judge at a run, kept the moment it was paid for. It becomes a review by a step of its own.
create table judgement (
  project_id int not null,
  trace_id uuid not null,
  verdict smallint not null check (verdict between 0 and 2),         -- 0 fail 1 pass 2 unclear
  feedback text,
  confidence real check (confidence between 0 and 1),
  -- The model, and a digest of what it was asked to look for: together they say which judge this was.
  model text not null,
  rubric_digest bytea not null check (length(rubric_digest) = 32),
  -- Kept from whoever reviews the run until they have, so that the two verdicts can be compared.
  blind boolean not null,
  applied_review uuid,
  input_tokens int not null default 0 check (input_tokens >= 0),
  output_tokens int not null default 0 check (output_tokens >= 0),
  created_at timestamptz not null default now(),
  primary key (project_id, trace_id),
  -- What nobody may see moves nothing, and neither does what nobody could tell.
  constraint only_open_verdicts_apply check (applied_review is null or (not blind and verdict < 2))
) partition by hash (project_id);
create index judgement_blind on judgement (project_id, trace_id) where blind;
create index judgement_at on judgement (project_id, created_at);
select split_by_project('judgement');
select guard_by_project('judgement');

-- How much of the day's spending was the judge's, which has a budget of its own within the project's.
alter table spending add judge_tokens bigint not null default 0 check (judge_tokens >= 0);
