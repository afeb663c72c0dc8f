-- Continues a transaction with receipts of another project: sets the project for row-level security.
select set_config('reflect.project_id', $1::int::text, true)
