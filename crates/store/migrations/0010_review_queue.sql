-- Who is looking at which run, what was put off, and when learning from a review begins.

-- Runs that somebody is reviewing now or has put off. Sparse: most runs that wait for a verdict have no row here,
-- and one that got its verdict has none either. All times are the database's, so that no two processes disagree
-- about when a lease ends.
create table queue_entry (
  project_id int not null,
  trace_id uuid not null,
  lease_holder text,
  leased_until timestamptz,
  deferred_until timestamptz,
  deferred_by text,
  deferred_note text,
  primary key (project_id, trace_id),
  constraint lease_is_whole check ((lease_holder is null) = (leased_until is null)),
  constraint deferral_is_whole check ((deferred_by is null) = (deferred_until is null)),
  constraint note_has_deferral check (deferred_note is null or deferred_until is not null)
) partition by hash (project_id);
select split_by_project('queue_entry', 'with (fillfactor = 70)');
select guard_by_project('queue_entry');

-- When learning from a review may begin, where its reviewer asked for time to change their mind. Null: at once.
alter table review add learns_at timestamptz;
