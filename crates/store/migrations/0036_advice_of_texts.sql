-- What an earlier text of a memory advised, so that going back to it restores that. Null: not computed.
alter table memory_version add advice uuid;
