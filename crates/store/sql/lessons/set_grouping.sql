-- Sets the state of the grouping. A new start (0) forgets how far it came.
insert into learning_stat as l (project_id, grouping) values ($1, $2)
on conflict (project_id, only_row) do update
set grouping = excluded.grouping,
    grouped_to = case when excluded.grouping = 0 then null else l.grouped_to end,
    grouping_action = case when excluded.grouping = 0 then null else l.grouping_action end
