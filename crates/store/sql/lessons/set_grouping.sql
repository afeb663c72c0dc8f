-- Sets the state of the grouping. A new start (0) looks at all memories again and continues the action, unless that was undone. A
-- grouping that was reverted is not done (2).
insert into learning_stat as l (project_id, grouping) values ($1, $2)
on conflict (project_id, only_row) do update
set grouping = excluded.grouping,
    grouped_to = case when excluded.grouping = 0 then null else l.grouped_to end,
    grouped = case when excluded.grouping = 0 then 0 else l.grouped end,
    grouping_began = case when excluded.grouping = 0 then null else l.grouping_began end,
    to_group = case when excluded.grouping = 0 then 0 else l.to_group end,
    grouping_action = case when excluded.grouping = 0 and exists (
      select from action a where a.project_id = $1 and a.action_id = l.grouping_action and a.undone_at is not null)
      then null else l.grouping_action end
where not (excluded.grouping = 2 and l.grouping = 3)
