-- What was last announced about a project. Creates and locks the row, so that a change is announced by one process.
insert into announced_state (project_id, about, state) values ($1, $2, 'null')
on conflict (project_id, about) do update set about = excluded.about
returning state
