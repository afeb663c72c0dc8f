-- Whether background work that changes how a project is served has finished, such as building an index or a checkpoint. No
-- such work exists yet. A part of the product that adds it also says here how to see its end.
select exists (select from project where project_id = $1)
