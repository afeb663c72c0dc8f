-- Records that the grouping begins and how many memories it has to look at ($2), if it waits.
insert into learning_stat as l (project_id, grouping, to_group, grouping_began) values ($1, 1, $2, now())
on conflict (project_id, only_row) do update
set grouping = 1, to_group = excluded.to_group, grouping_began = excluded.grouping_began
where l.grouping = 0
