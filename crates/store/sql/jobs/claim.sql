-- Claims jobs for a worker: one of each lane in turn. Rows without a subject say where the claim ended.
select urgency, project_id, kind, subject, failures, missed from claim_jobs($1, $2, $3, $4, $5, $6, $7, $8)
