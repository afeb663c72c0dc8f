-- Tells every process of this database what changed: topics and ids, never content.
select count(pg_notify('reflect_news', said.news)) from unnest($1::text[]) as said (news)
