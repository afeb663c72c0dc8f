-- Sets the role in every project, or that the member has roles in single projects only. Removes the latter.
with removed as (delete from project_member where member_id = $1)
update member set role = $2, projects = $3 where member_id = $1
