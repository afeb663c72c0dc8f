-- Who may do what: roles per project, and limits of keys.

-- The key with which a key was created. A key does not outlive it: revoking a key revokes those below it. A rotated key
-- takes the place of the old one.
alter table api_key
  add parent_key uuid references api_key,
  -- The addresses from which the key works. Empty: all.
  add address_ranges cidr[] not null default '{}';
update api_key child set parent_key = parent.key_id
from api_key parent where child.created_by = 'key:' || parent.public_id;
create index api_key_parent on api_key (parent_key) where parent_key is not null;
-- Keys are revoked by creator, for example when a member is disabled.
create index api_key_creator on api_key (created_by);

-- The role of a member in one project. Role 1 was called developer and is now called maintainer.
--
-- Outside row-level security, like keys and members: a session is found before its project is known.
create table project_member (
  project_id int not null references project,
  member_id uuid not null references member,
  role smallint not null check (role between 0 and 3),      -- 0 admin 1 maintainer 2 reviewer 3 viewer
  created_by text not null,
  created_at timestamptz not null default now(),
  primary key (project_id, member_id)
);
create index project_member_member on project_member (member_id);

-- `member.role` now applies to members of every project only, those whose `projects` is null.
insert into project_member (project_id, member_id, role, created_by)
select project.project_id, member.member_id, member.role, member.created_by
from member join project on project.project_id = any(member.projects);

-- The roles of a member by project number, as one value.
create function member_roles(uuid) returns jsonb language sql stable as $$
  select coalesce(jsonb_object_agg(project_id, role), '{}'::jsonb) from project_member where member_id = $1
$$;
