-- Makes the first waiting delivery of each subject of an endpoint due. The caller holds the lock of the queue row.
update webhook_delivery d set next_at = now()
where d.project_id = $1 and d.endpoint_id = $2 and d.state = 0 and (d.next_at is null or d.next_at > now())
  and not exists (select from webhook_delivery e
                  where e.project_id = $1 and e.endpoint_id = $2 and e.subject = d.subject and e.state = 0
                    and e.position < d.position)
