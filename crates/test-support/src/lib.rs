//! For tests only: a database for each test, an application that uses it, and small builders for requests.

mod app;
mod database;
mod identity_provider;
mod members;
mod pgbouncer;
mod programs;
mod replicated;
mod requests;
mod search;

pub use app::{TestApp, judge_traces, local_webhooks, refusing_models, scripted_models};
pub use database::TestDb;
pub use identity_provider::ScriptedIdentityProvider;
pub use members::{Browser, browser_request};
pub use pgbouncer::PgBouncer;
pub use replicated::ReplicatedDb;
pub use requests::{TestResponse, send, trace};
