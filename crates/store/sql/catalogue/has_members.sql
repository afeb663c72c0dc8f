-- Whether anybody can sign in yet, also somebody who may no longer.
select exists (select from member)
