-- How the newest runs were linked to memories: by the client or by inference.
select count(*) filter (where recent.link > 0) as linked,
       count(*) filter (where recent.link = 3) as found_in_trajectory,
       count(*) filter (where recent.link = 4) as inferred
from (select link from trace
      where project_id = $1 and erased_at is null and trace_id >= uuid_at(now() - make_interval(days => $2))
      order by trace_id desc
      limit $3) recent
