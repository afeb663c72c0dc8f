-- Sets the roles of a member in single projects. Projects that are deleted are left out.
insert into project_member (project_id, member_id, role, created_by)
select sent.project_id, $1, sent.role, $4
from unnest($2::int[], $3::smallint[]) as sent (project_id, role)
join project p on p.project_id = sent.project_id and p.deleted_at is null
on conflict (project_id, member_id) do update set role = excluded.role, created_by = excluded.created_by
