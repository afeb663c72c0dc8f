-- Stores the results of attempts. A delivery that another process has ended stays as it is. Returns the subjects of those that
-- ended now.
with sent as (
  select * from unnest($3::uuid[], $4::smallint[], $5::float8[], $6::jsonb[]) as given (delivery_id, state, delay, attempt)
), changed as (
  update webhook_delivery d
  set state = sent.state, attempts = d.attempts || sent.attempt,
      next_at = case when sent.state = 0 then now() + make_interval(secs => sent.delay) end,
      finished_at = case when sent.state <> 0 then now() end
  from sent
  where d.project_id = $1 and d.endpoint_id = $2 and d.delivery_id = sent.delivery_id and d.state = 0
  returning d.subject, d.state
)
select subject from changed where state <> 0
