-- Every chain: its last link, and how many entries wait.
select c.chain, c.sequence, (select count(*) from audit_unchained u where u.chain = c.chain) as waiting
from audit_chain c
union all
select u.chain, 0, count(*) from audit_unchained u
where not exists (select from audit_chain c where c.chain = u.chain) group by u.chain
order by 1
