-- Optional encryption of bodies and feedback. Each project has one random data key, encrypted ("wrapped") with a key that
-- is not in the database. Encrypted values describe themselves, so plain and encrypted rows exist side by side.
--
-- Outside of row-level security, like API keys: the server checks at start that it has the keys of all projects, and a
-- rotation works across projects. A wrapped key is of no use without the key outside of the database.
create table project_data_key (
  project_id int primary key references project,
  -- Which key wraps it: the first 8 bytes of a digest of that key, in hexadecimal.
  key_id text not null check (length(key_id) = 16),
  -- Format version, nonce, encrypted key, tag.
  wrapped bytea not null check (length(wrapped) = 61),
  created_at timestamptz not null default now(),
  wrapped_at timestamptz not null default now()
);
