"""The wire protocol: requests and responses as data, without I/O."""
