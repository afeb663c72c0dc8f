-- The answer of a model about near lessons: {"<memory_id>": "same" | "contradicts" | "different"}.
alter table draft add relations jsonb;

select take_no_samples(relname::text) from pg_class
where oid = 'draft'::regclass or oid in (select inhrelid from pg_inherits where inhparent = 'draft'::regclass);
