-- Results of the last reviews of a project, without the one that is being learned from.
select count(*), count(*) filter (where passed)
from (select passed from review
      where project_id = $1 and review_id <> $3 and superseded_by is null and withdrawn_at is null
      order by review_id desc limit $2) as recent
