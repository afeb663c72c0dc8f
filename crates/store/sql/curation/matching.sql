-- The ids of the memories that match a selection, one page at a time. A null parameter is not a condition.
--
-- Order: 0 newest first, 1 highest utility, 2 most evidence, 3 needs attention (in quarantine, harmful with evidence,
-- disputed by reviews, or not served for a month), 4 most harmful with evidence.
--
-- With $21, memories with the same lesson and status appear once: the first of them in this order. Pinned ones always appear.
-- With $24, each lesson appears once, whatever the status. The lesson of a memory that is not grouped is its text. In the order
-- by age, which reads no more rows than a page needs, that is a lookup in an index per row (`offset 0` keeps it one;
-- `situation_id` is the id as the index of lessons has it). The other orders read and sort the whole selection anyway, so they
-- number the memories of each lesson. Neither depends on the cursor, so pages stay complete.
--
-- A text ($18) is searched in the own words of a memory and in those that it shows, which are the words of its lesson's speaker,
-- mostly the founder. These are looked up by key for the rows that a page visits, so it does not read the project.
-- All memories of one lesson show the same words, so whether a newer one is selected needs no second look at the speaker.
with described as not materialized (
  select m.memory_id, m.origin, m.author_key, m.source_trace, m.created_at, m.task, m.summary, m.reflection,
         m.lesson_digest, s.memory_id as situation_id, s.lesson_id, s.superseded_by, s.status, s.pinned, s.credit, s.evidence,
         memory_utility(s.q, s.credit, s.evidence, s.author_key is not null and s.source_trace is not null, $19) as utility,
         -case $4::int
           when 1 then
             memory_utility(s.q, s.credit, s.evidence, s.author_key is not null and s.source_trace is not null, $19)
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
), allowed as not materialized (
  select d.memory_id, d.situation_id, d.lesson_id, d.lesson_digest, d.status, d.pinned, d.place,
         $18::text is null or position(lower($18) in lower(concat_ws(' ', d.task, d.summary, d.reflection))) > 0 as has_text
  from described d
  where ($5::uuid[] is null or d.memory_id = any($5))
    and ($6::smallint[] is null or d.status = any($6))
    and ($7::smallint[] is null or d.origin = any($7))
    and ($8::boolean is null or d.pinned = $8)
    and ($9::float8 is null or d.utility < $9)
    and ($10::float8 is null or d.utility > $10)
    and ($11::float8 is null or d.credit < $11)
    and ($12::float8 is null or d.credit > $12)
    and ($13::int is null or d.evidence >= $13)
    and ($14::uuid is null or d.author_key = $14)
    and ($15::uuid is null or d.source_trace = $15)
    and ($16::timestamptz is null or d.created_at >= $16)
    and ($17::timestamptz is null or d.created_at < $17)
    and ($20::uuid is null or d.memory_id in (
      select o.memory_id from memory_stat o
      where o.project_id = $1 and o.lesson_id is not null
        and o.lesson_id = (select n.lesson_id from memory_stat n where n.project_id = $1 and n.memory_id = $20)
      union all
      select o.memory_id from memory o join memory_stat n on n.project_id = $1 and n.memory_id = o.memory_id and n.lesson_id is null
      where o.project_id = $1
        and o.lesson_digest = (select n.lesson_digest from memory n join memory_stat l on l.project_id = $1
                                 and l.memory_id = n.memory_id and l.lesson_id is null
                               where n.project_id = $1 and n.memory_id = $20)))
    and ($22::uuid is null or d.memory_id in (
      select o.memory_id from memory_stat o where o.project_id = $1 and o.lesson_id = $22 and o.lesson_id is not null
      union all
      select o.memory_id from memory_stat o where o.project_id = $1 and o.memory_id = $22 and o.lesson_id is null
      union all
      select o.memory_id from memory o join memory_stat n on n.project_id = $1 and n.memory_id = o.memory_id and n.lesson_id is null
      where o.project_id = $1
        and o.lesson_digest = (select n.lesson_digest from memory n join memory_stat l on l.project_id = $1
                                 and l.memory_id = n.memory_id and l.lesson_id is null
                               where n.project_id = $1 and n.memory_id = $22)))
    and ($23::boolean is null or (d.superseded_by is not null) = $23)
), selected as not materialized (
  -- The look-up depends on the lesson alone, and the outer `offset 0` keeps it one: Postgres can remember its result for the other
  -- memories of a lesson. For the inner one see same_text.sql.
  select a.memory_id, a.lesson_id, a.lesson_digest, a.status, a.pinned, a.place, shown.has_text as shows_text
  from allowed a
  left join lateral (
    select true as has_text
    from (select coalesce((select f.memory_id from memory_stat f
                           where f.project_id = $1 and f.memory_id = a.lesson_id and f.lesson_id = a.lesson_id
                             and f.status in (1, 4, 5) and f.trust <> 0),
                          lesson_speaker($1, a.lesson_id)) as memory_id
          offset 0) speaker
    join memory t on t.project_id = $1 and t.memory_id = speaker.memory_id
    where $18::text is not null and position(lower($18) in lower(concat_ws(' ', t.summary, t.reflection))) > 0
    offset 0) shown on true
  where a.has_text or shown.has_text
), repeated as materialized (
  select n.memory_id
  from (select o.memory_id,
               row_number() over (partition by coalesce(o.lesson_id, o.lesson_digest),
                                               case when $24::boolean then 0 else o.status end
                                  order by o.place, o.memory_id desc) as nth
        from selected o
        where $21::boolean and $4::int <> 0 and coalesce(o.lesson_id, o.lesson_digest) is not null
          and ($24::boolean or not o.pinned)) n
  where n.nth > 1
)
select d.memory_id from selected d
where ($2::uuid is null or d.place > (select place from cursor)
       or (d.place = (select place from cursor) and d.memory_id < $2))
  and ($4::int <> 0 or $2::uuid is null or d.memory_id < $2)
  and (not $21::boolean or $4::int <> 0 or d.lesson_id is null or (d.pinned and not $24) or not exists (
    select from allowed e
    where e.lesson_id = d.lesson_id and ($24 or (e.status = d.status and not e.pinned)) and e.situation_id > d.memory_id
      and (e.has_text or d.shows_text)
    offset 0))
  and (not $21::boolean or $4::int <> 0 or d.lesson_id is not null or d.lesson_digest is null or (d.pinned and not $24)
       or not exists (
    select from allowed e
    where e.lesson_id is null and e.lesson_digest = d.lesson_digest and ($24 or (e.status = d.status and not e.pinned))
      and e.memory_id > d.memory_id and (e.has_text or d.shows_text)
    offset 0))
  and (not $21::boolean or $4::int = 0 or d.memory_id not in (select memory_id from repeated))
order by d.place, d.memory_id desc
limit $3
