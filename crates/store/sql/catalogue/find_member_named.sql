-- A member by id or by name, disabled or not.
select member_id from member where member_id::text = lower($1) or lower(name) = lower($1)
order by member_id::text = lower($1) desc limit 1
