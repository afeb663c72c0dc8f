-- Review counts of memories, without their texts.
select memory_id, reviews, passes, evidence from memory_stat where project_id = $1 and memory_id = any($2::uuid[])
