-- Makes workers look at the queue.
select pg_notify('jobs:insert', '')
