-- Removes a member from one project.
delete from project_member where project_id = $1 and member_id = $2
