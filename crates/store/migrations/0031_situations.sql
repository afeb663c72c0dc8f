-- A memory as a situation of a lesson. All nullable: a pack of an earlier version has no value for them.
alter table memory_stat
  add lesson_id uuid,        -- its lesson, mostly the id of the founder; null: not grouped, the digest of the text decides
  add advice uuid,           -- what it advises (rules/lessons/advice.rs); null: not computed yet, or no text
  add superseded_by uuid,    -- the review that superseded it; only with presence 1
  add absorbed int;          -- how many situations are merged into it (presence 3); null is 0
