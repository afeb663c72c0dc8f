-- Appends links after the last one, in the order of the arrays.
insert into audit_link (chain, sequence, audit_id, entry_hash, hash)
select $1::int, $2::bigint + n, audit_id, entry_hash, hash
from unnest($3::uuid[], $4::bytea[], $5::bytea[]) with ordinality as given (audit_id, entry_hash, hash, n)
