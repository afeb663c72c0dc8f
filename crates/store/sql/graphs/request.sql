-- Decides that a project gets a graph. It is built later. Nothing if it has one.
insert into vector_graph (project_id, space_id, dimensions) values ($1, $2, $3) on conflict do nothing
