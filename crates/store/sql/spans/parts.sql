-- What the spans of a run say about it.
select part_id, codec, length, digest, content from otlp_part where project_id = $1 and otlp_id = $2
