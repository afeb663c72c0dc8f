-- Removes all versions of skills written from erased memories, and the stored answers with them.
with gone as (
  delete from skill where project_id = $1 and memory_ids && $2 returning created_at
), answers as (
  delete from idempotency i using gone where i.project_id = $1 and i.created_at = gone.created_at and i.answer ? 'content'
)
select created_at from gone
