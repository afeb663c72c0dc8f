-- The last step of a deletion, when no other row of the project is left.
with keys as (delete from api_key where project_id = $1), members as (delete from project_member where project_id = $1),
     data_key as (delete from project_data_key where project_id = $1)
delete from project where project_id = $1 and deleted_at is not null
