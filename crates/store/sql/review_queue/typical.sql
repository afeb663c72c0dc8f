-- The medians of the newest runs of this project. Numbers of the client are in the metadata, under the names used here.
with recent as materialized (
  select final_response, messages, metadata from trace
  where project_id = $1 and erased_at is null and trace_id < $2
  order by trace_id desc limit $3
), numbers as (
  select char_length(nullif(trim(final_response), ''))::float8 as answer, messages::float8 as messages,
         case when jsonb_typeof(metadata -> 'latency_ms') = 'number' then (metadata ->> 'latency_ms')::float8
              when jsonb_typeof(metadata -> 'duration_ms') = 'number' then (metadata ->> 'duration_ms')::float8
         end as latency,
         case when jsonb_typeof(metadata -> 'cost_usd') = 'number' then (metadata ->> 'cost_usd')::float8
              when jsonb_typeof(metadata -> 'cost') = 'number' then (metadata ->> 'cost')::float8
         end as cost
  from recent
)
select case when count(answer) >= $4 then percentile_cont(0.5) within group (order by answer) end as answer,
       case when count(messages) >= $4 then percentile_cont(0.5) within group (order by messages) end as messages,
       case when count(latency) >= $4 then percentile_cont(0.5) within group (order by latency) end as latency,
       case when count(cost) >= $4 then percentile_cont(0.5) within group (order by cost) end as cost
from numbers
