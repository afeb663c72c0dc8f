-- Whether rows that were read before still have the same versions, without reading them again.
select row_count, version_sum
from versions_to_move(parent => $2, project_id => $1, after => $3::jsonb, upto => $4::jsonb)
