-- Creates a member without roles in single projects. The name is unique.
insert into member (member_id, name, role, projects, created_by) values ($1, $2, $3, $4, $5)
