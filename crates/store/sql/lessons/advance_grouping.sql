-- Records how far the grouping is, and how many more memories it has looked at ($5). The caller holds the lock.
update learning_stat
set grouping = $2, grouped_to = $3, grouping_action = $4, grouped = grouped + $5, grouping_began = coalesce(grouping_began, now())
where project_id = $1
