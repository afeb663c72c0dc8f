-- Whether the newest run of the project still has its texts. Retention handles runs in the order of their ids. A search for any
-- run with texts would read all rows without, and be a part of the measured cost.
select coalesce((select task <> '' from trace where project_id = $1 order by trace_id desc limit 1), false)
