-- New entries must come after imported ones. A sequence that is already higher stays. The margin exceeds what other
-- processes can use between reading and setting it.
select setval(ledger.sequence, ledger.least + 1000000)
from (values ('utility_event', $1::bigint), ('memory_change', $2::bigint)) as wanted (parent, least),
     lateral (select pg_get_serial_sequence(wanted.parent, 'seq')::regclass as sequence, wanted.least) as ledger
where ledger.least > coalesce(pg_sequence_last_value(ledger.sequence), 0)
