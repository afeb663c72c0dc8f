-- Sign-in with an identity provider (OpenID Connect).
--
-- Issuer and subject identify a person; an e-mail address can be given to another person later. These rows are outside
-- row-level security, like members: they are read before a session exists.
create table member_identity (
  issuer text not null check (length(issuer) between 1 and 500),
  subject text not null check (length(subject) between 1 and 255),
  member_id uuid not null references member,
  created_by text not null,
  created_at timestamptz not null default now(),
  last_sign_in_at timestamptz,
  -- Since when the provider gives the person no role. The member is disabled then, and a later sign-in that gives a role
  -- enables the member again. A member that an admin disabled has no time here and stays disabled.
  removed_at timestamptz,
  primary key (issuer, subject)
);
create index member_identity_member on member_identity (member_id);

alter table session
  -- The name of the provider in the configuration. Null: a sign-in link.
  add provider text check (length(provider) <= 40),
  -- The ID token, which some providers need to end their own session. It gives no access to Reflect.
  add id_token text check (length(id_token) <= 6000);
