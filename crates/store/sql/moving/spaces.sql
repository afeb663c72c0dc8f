-- The embedding spaces that any row of a project refers to.
with used as (
  select space_id from memory_vector where project_id = $1
  union select space_id from parked_vector where project_id = $1
  union select space_id from version_vector where project_id = $1
  union select space_id from retrieval where project_id = $1
  union select unnest(array[from_space, to_space]) from space_change where project_id = $1
  union select unnest(array_append(write_spaces, read_space)) from project where project_id = $1
)
select s.space_id, s.provider, s.model, s.revision, s.dimensions, s.key_text, s.similarity_threshold
from embedding_space s where s.space_id in (select space_id from used) order by s.space_id
