//! The client against the real server over a real socket and a real Postgres, through a proxy that can misbehave.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should stop where it is")]

extern crate sdk_tokio as tokio;

mod delivery;
mod faults;
mod given;
mod keys;
mod lessons;
#[cfg(feature = "reflexion-loop")]
mod long_term;
mod memories;
mod projects;
mod proxy;
mod recall;
mod reviews;
mod runs;
mod sent;
mod signals;
mod traces;
mod waiting;
mod webhooks;
