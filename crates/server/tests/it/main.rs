//! The HTTP door over a real Postgres, called in process, a database for each test.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod admission;
mod bodies;
mod bootstrap;
mod care;
mod console;
mod diagnosis;
mod docs;
mod embedding_change;
mod erasures;
mod errors;
mod health;
mod idempotency;
mod judge;
mod keys;
mod learning;
mod linking;
mod looking;
mod mcp;
mod openapi;
mod paging;
mod projects;
mod provider_faults;
mod redaction;
mod review_queue;
mod review_undo;
mod tenants;
mod traces;
mod trust;
mod uplift;
mod waiting;
