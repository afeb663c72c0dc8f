-- The signatures of a chain, oldest first.
select chain, sequence, hash, signed_at, key_id, signature from audit_head where chain = $1 order by sequence
