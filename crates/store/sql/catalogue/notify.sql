-- Notifies every process of this database of a change: topics and ids, never content.
select count(pg_notify('reflect_news', said.news)) from unnest($1::text[]) as said (news)
