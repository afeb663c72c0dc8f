-- Removes runs with their reviews. The ledger keeps its numbers, and memories from these runs stay.
with gone as (
  delete from trace where project_id = $1 and trace_id = any($2) returning trace_id
), bodies as (
  delete from trace_body where project_id = $1 and trace_id = any($2)
), states as (
  delete from trace_state where project_id = $1 and trace_id = any($2) returning trace_id
), entries as (
  -- After the states: the common lock order.
  delete from queue_entry where project_id = $1 and trace_id in (select trace_id from states)
), reviews as (
  delete from review where project_id = $1 and trace_id = any($2) returning review_id
), judgements as (
  delete from judgement where project_id = $1 and trace_id = any($2)
), drafts as (
  delete from draft where project_id = $1 and review_id in (select review_id from reviews)
)
select trace_id from gone order by trace_id
