-- Builds the indexes of words and metadata, as `reflect migrate` does where there are memories.
do $$
declare
  one text;
begin
  for one in select statement from missing_term_indexes(false) loop
    execute one;
  end loop;
end $$
