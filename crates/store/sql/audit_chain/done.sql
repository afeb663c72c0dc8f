-- Removes entries that are linked from those that wait.
delete from audit_unchained where chain = $1 and audit_id = any ($2)
