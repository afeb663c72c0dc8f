-- Records how far the grouping is. The caller holds the lock.
update learning_stat set grouping = $2, grouped_to = $3, grouping_action = $4 where project_id = $1
