-- The end of a chain, locked until it is extended. No row if another writer is extending it.
select sequence, hash from audit_chain where chain = $1 for update skip locked
