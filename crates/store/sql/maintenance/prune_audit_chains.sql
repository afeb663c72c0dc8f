-- Removes links of expired audit entries in some chains after a number, up to a signature that stays as the start of the chain.
select last_chain, is_complete from prune_audit_chains($1)
