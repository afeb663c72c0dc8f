-- People, and how they come in. They sit before a browser and never hold an API key.
--
-- These tables stand outside row-level security, like keys: a session has to be found before anyone can say
-- whose it is. Links and sessions are kept as digests of 256 random bits, so what is read here opens nothing.

create table member (
  member_id uuid primary key,
  name text not null check (length(name) between 1 and 100),
  role smallint not null check (role between 0 and 3),      -- 0 admin 1 developer 2 reviewer 3 viewer
  -- Null means every project, also those that will be made later.
  projects int[],
  created_by text not null,
  created_at timestamptz not null default now(),
  disabled_at timestamptz
);
-- Reviews and the audit log name people by their name, so nobody gets one that was taken before.
create unique index member_name on member (lower(name));

-- Lets one person in, once. Without a member it is the link by which an installation gets its first one.
create table sign_in_link (
  digest bytea primary key check (length(digest) = 32),
  member_id uuid references member,
  created_by text not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz not null,
  used_at timestamptz
);
create index sign_in_link_member on sign_in_link (member_id);

create table session (
  -- What may be shown of it; the digest is of what the browser keeps.
  session_id uuid primary key,
  digest bytea not null unique check (length(digest) = 32),
  member_id uuid not null references member,
  user_agent text check (length(user_agent) <= 200),
  created_at timestamptz not null default now(),
  last_seen_at timestamptz not null default now(),
  expires_at timestamptz not null,
  revoked_at timestamptz
);
create index session_member on session (member_id);
