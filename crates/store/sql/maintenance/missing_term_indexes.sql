-- The statements that build the missing indexes of words and metadata without blocking writes.
select statement from missing_term_indexes(true)
