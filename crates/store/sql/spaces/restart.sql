-- Restarts the pass over the memories, because some have no vector yet; it finds only those.
update space_change set state = 0, cursor = '00000000-0000-0000-0000-000000000000', updated_at = now()
where project_id = $1 and change_id = $2 and state in (0, 1)
