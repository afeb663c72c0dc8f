-- Passes the tables of one grant to grants.sql, which is a block and takes no parameters.
select set_config($1, $2, false)
