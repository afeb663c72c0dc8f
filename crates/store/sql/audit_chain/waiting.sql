-- The chains with entries that are not linked yet.
select distinct chain from audit_unchained order by chain limit 1000
