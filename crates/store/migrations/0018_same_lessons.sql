-- Lessons with the same text: served and listed once, with the number of memories behind them.

-- The digest of a lesson, with all white space taken as one space. Case counts, because lessons contain code. Null for an
-- empty lesson, for example an erased one. SHA-256, so that no one can write a lesson that hides another one.
create function lesson_digest(lesson text) returns uuid
language sql immutable parallel safe as $$
  select case when words <> '' then encode(substr(sha256(convert_to(words, 'UTF8')), 1, 16), 'hex')::uuid end
  from (select btrim(regexp_replace(lesson, E'[ \t\n\r\f\v]+', ' ', 'g')) as words) as collapsed
$$;

-- Generated, so that it follows every insert, edit, undo, import and erasure, and is not part of a move.
alter table memory add lesson_digest uuid generated always as (lesson_digest(reflection)) stored;

-- Candidates of a search get their digest from this index, without a visit to the texts.
create unique index memory_digest on memory (project_id, memory_id) include (lesson_digest);
-- The memories with one text.
create index memory_same_lesson on memory (project_id, lesson_digest, memory_id) where lesson_digest is not null;

-- The utility of a memory under a ranking, as `reflect_rules::value` computes it. For lists, which sort and filter by it;
-- a test compares both.
create function memory_utility(q real, credit real, evidence int, untrusted boolean, learned boolean) returns real
language sql immutable parallel safe as $$
  select case
    when not learned then case when untrusted and evidence < 3 then least(q, 0.5::real) else q end
    when untrusted and evidence < 3 then least(credit, 0.5::real)
    else least(credit + 0.25 / sqrt(evidence + 1 / 0.3::float8), 1)::real end
$$;
