-- Creates the statistics of learning of a project that has none.
insert into learning_stat (project_id) values ($1) on conflict do nothing
