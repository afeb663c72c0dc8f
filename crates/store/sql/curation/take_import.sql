-- Takes the key of an imported item for a new memory. No row: the item is a memory already.
insert into memory_import (project_id, import_key, memory_id, source)
values ($1, $2, $3, $4)
on conflict do nothing
returning memory_id
