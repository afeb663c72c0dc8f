-- The texts of memories.
copy memory (project_id, memory_id, origin, task, reflection, summary, guidance, success, metadata) from stdin
