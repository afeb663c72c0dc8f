-- Makes the numbers of a memory agree with its entries in the ledger.
update memory_stat set reviews = reviews + $3::int, passes = passes + $3::int / 2, evidence = evidence + $3::int,
                       credited = credited + $3::int, entered = entered + $3::int
where project_id = $1 and memory_id = $2
