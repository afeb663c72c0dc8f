-- Whether there is any member, disabled or not.
select exists (select from member)
