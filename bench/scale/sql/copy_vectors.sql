-- The vectors of memories.
copy memory_vector (project_id, space_id, memory_id, embedding) from stdin (format binary)
