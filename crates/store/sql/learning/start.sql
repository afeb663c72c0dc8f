-- Marks a run as being learned from and returns it with its body and its draft. No row if nothing is left to learn: the
-- review changed, or another worker finished. Each table is reached by parameters only, so a kept plan reads one partition
-- of each.
update trace_state s set ingest = 1, attempts = s.attempts + 1, updated_at = now()
from trace t left join trace_body b on b.project_id = $1 and b.trace_id = $2
where s.project_id = $1 and s.trace_id = $2 and s.review_id = $3 and not s.reviewed
  and t.project_id = $1 and t.trace_id = $2
returning s.attempts, s.failures, t.task, t.final_response, t.metadata, t.reference_context, t.linked, t.used, t.key_id,
          t.trust, t.body_codec, t.body_length, t.body_digest, b.body, b.body_locator,
          (select nullif(d.reflection, 'null'::jsonb) from draft d where d.project_id = $1 and d.review_id = $3) as draft,
          (select d.relations from draft d where d.project_id = $1 and d.review_id = $3) as relations
