-- Stores the receipt of a retrieval whose texts came from a replica.
insert into retrieval (project_id, retrieval_id, key_id, space_id, task, task_digest, parameters,
                       memory_ids, similarities, utilities, served, degraded, embed_us, search_us, held_out, fates)
values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)
