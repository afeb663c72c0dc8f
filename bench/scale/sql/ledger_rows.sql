-- Many entries of one memory in the ledger, of reviews that do not exist. Positions and credits count on after $3.
insert into utility_event (project_id, review_id, memory_id, seq, reward, alpha, used, expected, credited)
select $1::int, gen_random_uuid(), $2::uuid, $3::int + n, n % 2, 0.3, true, 0.5, $3::int + n
from generate_series(1, $4::int) n order by n
