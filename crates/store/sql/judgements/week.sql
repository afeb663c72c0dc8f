-- What the judge of a project did in the last days.
select count(*) as judged, count(*) filter (where verdict = 1) as passed, count(*) filter (where verdict = 0) as failed,
       count(*) filter (where verdict = 2) as unclear, count(*) filter (where blind) as blind,
       count(applied_review) as applied
from judgement where project_id = $1 and created_at >= now() - make_interval(days => $2)
