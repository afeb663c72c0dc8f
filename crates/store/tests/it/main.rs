//! The store against a real Postgres, a database for each test.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod audit_chain;
mod cancelled;
mod curation;
mod encryption;
mod erasure;
mod given;
mod idempotency;
mod isolation;
mod jobs;
mod keys;
mod ledger;
mod moving;
mod partitions;
mod projects;
mod review_queue;
mod roles;
mod same_lessons;
mod search;
mod space_changes;
mod sql_files;
mod tables;
mod traces;
mod vector_graphs;
