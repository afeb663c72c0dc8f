-- Which lesson a memory belongs to is a facet of the curation ledger.
alter table memory_change drop constraint memory_change_facet_check;
-- 0 presence 1 quarantined 2 pinned 3 text 4 halved 5 pooled 6 lesson
alter table memory_change add constraint memory_change_facet_check check (facet between 0 and 6) not valid;
