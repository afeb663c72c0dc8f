//! The HTTP door over a real Postgres, called in process, a database for each test.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod admission;
mod bodies;
mod bootstrap;
mod console;
mod docs;
mod errors;
mod health;
mod idempotency;
mod keys;
mod learning;
mod linking;
mod looking;
mod openapi;
mod paging;
mod projects;
mod provider_faults;
mod tenants;
mod traces;
mod uplift;
mod waiting;
