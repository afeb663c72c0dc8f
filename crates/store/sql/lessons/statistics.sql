-- The statistics of learning, and how far the grouping of earlier memories is.
select l.replayed, l.weight_scores, l.use_found, l.use_unused, l.grouping, l.grouped_to, l.grouping_action,
       a.created_at as grouping_since
from learning_stat l
left join action a on a.project_id = $1 and a.action_id = l.grouping_action
where l.project_id = $1
