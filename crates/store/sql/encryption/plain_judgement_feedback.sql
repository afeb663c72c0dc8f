-- Feedback of judgements after an id that does not start with the marker of encrypted texts.
select trace_id, feedback from judgement
where project_id = $1 and trace_id > $2 and feedback is not null and not starts_with(feedback, $3)
order by trace_id limit $4
