//! HTTP requests against a real Postgres, in process, with a database for each test.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

mod admission;
mod audit;
mod bodies;
mod bootstrap;
mod callers;
mod console;
mod curation;
mod diagnosis;
mod docs;
mod embedding_change;
mod erasures;
mod errors;
mod filters;
mod health;
mod idempotency;
mod judge;
mod keys;
mod learning;
mod lessons;
mod linking;
mod looking;
mod maintenance;
mod mcp;
mod openapi;
mod paging;
mod projects;
mod provider_faults;
mod provider_sign_in;
mod receipts;
mod redaction;
mod review_queue;
mod review_undo;
mod same_lessons;
mod search_graphs;
mod slow_clients;
mod tenants;
mod tls;
mod traces;
mod trust;
mod uplift;
mod waiting;
