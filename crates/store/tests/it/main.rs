//! The store against a real Postgres, a database for each test.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod audit_chain;
mod cancelled;
mod checkpoints;
mod curation;
mod encryption;
mod erasure;
mod given;
mod idempotency;
mod isolation;
mod jobs;
mod keys;
mod layout;
mod ledger;
mod lessons;
mod migrations;
mod moving;
mod partitions;
mod plans;
mod pooler;
mod projects;
mod receipts;
mod replica;
mod retention;
mod review_queue;
mod roles;
mod same_lessons;
mod search;
mod space_changes;
mod spans;
mod sql_files;
mod statements;
mod synchronous_commit;
mod tables;
mod tombstones;
mod traces;
mod vector_graphs;
mod webhooks;
