-- Returns the jobs of one turn of a worker to the queue, because the worker did not get the answer. Reads all jobs; rare.
update job set worker = null, turn = null where worker = $1 and turn = $2
