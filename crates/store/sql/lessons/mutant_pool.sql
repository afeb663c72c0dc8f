-- A defect for fault runs: situations of one lesson share their credit.
update memory_stat s set credit = pooled.credit, evidence = pooled.evidence
from (select o.lesson_id, avg(o.credit)::real as credit, max(o.evidence) as evidence from memory_stat o
      where o.project_id = $1 and o.lesson_id = any($2) group by o.lesson_id) pooled
where s.project_id = $1 and s.lesson_id = pooled.lesson_id
