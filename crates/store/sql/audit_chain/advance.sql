-- Moves the end of a chain.
update audit_chain set sequence = $2, hash = $3 where chain = $1
