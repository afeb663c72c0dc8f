-- What a transaction stores besides its job.
insert into scale_probe (content) values ('a review of a run')
