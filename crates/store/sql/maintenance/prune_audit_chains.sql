-- Removes links of expired audit entries, up to a signature that stays as the start of the chain.
select prune_audit_chains()
