-- From now on, runs of the project are compared with waiting signals. No row if that is known.
update project set has_signals = true where project_id = $1 and not has_signals
