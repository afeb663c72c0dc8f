-- Which keys wrap data keys, and how many projects each.
select key_id, count(*) from project_data_key group by key_id order by key_id
