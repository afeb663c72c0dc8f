-- The ids of the memories that a selection describes, a page at a time. What is null is not asked about.
--
-- The order: 0 the newest first, 1 the highest utility, 2 the most evidence, 4 what did most harm and has evidence for
-- it, 3 what needs attention most. That is what waits for somebody to vouch for it, what did harm and has evidence for it, what reviews disagree about, and
-- what nobody was shown for a month.
with described as not materialized (
  select m.memory_id, m.origin, m.author_key, m.source_trace, m.created_at, m.task, m.summary, m.reflection, s.status, s.pinned,
         s.q, s.credit, s.evidence,
         -case $4::int
           when 1 then s.q
           when 2 then s.evidence
           when 4 then greatest(0, 0.5 - s.credit) * ln(1 + s.evidence)
           when 3 then case when s.status in (0, 1, 4) then
               (s.status = 0)::int + 2 * greatest(0, 0.5 - s.credit) * ln(1 + s.evidence)
               + case when s.reviews >= 4 then least(s.passes, s.reviews - s.passes)::float8 / s.reviews else 0 end
               + case when coalesce(s.last_used, m.created_at::date) < current_date - 30 then 0.25 else 0 end
             else 0 end
           else 0 end::float8 as place
  from memory m join memory_stat s on s.project_id = $1 and s.memory_id = m.memory_id
  where m.project_id = $1
), cursor as materialized (
  select place from described where memory_id = $2
)
select d.memory_id from described d
where ($2::uuid is null or d.place > (select place from cursor)
       or (d.place = (select place from cursor) and d.memory_id < $2))
  and ($5::uuid[] is null or d.memory_id = any($5))
  and ($6::smallint[] is null or d.status = any($6))
  and ($7::smallint[] is null or d.origin = any($7))
  and ($8::boolean is null or d.pinned = $8)
  and ($9::float8 is null or d.q < $9)
  and ($10::float8 is null or d.q > $10)
  and ($11::float8 is null or d.credit < $11)
  and ($12::float8 is null or d.credit > $12)
  and ($13::int is null or d.evidence >= $13)
  and ($14::uuid is null or d.author_key = $14)
  and ($15::uuid is null or d.source_trace = $15)
  and ($16::timestamptz is null or d.created_at >= $16)
  and ($17::timestamptz is null or d.created_at < $17)
  and ($18::text is null or position(lower($18) in lower(concat_ws(' ', d.task, d.summary, d.reflection))) > 0)
order by d.place, d.memory_id desc
limit $3
