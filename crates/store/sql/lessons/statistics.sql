-- The statistics of learning, and how far the grouping of earlier memories is.
select l.replayed, l.weight_scores, l.use_found, l.use_unused, l.grouping, l.grouped, l.to_group,
       l.grouping_action, l.grouping_began as grouping_since
from learning_stat l
where l.project_id = $1
