-- The ends of chains without a signature.
select chain, sequence, hash from audit_chain where signed < sequence order by chain limit 1000
