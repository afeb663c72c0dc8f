-- The members with a role in a project: in every project, or in this one. Oldest first, with their last activity.
select m.member_id, m.name, m.role, m.projects, member_roles(m.member_id) as project_roles, m.created_by, m.created_at,
       m.disabled_at, (select max(s.last_seen_at) from session s where s.member_id = m.member_id) as last_seen_at
from member m
where m.projects is null
   or exists (select from project_member p where p.project_id = $1 and p.member_id = m.member_id)
order by m.member_id
