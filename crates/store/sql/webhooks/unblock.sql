-- Makes the next delivery of each of these subjects due.
update webhook_delivery d set next_at = now()
where d.project_id = $1 and d.next_at is null and d.state = 0 and d.delivery_id in (
  select distinct on (w.subject) w.delivery_id from webhook_delivery w
  where w.project_id = $1 and w.endpoint_id = $2 and w.subject = any($3::text[]) and w.state = 0
  order by w.subject, w.position)
