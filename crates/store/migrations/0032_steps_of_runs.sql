-- The step of its run that a memory is about, from 0. Null: the whole run.
alter table memory add step smallint;
