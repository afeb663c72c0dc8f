-- Makes one step of maintenance fail as long as the transaction is open: it can neither make nor drop partitions.
lock table partition_plan in access exclusive mode
