-- Every project reads and writes the space.
update project set read_space = $1::smallint, write_spaces = array[$1::smallint]
